import { hash } from 'node:crypto'
import type { Output } from '@farebox/wire/common'
import type { Receipt, tokenUsage } from '@farebox/wire/invocation'
import { mayBeBuilt } from '../provider/json-scan-rules.ts'

/** Cost of an invocation, from its answer. Amounts in decimal USDC; `usage` of metered calls only. */
export type Bill = {
  readonly invocationId: string
  readonly status: string
  readonly chargedUsdc: string
  readonly holdUsdc: string
  readonly releasedUsdc: string
  readonly usage: Output<typeof tokenUsage> | null
}

const RESULT = ',"result":'

/**
 * Returns the provider's part of a successful answer: JSON text as sent by the provider. Our envelope has no member
 * before `result` that could contain that text unescaped (see present.ts).
 *
 * @param body of an {@link Answer} with status 200
 */
export function resultOf(body: string): string {
  return body.slice(body.indexOf(RESULT) + RESULT.length, -1)
}

/** Returns the members of a successful answer before the provider's part. */
const envelopeOf = (body: string): unknown => JSON.parse(`${body.slice(0, body.indexOf(RESULT))}}`)

/** Returns the result of {@link resultOf}, parsed; null if it is too expensive to build (see json-scan-rules.ts). */
export function builtResultOf(body: string): Readonly<Record<string, unknown>> | null {
  const text = resultOf(body)
  return mayBeBuilt(text) ? (JSON.parse(text) as Record<string, unknown>) : null
}

const BINARY = /^\{"contentType":("(?:[^"\\]|\\.)*"),"base64":"([A-Za-z0-9+/]*={0,2})"\}$/

/**
 * Returns the type and the bytes, in base64, of a provider's answer that is neither JSON nor text (see readResult);
 * null for any other. Provider JSON of exactly that form has another hash than those bytes.
 */
export function binaryResultOf(
  body: string,
): { readonly contentType: string; readonly base64: string } | null {
  const [, contentType, base64] = BINARY.exec(resultOf(body)) ?? []
  if (contentType === undefined || base64 === undefined) return null
  if (hash('sha256', Buffer.from(base64, 'base64')) !== receiptIn(body).responseHash) return null
  return { contentType: JSON.parse(contentType) as string, base64 }
}

/** Returns the receipt of a successful answer. */
export function receiptIn(body: string): Receipt {
  return (envelopeOf(body) as { receipt: Receipt }).receipt
}

/** Returns true if a successful answer lacks the provider's part, as it was streamed or is no longer stored. */
export function wasStreamed(body: string): boolean {
  return body.endsWith(`${RESULT}null}`)
}

/** Returns the bill of a successful answer. */
export function billOf(body: string): Bill {
  const {
    invocationId,
    status,
    chargedUsdc,
    usage = null,
    gateway,
  } = envelopeOf(body) as Pick<Bill, 'invocationId' | 'status' | 'chargedUsdc'> & {
    usage?: Bill['usage']
    gateway?: Pick<Bill, 'holdUsdc' | 'releasedUsdc'>
  }
  const { holdUsdc = chargedUsdc, releasedUsdc = '0.000000' } = gateway ?? {}
  return { invocationId, status, chargedUsdc, holdUsdc, releasedUsdc, usage }
}
