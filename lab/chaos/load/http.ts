import type { Seen } from '../check/verdict.ts'

/** A request to a gateway. */
export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  /** From the root. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Longest wait for an answer, in ms; a round heals its faults long before. */
const TIMEOUT_MS = 30_000

/** Sends a request; returns whatever came of the answer, to the last byte before a line was cut. */
export async function ask(
  gateway: { readonly url: string },
  { method = 'POST', path, headers, body }: Ask,
): Promise<Seen> {
  let status: number | null = null
  let text = ''
  try {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = answer.status
    const decoder = new TextDecoder()
    for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true })
    return { status, text, isWhole: true }
  } catch {
    return { status, text, isWhole: false }
  }
}

/** Returns headers of a wallet's session, or of a provider's secret. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
