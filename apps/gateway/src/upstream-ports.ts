import type { KeyObject } from 'node:crypto'

/** What the domains need of providers' servers, and of what signs requests to them. Types only, as in ports.ts. */

/** A call to a provider. The body is sent as it is; `headers` are all that is sent. */
export type UpstreamRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Total time from start to the last byte, in ms. */
  readonly timeoutMs: number
  /** Most decoded bytes accepted of the answer ... */
  readonly responseBytesMax: number
  /** ... and of one that calls itself JSON, which is parsed; absent: as many. */
  readonly jsonBytesMax?: number
  /**
   * Leaves the gateway's signature out. It says that a request is a call or a probe, so nothing may have it that goes,
   * with content of ours, to a URL that somebody else than the provider has chosen.
   */
  readonly isUnsigned?: true
  /** Signs by HMAC-SHA256 with this secret of the provider; absent or null: by Ed25519 with the gateway's key. */
  readonly signingSecret?: SigningSecret | null
}

/** A provider's answer, whole. */
export type UpstreamResponse = {
  readonly status: number
  readonly contentType: string
  /** For how long it asks to be left alone (`Retry-After`), in seconds; of refusals only. */
  readonly retryAfterSeconds: number | null
  readonly body: Buffer
}

/** A provider's answer of which only the head is there yet. What is not read is not taken off the wire. */
export type UpstreamStream = {
  readonly status: number
  readonly contentType: string
  /** The next piece; null at the end. A failure, timeout and size included, ends the stream as well. */
  read(): Promise<Buffer | null | { readonly failure: UpstreamFailure }>
  /** Lets go of the provider; what is read from now on is a failure. */
  cancel(): void
}

/** Why a provider gave no usable answer. `sent` tells whether the request may have reached it. */
export type UpstreamFailureReason =
  | 'timeout'
  | 'connect'
  | 'reset'
  | 'redirect'
  | 'blocked_address'
  | 'too_large'
  | 'encoding'
  /** Cut by ourselves, at the end of an orderly stop. */
  | 'stopping'

/** The one error class that {@link Upstream.send} rejects with carries these. */
export type UpstreamFailure = {
  readonly reason: UpstreamFailureReason
  /** False only when it is certain that no byte of the request left. */
  readonly sent: boolean
  /** True when the head of an answer had arrived before it failed. */
  readonly answered: boolean
  /** HTTP status of that head. */
  readonly status?: number
}

/** What a provider made of a request, whole. */
export type UpstreamAnswer = UpstreamResponse | { readonly failure: UpstreamFailure }

/** How a target URL may look and where it may point. */
export interface Upstream {
  /** @returns the whole answer, any status; or a failure, as a value, since failures are ordinary here */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  /**
   * Like {@link Upstream.send}, but hands a good answer (2xx) of type `text/event-stream` over while it is still
   * coming. Any other answer comes whole.
   */
  open(request: UpstreamRequest): Promise<UpstreamAnswer | UpstreamStream>
  /**
   * Checks a target URL at registration: form, scheme, and every address its host resolves to now.
   * @throws GatewayError UNSAFE_TARGET_URL with `detail.reason`
   */
  assertSafeTarget(url: string): Promise<void>
}

/** A key that signs what goes to providers. `id` is the thumbprint of its public half (RFC 7638). */
export type SigningKey = { readonly id: string; readonly privateKey: KeyObject }

/** A secret of a provider that requests to it are signed with by HMAC-SHA256. `id` is the keyid of the signatures. */
export type SigningSecret = { readonly id: string; readonly key: KeyObject }

/** What of a request is signed. `targetUri` is exactly what goes over the wire: origin, path and query. */
export type MessageToSign = {
  readonly method: string
  readonly targetUri: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Absent or null: the gateway's own key signs. */
  readonly secret?: SigningSecret | null
}

/** Gives the headers of a signature as name, value, name, value (RFC 9421). */
export type SignMessage = (message: MessageToSign) => readonly string[]
