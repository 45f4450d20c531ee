import type { KeyObject } from 'node:crypto'

/** Interfaces of providers' servers, and of signatures of requests to them. Types only, as in ports.ts. */

/** A request to a provider. The body is sent unchanged; only `headers` are sent. */
export type UpstreamRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
  /** Wallet that the request is made for, with which it shares the connections to a server; absent: the gateway itself. */
  readonly owner?: string
  /** Total time from start to the last byte, or to the head of a stream that is handed over, in ms. */
  readonly timeoutMs: number
  /** Limits of a stream that is handed over, from its head on; absent: those of any answer. */
  readonly stream?: StreamLimits
  /** Maximum decoded bytes of the answer. */
  readonly responseBytesMax: number
  /** Maximum decoded bytes of a JSON answer, which is parsed; absent: the same. */
  readonly jsonBytesMax?: number
  /**
   * Omits the gateway's signature. A signature marks a request as a call or a probe, so requests with our content to
   * URLs chosen by others than the provider must not have it.
   */
  readonly isUnsigned?: true
  /** Signs by HMAC-SHA256 with this secret of the provider; absent or null: by Ed25519 with the gateway's key. */
  readonly signingSecret?: SigningSecret | null
}

/** Limits of a stream after its head: its duration and its longest silence, in ms, and its decoded bytes. */
export type StreamLimits = { readonly maxMs: number; readonly idleMs: number; readonly bytesMax: number }

/** A complete answer of a provider. */
export type UpstreamResponse = {
  readonly status: number
  readonly contentType: string
  /** Pause that it requests (`Retry-After`), in seconds; of refusals only. */
  readonly retryAfterSeconds: number | null
  readonly body: Buffer
}

/** An answer of which only the head has arrived. Unread bytes stay on the wire. */
export type UpstreamStream = {
  readonly status: number
  readonly contentType: string
  /** Returns the next piece; null at the end. A failure, also by timeout or size, ends the stream too. */
  read(): Promise<Buffer | null | { readonly failure: UpstreamFailure }>
  /** Drops the provider; later reads fail. */
  cancel(): void
}

/** Why a provider gave no usable answer. `sent`: the request may have reached it. */
export type UpstreamFailureReason =
  | 'timeout'
  | 'connect'
  | 'reset'
  | 'redirect'
  | 'blocked_address'
  | 'too_large'
  | 'encoding'
  /** Cut by the gateway, at the end of a graceful shutdown. */
  | 'stopping'

/** A failure of {@link Upstream.send}. */
export type UpstreamFailure = {
  readonly reason: UpstreamFailureReason
  /** False only if certainly no byte of the request was sent. */
  readonly sent: boolean
  /** True if the head of an answer arrived before the failure. */
  readonly answered: boolean
  /** HTTP status of that head. */
  readonly status?: number
  /** For `timeout`: true if the stream was idle for too long, absent if the whole request took too long. */
  readonly isIdle?: true
  /** For `connect`: true if the calls in flight, of the owner or of all, use every connection to the server. */
  readonly isCrowded?: true
}

/** Result of a request to a provider. */
export type UpstreamAnswer = UpstreamResponse | { readonly failure: UpstreamFailure }

/** Rules for the form and the address of target URLs. */
export interface Upstream {
  /** @returns the complete answer, any status; or a failure, as a value, since failures are ordinary here */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  /**
   * Like {@link Upstream.send}, but returns a successful answer (2xx) of type `text/event-stream` as soon as its head
   * arrives. Other answers are complete.
   */
  open(request: UpstreamRequest): Promise<UpstreamAnswer | UpstreamStream>
  /**
   * Checks a target URL at registration: form, scheme, and every address that its host resolves to.
   * @param owner wallet that registers it
   * @throws GatewayError UNSAFE_TARGET_URL with `detail.reason`; UNAVAILABLE while too many names are resolved
   */
  assertSafeTarget(url: string, owner: string): Promise<void>
}

/** A key that signs requests to providers. `id` is the thumbprint of its public key (RFC 7638). */
export type SigningKey = { readonly id: string; readonly privateKey: KeyObject }

/** A secret of a provider that signs requests to it by HMAC-SHA256. `id` is the keyid of the signatures. */
export type SigningSecret = { readonly id: string; readonly key: KeyObject }

/** Signed parts of a request. `targetUri` is exactly as sent: origin, path and query. */
export type MessageToSign = {
  readonly method: string
  readonly targetUri: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | null
  /** Absent or null: the gateway's own key signs. */
  readonly secret?: SigningSecret | null
}

/** Returns the headers of a signature as name, value, name, value (RFC 9421). */
export type SignMessage = (message: MessageToSign) => readonly string[]
