import type { Deps } from '../../ports.ts'
import type { CallLedger } from './commit-calls.ts'
import { type MeteredCall, readUnreported, waitingCall } from './metered-store.ts'
import { failedBody } from './present.ts'
import { NOTHING, type Settlement, USAGE_WINDOW_MS } from './rules.ts'
import { missing } from './settle-rules.ts'

/** Calls released in one sweep. */
const SWEEP_MAX = 500

/**
 * Releases calls whose usage was not reported in time: nothing is charged, and their keys replay the failure. A
 * report that comes first wins.
 *
 * @returns how many were released
 */
export async function releaseUnreported(
  deps: Pick<Deps, 'db' | 'clock' | 'log'> & { readonly calls: CallLedger },
): Promise<number> {
  const before = new Date(deps.clock.now() - USAGE_WINDOW_MS)
  const unreported = await readUnreported(deps.db, { before, limit: SWEEP_MAX })
  const settled = await Promise.all(unreported.map(call => deps.calls.settle(releaseOf(call))))
  const released = settled.filter(outcome => outcome.kind === 'settled').length
  if (released > 0) deps.log.warn({ released }, 'released calls whose usage was not reported')
  return released
}

function releaseOf(call: MeteredCall): Settlement {
  const { invocationId } = call
  const error = missing(call.reason ?? 'usage_missing', invocationId)
  const status = 'FAILED_FINAL'
  const body = failedBody({ error, status, requestId: invocationId })
  return {
    ...waitingCall(call),
    ...{ ...NOTHING, from: 'PROCESSING', status, errorCode: error.code, metered: null, recording: null },
    answer: { httpStatus: error.status, body },
  }
}
