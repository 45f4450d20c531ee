import { GatewayError } from '@farebox/wire/errors'
import { within } from '../runtime/within.ts'

/** Maximum time of one check, in ms: an unreachable server must not stop the others. */
const CHECK_TIMEOUT_MS = 20_000

/** Outcome of a check. `found` is a sentence without secrets; a failed one names its setting. */
export type Judgement = {
  readonly status: 'ok' | 'warning' | 'failed'
  readonly found: string
  /** What to do; absent if ok. */
  readonly advice?: string
}

/** A comparison of settings with the world. Reads only. */
export type Check = {
  /** Such as `database encoding`. */
  readonly name: string
  /** A gateway in production does not start while it fails. */
  readonly guardsMoney?: true
  judge(): Promise<Judgement>
}

/** A check and its outcome. */
export type Finding = Judgement & { readonly check: string; readonly guardsMoney: boolean }

export const ok = (found: string): Judgement => ({ status: 'ok', found })
export const warning = (found: string, advice: string): Judgement => ({ status: 'warning', found, advice })
export const failed = (found: string, advice: string): Judgement => ({ status: 'failed', found, advice })

/**
 * Runs checks at the same time. One that throws or takes too long has failed.
 *
 * @returns their findings, in the order of the checks
 */
export function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  return Promise.all(
    checks.map(async ({ name, guardsMoney = false, judge }) => ({
      check: name,
      guardsMoney,
      ...(await judgeInTime(judge)),
    })),
  )
}

async function judgeInTime(judge: Check['judge']): Promise<Judgement> {
  try {
    const judged = await within(CHECK_TIMEOUT_MS, judge())
    if (judged !== 'late') return judged
    return failed(`No answer within ${CHECK_TIMEOUT_MS / 1_000} s.`, 'Check that the server is reachable.')
  } catch (error) {
    return failed(describeFailure(error), 'Correct it, then check again.')
  }
}

/** Returns the reason of an error on one line; that of unreachable servers is the cause of a GatewayError. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason = error instanceof GatewayError && error.cause instanceof Error ? error.cause : error
  // Of an address that has several, each attempt fails: an AggregateError has a code only.
  const text = reason.message || String((reason as { code?: unknown }).code ?? reason.name)
  return text.replaceAll(/\s+/g, ' ')
}
