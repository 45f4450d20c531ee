import { type ErrorCode, errorTable, GatewayError } from '@farebox/wire/errors'
import type { Queryable } from '../../../ports.ts'
import type { Answer } from '../settle-call.ts'
import { type EndedRow, readEnded } from './answer-store.ts'
import { failedAnswer, type MeteredBill, receiptOf, succeededBody, usageOf } from './present.ts'
import { billOf } from './read-answer.ts'
import { type OwnedCall, readAnswer, type StoredAnswer } from './store.ts'

/** An answer, and whether its result is no longer stored. */
export type ArchivedAnswer = StoredAnswer & { readonly isExpired: boolean }

/**
 * Returns the answer of an ended call: as stored or, once that is pruned, from its permanent record. State, cost and
 * receipt remain; the result, and the provider's text about a failure, are gone.
 *
 * @param call       in a terminal state
 * @param readStored reads the stored answer; default: a statement for this call alone
 */
export async function readArchivedAnswer(
  db: Queryable,
  call: OwnedCall,
  readStored: (call: OwnedCall) => Promise<StoredAnswer | null | undefined> = one => readAnswer(db, one),
): Promise<ArchivedAnswer> {
  const stored = await readStored(call)
  if (stored) return { ...stored, isExpired: false }
  const row = await readEnded(db, call)
  if (row === null) throw new GatewayError('INVOCATION_NOT_FOUND')
  return { ...remainsOf(row), isExpired: true }
}

/** Returns the error for callers that could mistake an answer without its result: a stream, another API. */
export function keptNoLonger({ body }: Pick<Answer, 'body'>): GatewayError {
  const { invocationId, status, chargedUsdc } = billOf(body)
  const message = 'The answer to the first request with this idempotency key is no longer stored.'
  const context = { invocationId, status, chargedUsdc, answerExpired: true }
  return new GatewayError('IDEMPOTENCY_CONFLICT', context, { message })
}

function remainsOf(row: EndedRow): StoredAnswer {
  const { id: invocationId, status, charged, processingReason: reason } = row
  if (status === 'SUCCEEDED') {
    const remains = { charge: charged, receipt: receiptOf(row), resultText: 'null', bill: billedUsage(row) }
    return { httpStatus: 200, body: succeededBody({ ...remains, isExpired: true }) }
  }
  const context = { invocationId, ...(reason !== null && { reason }), answerExpired: true }
  const error = new GatewayError(codeOf(row), context)
  return failedAnswer({ error, status, requestId: invocationId })
}

/** Returns the error code of a failed call; codes are never removed from the table. */
function codeOf({ errorCode }: EndedRow): ErrorCode {
  const codes = Object.keys(errorTable) as ErrorCode[]
  return codes.find(code => code === errorCode) ?? 'INTERNAL'
}

function billedUsage(row: EndedRow): MeteredBill | null {
  const { cost, preAuthMode, hold, charged: charge, maxInputTokens, maxOutputTokens } = row
  const usage = usageOf(row)
  if (usage === null || cost === null || preAuthMode === null) return null
  const isPossible =
    (maxInputTokens === null || usage.inputTokens <= maxInputTokens) &&
    (maxOutputTokens === null || usage.outputTokens <= maxOutputTokens)
  return { usage, isCapped: cost > charge || !isPossible, hold, charge, preAuthMode }
}
