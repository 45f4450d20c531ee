import { createHmac, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayAnswer } from '../../http/openapi/contract.ts'
import type { SigningSecret } from '../../ports.ts'
import type { KeyRing } from './open-key-ring.ts'
import { type OwnSignature, readOwnSignature, signatureBase } from './own-signature-rules.ts'

type LoopDeps = {
  readonly ring: Pick<KeyRing, 'verifies'>
  readonly publicUrl: string
  readonly findSecret: (keyId: string) => Promise<SigningSecret | null>
}

/** What tells whether a signature of these bytes is of a gateway on this database. */
type Verifies = (base: string) => boolean

/**
 * Makes a hook for `onRequest` of every route: refuses a call of ours that comes back to a paid door. Two services that
 * target the gateway would else turn one call into as many as fit into its time. Only operations that name LOOP_DETECTED
 * in their contract look; a request without our headers costs nothing.
 *
 * @param deps.publicUrl  URL by which clients reach this gateway, without a trailing slash
 * @param deps.findSecret reads the signing secret of a key id; null when no provider has it
 * @throws GatewayError LOOP_DETECTED with `detail.invocationId`
 */
export function refuseLoops(deps: LoopDeps) {
  // Not an async function: every request would wait for a promise, and hardly one has the header.
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

/** Returns the id of the call that a request says it belongs to; null when there is none, or its operation does not look. */
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
  // As the provider wrote the URL of the gateway: by its public name, or by another that leads here.
  const origins = new Set([deps.publicUrl, `https://${host}`, `http://${host}`])
  return [...origins].some(origin => {
    const base = signatureBase(signed, { method, targetUri: origin + url, headers })
    return base !== null && verifies(base)
  })
}

/** A provider can make signatures by its secret, too: they refuse its own requests, and nobody else's. */
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
