import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 20

/** States in /proc/pid/stat and `ps` of a process that has ended but was not reaped yet. */
const ENDED = /^[ZXx]/
/** Index of the start time in /proc/pid/stat, in clock ticks since boot, among the fields after the name. */
const START_FIELD = 19

/** Sends a signal to a child that still runs when this process exits, as when its start is interrupted. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = () => child.kill(signal)
  process.once('exit', end)
  child.once('exit', () => process.removeListener('exit', end))
}

/**
 * Returns true if this process runs and its command line contains the text. Process ids are reused: the id alone proves
 * nothing.
 */
export function isProcessOf(pid: number, text: string): boolean {
  if (pid <= 1 || startOfProcess(pid) === null) return false
  const commandLine = existsSync('/proc/self/cmdline')
    ? readIfThere(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')
    : spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  return typeof commandLine === 'string' && commandLine.includes(text)
}

/**
 * Returns the start time of a process, which distinguishes it from others with the same id. Null if it does not run; a
 * zombie, which keeps its id until it is reaped, has ended.
 */
export function startOfProcess(pid: number): string | null {
  if (!Number.isInteger(pid) || pid < 1) return null
  if (existsSync('/proc/self/stat')) {
    const fields = readIfThere(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ') ?? []
    return ENDED.test(fields[0] ?? '') ? null : (fields[START_FIELD] ?? null)
  }
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
  const [state = '', ...start] = stdout.trim().split(/\s+/)
  return status === 0 && !ENDED.test(state) ? start.join(' ') : null
}

/** The process may end between the check for the file and its reading. */
function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/**
 * Sends a signal and waits until the process is gone.
 *
 * @param process.text of its command line, see {@link isProcessOf}
 * @returns false if it still runs after the time
 */
export async function endProcess(
  process_: { pid: number; text: string },
  options: { signal: NodeJS.Signals; timeoutMs: number },
): Promise<boolean> {
  const { pid, text } = process_
  const deadline = Date.now() + options.timeoutMs
  if (isProcessOf(pid, text)) sendSignal(pid, options.signal)
  while (isProcessOf(pid, text)) {
    if (Date.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}

/** The process may have ended meanwhile. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
