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
