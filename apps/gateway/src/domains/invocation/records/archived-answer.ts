import { type ErrorCode, errorTable, GatewayError } from '@farebox/wire/errors'
import type { Queryable } from '../../../ports.ts'
import type { Answer } from '../settle-call.ts'
import { type EndedRow, readEnded } from './answer-store.ts'
import { failedBody, type MeteredBill, receiptOf, succeededBody, usageOf } from './present.ts'
import { billOf } from './read-answer.ts'
import { type OwnedCall, readAnswer, type StoredAnswer } from './store.ts'

/** An answer, and whether it is all that is left of one that is kept no longer. */
export type ArchivedAnswer = Pick<Answer, 'httpStatus' | 'body'> & { readonly isExpired: boolean }

/**
 * The answer of a call that is over: as it was stored or, once that is pruned, what the books say of it for ever. How
 * it ended, what it cost and its receipt are still told; the result, and what the provider said of a failure, are gone.
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

/** What a caller is told who would take an answer without its result for something else: a stream, another API. */
export function keptNoLonger({ body }: Pick<Answer, 'body'>): GatewayError {
  const { invocationId, status, chargedUsdc } = billOf(body)
  const message = 'The answer to the first request with this idempotency key is kept no longer.'
  const context = { invocationId, status, chargedUsdc, answerExpired: true }
  return new GatewayError('IDEMPOTENCY_CONFLICT', context, { message })
}

function remainsOf(row: EndedRow): { httpStatus: number; body: string } {
  const { id: invocationId, status, charged, processingReason: reason } = row
  if (status === 'SUCCEEDED') {
    const remains = { charge: charged, receipt: receiptOf(row), resultText: 'null', bill: billedUsage(row) }
    return { httpStatus: 200, body: succeededBody({ ...remains, isExpired: true }) }
  }
  const context = { invocationId, ...(reason !== null && { reason }), answerExpired: true }
  const error = new GatewayError(codeOf(row), context)
  return { httpStatus: error.status, body: failedBody({ error, status, requestId: invocationId }) }
}

/** The code that a failed call was answered with; the table of codes is closed, and no code was ever taken from it. */
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
