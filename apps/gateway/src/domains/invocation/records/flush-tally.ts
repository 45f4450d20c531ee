import type { Deps } from '../../../ports.ts'
import { recordCalls } from '../../services/discovery/record-calls.ts'
import type { CallTally } from './call-tally.ts'

/** Stores the counts since the last flush; after a failure they are kept for the next. */
export async function flushTally(deps: Pick<Deps, 'db'> & { readonly tally: CallTally }): Promise<void> {
  const calls = deps.tally.take()
  if (calls.length === 0) return
  try {
    await recordCalls(deps, calls)
  } catch (error) {
    deps.tally.putBack(calls)
    throw error
  }
}
