import type { Deps } from '../../../ports.ts'
import { catchUp } from '../../ledger/read-current.ts'
import type { CallLedger } from '../admission/commit-calls.ts'
import { type MeteredCall, readUnreported, waitingCall } from '../pricing/metered-store.ts'
import { missing } from '../pricing/settle-rules.ts'
import { type Settlement, USAGE_WINDOW_SECONDS } from '../rules.ts'
import { releaseCalls, unchargedEnd } from './release-calls.ts'

/**
 * Releases calls with overdue usage reports, by the database clock: nothing is charged, and their keys replay the
 * failure. A report that comes first wins.
 *
 * @returns how many were released
 */
export async function releaseUnreported(
  deps: Pick<Deps, 'db' | 'log'> & { readonly calls: CallLedger },
): Promise<number> {
  const released = await releaseCalls(deps, {
    async read(page) {
      await catchUp(deps.db)
      return readUnreported(deps.db, { ...page, windowSeconds: USAGE_WINDOW_SECONDS })
    },
    release: releaseOf,
  })
  if (released > 0) deps.log.warn({ released }, 'released calls whose usage was not reported')
  return released
}

function releaseOf(call: MeteredCall): Settlement {
  const { invocationId } = call
  const error = missing(call.reason ?? 'usage_missing', invocationId)
  const end = unchargedEnd(invocationId, { status: 'FAILED_FINAL', error })
  return { ...waitingCall(call), ...end, from: 'PROCESSING' }
}
