import type { Answer } from '../../kit/caller.ts'
import type { StreamJob } from './messages.ts'

const WHY_CHARS_MAX = 300

type Bill = {
  readonly status?: string
  readonly chargedUsdc?: string
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number }
}

/**
 * Returns what is wrong with a stream that was read; null when it is whole: every chunk of the model in order, the
 * gateway's bill over the model's usage if it is paid, and `[DONE]` last.
 */
export function problemOf(
  { status, text }: Pick<Answer, 'status' | 'text'>,
  { script, isPaid, chargedUsdc }: Pick<StreamJob, 'script' | 'isPaid' | 'chargedUsdc'>,
): string | null {
  if (status !== 200) return `${status} ${text.slice(0, WHY_CHARS_MAX)}`
  const numbers = Array.from(text.matchAll(/"n":(\d+)\}\n/g), ([, number]) => Number(number))
  if (numbers.some((number, index) => number !== index)) return 'chunks out of order'
  if (numbers.length !== script.chunks) return `${numbers.length} of ${script.chunks} chunks`
  if (!text.endsWith('data: [DONE]\n\n')) return 'no [DONE] at the end'
  if (!isPaid) return null
  const bill = JSON.parse(/\nevent: gateway\ndata: (.*)\n/.exec(text)?.[1] ?? '{}') as Bill
  const isRight =
    bill.status === 'SUCCEEDED' &&
    bill.chargedUsdc === chargedUsdc &&
    bill.usage?.inputTokens === script.inputTokens &&
    bill.usage.outputTokens === script.outputTokens
  return isRight ? null : `billed wrongly: ${JSON.stringify(bill)}`
}
