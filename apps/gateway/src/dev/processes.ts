import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 20

/** Whether this process runs and its command line holds the text. Process ids are reused: the id alone says nothing. */
export function isProcessOf(pid: number, text: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false
  const commandLine = existsSync('/proc/self/cmdline')
    ? existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    : spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  return typeof commandLine === 'string' && commandLine.includes(text)
}

/**
 * What tells this run of a process from any other that ever had its id: when it began. Null when it does not run.
 * (Linux: field 22 of /proc/pid/stat, clock ticks since boot.)
 */
export function startOfProcess(pid: number): string | null {
  if (existsSync('/proc/self/stat')) {
    if (!existsSync(`/proc/${pid}/stat`)) return null
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') // after the name
    return fields?.[19] ?? null
  }
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/**
 * Sends a signal and waits until the process is gone.
 *
 * @param process.text of its command line, see {@link isProcessOf}
 * @returns false when it is still there after the time
 */
export async function endProcess(
  process_: { pid: number; text: string },
  options: { signal: NodeJS.Signals; timeoutMs: number },
): Promise<boolean> {
  const { pid, text } = process_
  const deadline = Date.now() + options.timeoutMs
  if (isProcessOf(pid, text)) process.kill(pid, options.signal)
  while (isProcessOf(pid, text)) {
    if (Date.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}
