import { GatewayError } from '@farebox/wire/errors'
import type { FastifyRequest } from 'fastify'
import { mayAnswer } from '../../http/contract.ts'
import type { KeyRing } from './open-key-ring.ts'
import { readOwnSignature, signatureBase } from './own-signature-rules.ts'

/**
 * Makes a hook for `onRequest` of every route: refuses a call of ours that comes back to a paid door. Two services that
 * target the gateway would else turn one call into as many as fit into its time. Only operations that name LOOP_DETECTED
 * in their contract look; a request without our headers costs nothing.
 *
 * @param deps.publicUrl URL by which clients reach this gateway, without a trailing slash
 * @throws GatewayError LOOP_DETECTED with `detail.invocationId`
 */
export function refuseLoops(deps: { ring: Pick<KeyRing, 'verifies'>; publicUrl: string }) {
  return async (request: FastifyRequest): Promise<void> => {
    const invocationId = request.headers['farebox-invocation-id']
    if (typeof invocationId !== 'string') return
    const { contract } = request.routeOptions.config
    if (contract === undefined || !mayAnswer(contract, 'LOOP_DETECTED')) return
    if (isOurs(deps, request)) throw new GatewayError('LOOP_DETECTED', { invocationId })
  }
}

function isOurs(
  { ring, publicUrl }: { ring: Pick<KeyRing, 'verifies'>; publicUrl: string },
  { method, url, host, headers }: FastifyRequest,
): boolean {
  const signed = readOwnSignature(headers)
  if (signed === null) return false
  // As the provider wrote the URL of the gateway: by its public name, or by another that leads here.
  const origins = new Set([publicUrl, `https://${host}`, `http://${host}`])
  return [...origins].some(origin => {
    const base = signatureBase(signed, { method, targetUri: origin + url, headers })
    return base !== null && ring.verifies(signed.keyId, Buffer.from(base), signed.signature)
  })
}
