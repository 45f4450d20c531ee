import { parseUsdc } from '@farebox/money'

/** An answer as a caller had it. */
export type Seen = {
  /** Null: not even a head came. */
  readonly status: number | null
  readonly text: string
  /** True if it was complete. */
  readonly isWhole: boolean
}

/** State of a call by an answer to it. */
export type Verdict =
  /** It is over. `essence` is what every later answer must repeat byte for byte. */
  | {
      readonly kind: 'final'
      readonly invocationId: string
      readonly status: 'SUCCEEDED' | 'FAILED_RETRYABLE' | 'FAILED_FINAL'
      /** Micro-USDC. */
      readonly charged: bigint
      readonly essence: string
    }
  /** Its provider has answered without its usage, and may still report it. */
  | { readonly kind: 'waiting'; readonly invocationId: string }
  /** The request had no effect. */
  | { readonly kind: 'refused'; readonly code: string }
  /** The answer did not come, or not whole. `events` is what came of a stream. */
  | { readonly kind: 'lost'; readonly events: string }

type Body = {
  readonly invocationId?: string
  readonly status?: string
  readonly chargedUsdc?: string
  readonly code?: string
  readonly detail?: { readonly invocationId?: string; readonly status?: string }
}

const GATEWAY_FRAME = /(?:^|\n\n)event: gateway\ndata: (.*)\n\n/
const ERROR_FRAME = /(?:^|\n\n)event: error\ndata: (.*)\n\n$/
/** Told in a stream that is played again. */
const REPLAY_MARK = ',"replayed":true}\n\n'

/** Reads an answer to a paid call. */
export function readSeen({ status, text: sent, isWhole }: Seen): Verdict {
  if (status === null) return { kind: 'lost', events: '' }
  const isStream = !sent.startsWith('{')
  if (!isStream) return isWhole ? readBody(status, sent) : { kind: 'lost', events: '' }
  const text = sent.replace(REPLAY_MARK, '}\n\n')
  if (!isWhole) return { kind: 'lost', events: wholeEvents(text) }
  const bill = GATEWAY_FRAME.exec(text)
  if (bill !== null) {
    const verdict = readBody(200, bill[1] ?? '')
    // The text after the bill states how the stream ended, with the id of the request if it was cut.
    const ending = text.endsWith('data: [DONE]\n\n') ? 'whole' : 'cut'
    const essence = `${text.slice(0, bill.index + bill[0].length)}${ending}`
    return verdict.kind === 'final' ? { ...verdict, essence } : verdict
  }
  const failure = ERROR_FRAME.exec(text)?.[1]
  return failure === undefined ? { kind: 'lost', events: wholeEvents(text) } : readBody(502, failure)
}

function readBody(status: number, text: string): Verdict {
  const body = jsonOf(text)
  if (body === null) return { kind: 'refused', code: 'NO_JSON' }
  if (status === 200) {
    const { invocationId = '', chargedUsdc = '' } = body
    const charged = parseUsdc(chargedUsdc)
    return { kind: 'final', invocationId, status: 'SUCCEEDED', charged, essence: text }
  }
  const state = body.detail?.status
  const invocationId = body.detail?.invocationId ?? ''
  if (state === 'FAILED_RETRYABLE' || state === 'FAILED_FINAL') {
    return { kind: 'final', invocationId, status: state, charged: 0n, essence: text }
  }
  if (state === 'PROCESSING' && body.code !== 'IDEMPOTENCY_IN_PROGRESS')
    return { kind: 'waiting', invocationId }
  return { kind: 'refused', code: body.code ?? `status ${status}` }
}

function jsonOf(text: string): Body | null {
  try {
    return JSON.parse(text) as Body
  } catch {
    return null
  }
}

/** The events of a cut stream that came whole, up to its bill. */
function wholeEvents(text: string): string {
  const end = text.lastIndexOf('\n\n')
  const events = end === -1 ? '' : text.slice(0, end + 2)
  const bill = GATEWAY_FRAME.exec(events)
  return bill === null ? events : events.slice(0, bill.index + bill[0].length)
}
