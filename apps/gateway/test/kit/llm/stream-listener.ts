/** A caller that reads a stream until it hangs up. */
export type Listener = {
  /** Status of the answer, once its head is received. */
  readonly status: Promise<number>
  /** Text received so far. */
  readonly text: () => string
  /** True if the answer ended regularly. */
  readonly isWhole: () => boolean
  /** Resolves when the answer has ended, regularly or not. */
  readonly over: Promise<void>
  /** Closes the connection. */
  leave(): void
}

/** Sends POST /agent/invoke and reads the answer as it arrives. */
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
  // A caller that leaves before the head may ignore the status.
  status.catch(() => undefined)
  return {
    status,
    text: () => text,
    isWhole: () => isWhole,
    // A cut connection ends it, too.
    over: read().catch(() => undefined),
    leave: () => hangUp.abort(),
  }
}
