import { setTimeout as delay } from 'node:timers/promises'
import type { Seen } from './verdict.ts'

/** What is asked of a gateway. */
export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PUT'
  /** From the root. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Longest wait for an answer, in ms; a round heals its faults long before. */
const TIMEOUT_MS = 30_000
/** How often, and after how long, in ms, a gateway that is busy is asked again. */
const BUSY_MAX = 40
const BUSY_MS = 250

/** Asks a gateway and keeps of the answer whatever came, to the last byte before a line was cut. */
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

/** Asks what must be answered 200 with JSON, at last: a gateway that has only just started may be busy. */
export async function askWell<Body>(gateway: { readonly url: string }, asked: Ask): Promise<Body> {
  let answer = await ask(gateway, asked)
  for (let again = 1; again <= BUSY_MAX && answer.status === 503; again += 1) {
    await delay(BUSY_MS)
    answer = await ask(gateway, asked)
  }
  const { status, text, isWhole } = answer
  if (status !== 200 || !isWhole) throw new Error(`${asked.path} was answered ${status}: ${text}`)
  return JSON.parse(text) as Body
}

/** Headers of a wallet's session, or of a provider's secret. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
