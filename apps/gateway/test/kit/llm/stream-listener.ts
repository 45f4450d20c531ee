/** A caller that stays on the line until it leaves. */
export type Listener = {
  /** Status of the answer once its head is there. */
  readonly status: Promise<number>
  /** Text so far. */
  readonly text: () => string
  /** Whether the answer has come to its end in order. */
  readonly isWhole: () => boolean
  /** Resolves when nothing more will come, in order or not. */
  readonly over: Promise<void>
  /** Hangs up. */
  leave(): void
}

/** One POST /agent/invoke whose answer is read as it comes. */
export function listen(
  on: { readonly url: string },
  credential: { readonly token: string },
  body: Record<string, unknown>,
): Listener {
  const hangUp = new AbortController()
  let text = ''
  let isWhole = false
  const response = fetch(`${on.url}/api/v1/agent/invoke`, {
    method: 'POST',
    headers: { 'x-credential': credential.token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: hangUp.signal,
  })
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of (await response).body ?? []) text += decoder.decode(chunk, { stream: true })
    isWhole = true
  }
  const status = response.then(answer => answer.status)
  // Who leaves before the head has come hears of no status, and need not ask.
  status.catch(() => undefined)
  return {
    status,
    text: () => text,
    isWhole: () => isWhole,
    // A line that is cut, by either side, ends it as well.
    over: read().catch(() => undefined),
    leave: () => hangUp.abort(),
  }
}
