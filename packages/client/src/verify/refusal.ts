/** Why a request is refused. */
export type RefusalReason =
  | 'signature_missing'
  | 'signature_malformed'
  | 'not_covered'
  | 'stale'
  | 'unknown_key'
  | 'digest_mismatch'
  | 'signature_invalid'
  | 'other_provider'
  | 'replayed'
  | 'keys_unavailable'
  | 'body_too_large'

const statusOf: Readonly<Partial<Record<RefusalReason, number>>> = {
  other_provider: 403,
  replayed: 409,
  keys_unavailable: 503,
  body_too_large: 413,
}

/** Thrown for a request that fails verification. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: RefusalReason
  /** HTTP status to answer with: 401, 403, 409, 413 or 503. */
  readonly status: number

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.status = statusOf[reason] ?? 401
  }

  /** The status by the name under which Fastify looks for it. */
  get statusCode(): number {
    return this.status
  }

  /** Body of the answer. */
  toBody(): { error: { reason: RefusalReason; message: string } } {
    const { reason, message } = this
    return { error: { reason, message } }
  }
}
