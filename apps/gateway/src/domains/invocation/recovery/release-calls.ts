import { type GatewayError, isUnavailable } from '@farebox/wire/errors'
import type { Log } from '../../../ports.ts'
import type { CallLedger } from '../admission/commit-calls.ts'
import { failedAnswer } from '../records/present.ts'
import { NOTHING, type Settlement } from '../rules.ts'

/** Calls per page. */
const PAGE_MAX = 500
/** Pages per sweep. */
const PAGES_MAX = 20

/**
 * Settles all calls of a sweep, page by page. One that fails is logged and does not block others: the next page starts
 * after it.
 *
 * @param sweep.read    returns a page of calls; the first `offset` were found before and still exist
 * @param sweep.release returns how a call ends; null if it should not end
 * @returns how many were released
 * @throws Error at the end if some failed; GatewayError UNAVAILABLE immediately
 */
export async function releaseCalls<Call>(
  deps: { readonly calls: CallLedger; readonly log: Log },
  sweep: {
    read(page: { limit: number; offset: number }): Promise<readonly Call[]>
    release(call: Call): Settlement | null
  },
): Promise<number> {
  let released = 0
  let failed = 0
  let offset = 0
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await sweep.read({ limit: PAGE_MAX, offset })
    const ends = await Promise.all(found.map(call => settle(deps, sweep.release(call))))
    released += ends.filter(end => end === 'settled').length
    failed += ends.filter(end => end === 'failed').length
    offset += ends.filter(end => end === 'failed' || end === 'kept').length
    if (found.length < PAGE_MAX) break
  }
  if (failed > 0) throw new Error(`${failed} calls could not be released; the log names each.`)
  return released
}

/** Returns the members of a settlement that charges nothing and stores an error as the answer. */
export function unchargedEnd<Status extends 'FAILED_RETRYABLE' | 'FAILED_FINAL'>(
  invocationId: string,
  { status, error }: { status: Status; error: GatewayError },
) {
  return {
    ...NOTHING,
    status,
    errorCode: error.code,
    metered: null,
    recording: null,
    answer: failedAnswer({ error, status, requestId: invocationId }),
  }
}

async function settle(
  { calls, log }: { readonly calls: CallLedger; readonly log: Log },
  settlement: Settlement | null,
): Promise<'settled' | 'lost' | 'kept' | 'failed'> {
  if (settlement === null) return 'kept'
  try {
    return (await calls.settle(settlement)).kind
  } catch (error) {
    if (isUnavailable(error)) throw error
    const { invocationId } = settlement
    log.error({ invocationId, err: error }, 'a call could not be released: its rows are inconsistent')
    return 'failed'
  }
}
