import { costOfTokens } from '../../kit/person.ts'
import type { Arrival, Usage } from '../parts/providers.ts'
import type { CallRow } from './books.ts'
import type { AskedCall } from './history.ts'
import { readSeen, type Verdict } from './verdict.ts'

/** Codes that mean "retry later", and internal errors: none is left once all faults are healed. */
const PASSING = new Set([
  ...['IDEMPOTENCY_IN_PROGRESS', 'UNAVAILABLE', 'GATEWAY_INTERRUPTED'],
  ...['INTERNAL', 'NO_JSON'],
])
/** The refusal of a revoked credential. */
const REVOKED = 'CREDENTIAL_INACTIVE'

type Final = Extract<Verdict, { kind: 'final' }>

/** Prices of the model, micro-USDC per million tokens. */
export type TokenPrices = { readonly input: bigint; readonly output: bigint }

/** One call as caller, database and provider know it. */
export type CallEvidence = {
  readonly call: AskedCall
  readonly row: CallRow | undefined
  /** Requests for it that have reached a provider. */
  readonly arrivals: readonly Arrival[]
  readonly usage: Usage | undefined
  readonly prices: TokenPrices
  /** Of an earlier round, in which its request to the provider was counted: there may be none in this one. */
  readonly isOlder: boolean
}

/**
 * Checks a call after its last retry, once everything is healed.
 *
 * @returns sentences; empty when all that was promised holds
 */
export function checkCall(evidence: CallEvidence): string[] {
  const { call, row, arrivals, isOlder } = evidence
  const verdicts = call.seen.map(readSeen)
  const found = [
    ...checkAnswers(verdicts, row),
    ...checkLast(verdicts),
    ...checkRow(verdicts, row),
    ...checkArrivals(arrivals, row, isOlder),
    ...(row === undefined ? [] : checkCharge(evidence, row)),
  ]
  if (call.isTooLate && row !== undefined)
    found.push('was admitted although its credential was revoked before')
  return found.map(what => `call ${call.call} (${call.service}): ${what}`)
}

/** Checks that all final answers of a call are equal, and that each cut answer is a prefix of them. */
function checkAnswers(verdicts: readonly Verdict[], row: CallRow | undefined): string[] {
  const finals = verdicts.filter(verdict => verdict.kind === 'final')
  const [first] = finals
  const found = finals
    .filter(final => first !== undefined && !isSame(first, final))
    .map(final => `was answered ${reported(first)} and then ${reported(final)}`)
  const ids = new Set(verdicts.flatMap(verdict => ('invocationId' in verdict ? [verdict.invocationId] : [])))
  if (ids.size > 1) found.push(`was several calls: ${[...ids].join(', ')}`)
  const firstFinal = verdicts.findIndex(({ kind }) => kind === 'final')
  if (firstFinal !== -1 && verdicts.slice(firstFinal).some(({ kind }) => kind === 'waiting'))
    found.push('was over and then waited for its usage')
  const stored = row?.answer
  if (first !== undefined && stored !== undefined && stored !== null && !isStored(first, stored.text))
    found.push(`was answered ${reported(first)}, and what is stored is another answer: ${stored.text}`)
  if (first?.status === 'SUCCEEDED')
    for (const verdict of verdicts)
      if (verdict.kind === 'lost' && !first.essence.startsWith(verdict.events))
        found.push(`began with events that its stream does not have: ${verdict.events}`)
  return found
}

const isSame = (one: Final, other: Final): boolean =>
  one.invocationId === other.invocationId &&
  one.status === other.status &&
  one.charged === other.charged &&
  // The events of a stream that was cut are kept as far as they came, and its failure is stored alone.
  one.essence === other.essence

/** A stream holds its stored answer as the last of its events. */
const isStored = ({ essence }: Final, text: string): boolean => essence.includes(text)

/** When nothing is wrong any more, a call is over or was never begun. */
function checkLast(verdicts: readonly Verdict[]): string[] {
  const last = verdicts.at(-1)
  if (last === undefined) return ['was never answered']
  if (last.kind === 'lost') return ['was not answered whole although nothing was wrong any more']
  if (last.kind === 'waiting') return ['still waits for its usage']
  if (last.kind === 'refused' && PASSING.has(last.code)) return [`was still told ${last.code} at the end`]
  return []
}

/** Compares final answers with the rows of the database, where refused calls have none. */
function checkRow(verdicts: readonly Verdict[], row: CallRow | undefined): string[] {
  const final = verdicts.findLast(verdict => verdict.kind === 'final')
  if (final !== undefined) {
    if (row === undefined) return [`was answered ${reported(final)}, and the database does not know it`]
    const isEqual =
      row.id === final.invocationId && row.status === final.status && row.charged === final.charged
    return isEqual
      ? []
      : [`was answered ${reported(final)}, and the database has ${row.id} ${row.status} ${row.charged}`]
  }
  const last = verdicts.at(-1)
  if (row !== undefined && last?.kind === 'refused' && last.code !== REVOKED)
    return [`was refused (${last.code}), and the database has ${row.id} ${row.status}`]
  return []
}

/** One key is one request to one provider, and none is sent before its money is held. */
function checkArrivals(arrivals: readonly Arrival[], row: CallRow | undefined, isOlder: boolean): string[] {
  const found: string[] = []
  if (isOlder && arrivals.length > 0) return ['reached a provider again, rounds later']
  if (arrivals.length > 1) found.push(`reached providers ${arrivals.length} times`)
  for (const { invocationId, idempotencyKey } of arrivals) {
    if (row === undefined)
      found.push(`reached a provider as ${invocationId}, and the database does not know it`)
    else if (row.id !== invocationId) found.push(`reached a provider as ${invocationId}, and is ${row.id}`)
    if (idempotencyKey !== invocationId) found.push(`was sent with the idempotency key ${idempotencyKey}`)
  }
  if (!isOlder && row?.status === 'SUCCEEDED' && arrivals.length === 0)
    found.push('is paid for, and no provider was asked')
  return found
}

/** Checks that a success costs its price, anything else nothing, and that no call is open. */
function checkCharge({ call, usage, prices }: CallEvidence, row: CallRow): string[] {
  if (row.status === 'PENDING' || row.status === 'PROCESSING') return [`is still ${row.status}`]
  const expected = row.status !== 'SUCCEEDED' ? 0n : (call.price ?? costOf(usage, prices))
  return row.charged === expected ? [] : [`costs ${row.charged} and not ${expected}`]
}

const costOf = (usage: Usage | undefined, prices: TokenPrices): bigint =>
  usage === undefined ? 0n : costOfTokens(usage, prices)

const reported = (final: Final | undefined): string =>
  final === undefined
    ? 'nothing'
    : `${final.status} (${final.invocationId}, ${final.charged}): ${final.essence}`
