import { setImmediate } from 'node:timers/promises'
import { runHistory } from './history.ts'

/** Histories between two turns of the event loop. */
const AT_ONCE = 100

/** Runs the histories of seeds, both ends included. @returns the first fault of each that has any */
export async function runSeeds(from: number, to: number): Promise<string[]> {
  const stackLimit = Error.stackTraceLimit
  // Errors are expected answers here; stack traces would take half of the time.
  Error.stackTraceLimit = 0
  const failed: string[] = []
  for (let seed = from; seed <= to; seed += 1) {
    const { wrong } = await runHistory(seed)
    if (wrong.length > 0) failed.push(`seed ${seed}: ${wrong[0]}`)
    if (seed % AT_ONCE === 0) await setImmediate()
  }
  Error.stackTraceLimit = stackLimit
  return failed
}
