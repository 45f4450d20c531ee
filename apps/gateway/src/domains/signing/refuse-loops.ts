import { createHmac, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayAnswer } from '../../http/openapi/contract.ts'
import type { SigningSecret } from '../../upstream-ports.ts'
import type { KeyRing } from './open-key-ring.ts'
import { type OwnSignature, readOwnSignature, signatureBase } from './own-signature-rules.ts'

type LoopDeps = {
  readonly ring: Pick<KeyRing, 'verifies'>
  readonly publicUrl: string
  readonly findSecret: (keyId: string) => Promise<SigningSecret | null>
}

/** Returns true if a gateway on this database made the signature of these bytes. */
type Verifies = (base: string) => boolean

/**
 * Returns an `onRequest` hook for all routes that rejects the gateway's own calls when they come back to a paid
 * operation. Otherwise two services that target the gateway could multiply a call until it times out. Only operations
 * with LOOP_DETECTED in their contract check this; requests without the gateway's headers cost nothing.
 *
 * @param deps.publicUrl  public URL of this gateway, without a trailing slash
 * @param deps.findSecret returns the signing secret of a key id; null if no provider has it
 * @throws GatewayError LOOP_DETECTED with `detail.invocationId`
 */
export function refuseLoops(deps: LoopDeps) {
  // Not an async function, as every request would wait for a promise, and hardly any has the header.
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    const invocationId = claimedCall(request)
    if (invocationId === null) {
      done()
      return
    }
    isOurs(deps, request).then(
      isLoop => done(isLoop ? new GatewayError('LOOP_DETECTED', { invocationId }) : undefined),
      done,
    )
  }
}

/** Returns the id of the call that a request claims to belong to; null if none, or if its operation does not check. */
function claimedCall({ headers, routeOptions }: FastifyRequest): string | null {
  const invocationId = headers['farebox-invocation-id']
  if (typeof invocationId !== 'string') return null
  const { contract } = routeOptions.config
  return contract !== undefined && mayAnswer(contract, 'LOOP_DETECTED') ? invocationId : null
}

async function isOurs(deps: LoopDeps, { method, url, host, headers }: FastifyRequest): Promise<boolean> {
  const signed = readOwnSignature(headers)
  if (signed === null) return false
  const verifies = await verifierOf(deps, signed)
  // The provider's target may use the public URL or another name of this gateway.
  const origins = new Set([deps.publicUrl, `https://${host}`, `http://${host}`])
  return [...origins].some(origin => {
    const base = signatureBase(signed, { method, targetUri: origin + url, headers })
    return base !== null && verifies(base)
  })
}

/**
 * Returns the verifier for a signature. Providers can sign with their own HMAC secret as well, which only rejects their
 * own requests.
 */
async function verifierOf({ ring, findSecret }: LoopDeps, signed: OwnSignature): Promise<Verifies> {
  const { alg, keyId, signature } = signed
  if (alg === 'ed25519') return base => ring.verifies(keyId, Buffer.from(base), signature)
  const secret = await findSecret(keyId)
  if (secret === null) return () => false
  return base => {
    const mac = createHmac('sha256', secret.key).update(base).digest()
    return mac.length === signature.length && timingSafeEqual(mac, signature)
  }
}
