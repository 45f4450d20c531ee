import { randomBytes } from 'node:crypto'
import { GatewayError } from '@farebox/wire/errors'
import { parseSIWxHeader, type SIWxPayload, verifySIWxSignature } from '@x402/extensions/sign-in-with-x'
import type { Address } from 'viem'
import type { Deps } from '../../ports.ts'
import { networkOf } from './networks.ts'
import { useSignIn } from './store.ts'

const EXTENSION = 'sign-in-with-x'
/** Lifetime of a sign-in, in seconds. */
const LIFETIME_SECONDS = 300
/** How far gateways may differ in what they take for the time of the database, in ms. */
const SKEW_MS = 5_000
const NONCE_BYTES = 16
const HEADER_LENGTH_MAX = 8_192
/** Maximum resources in a message; ours asks for none, and the parser of the library takes long for many. */
const RESOURCES_MAX = 10

type SignInDeps = Pick<Deps, 'rawDb' | 'chain' | 'publicUrl' | 'clock'>

/** Returns the message that a client signs to spend its balance at a resource, with a nonce of its own. */
export function signInTerms(
  { chain, publicUrl, clock }: Pick<Deps, 'chain' | 'publicUrl' | 'clock'>,
  resourceUrl: string,
) {
  const now = clock.now() - SKEW_MS
  const info = {
    domain: new URL(publicUrl).host,
    uri: resourceUrl,
    statement: 'Pay for this call from my Farebox balance.',
    version: '1',
    nonce: randomBytes(NONCE_BYTES).toString('hex'),
    issuedAt: new Date(now).toISOString(),
    expirationTime: new Date(now + LIFETIME_SECONDS * 1_000).toISOString(),
  }
  const supportedChains = [{ chainId: networkOf(chain.facts), type: 'eip191' }]
  return { [EXTENSION]: { info, supportedChains, schema: { type: 'object' } } }
}

/**
 * Returns the wallet that signed in for a resource by the header `sign-in-with-x`, and uses up its nonce.
 *
 * @param headers names in lower case
 * @returns null without the header; else the wallet in lower case, or why it is refused
 * @throws GatewayError INVALID_REQUEST for a malformed header; UNAVAILABLE if the chain is needed and unreachable
 */
export async function readSignIn(
  deps: SignInDeps,
  headers: Readonly<Record<string, unknown>>,
  resourceUrl: string,
): Promise<{ wallet: Address } | { refused: string } | null> {
  const header = headers[EXTENSION]
  if (header === undefined) return null
  const message = parse(header)
  if (message.chainId !== networkOf(deps.chain.facts)) return { refused: 'invalid_siwx_chain_id' }
  if (message.uri !== resourceUrl) return { refused: 'invalid_siwx_uri_mismatch' }
  if (message.domain !== new URL(deps.publicUrl).host) return { refused: 'invalid_siwx_domain_mismatch' }
  const untimely = judgeTimes(message, deps.clock.now())
  if (untimely !== null) return { refused: untimely }
  let unreachable: unknown = null
  const verified = await verifySIWxSignature(message, {
    evmVerifier: async input => {
      try {
        return await deps.chain.verifyMessage(input)
      } catch (error) {
        // The library takes every failure for an invalid signature.
        unreachable = error
        throw error
      }
    },
  }).catch((error: unknown) => {
    // The library puts the members into a message before it handles errors: it throws for those that make none.
    throw malformed(error)
  })
  if (unreachable !== null) throw unreachable
  if (!verified.isValid) return { refused: verified.invalidReason }
  const expiresAt = new Date(Date.parse(message.issuedAt) + LIFETIME_SECONDS * 1_000)
  const isFirst = await useSignIn(deps.rawDb, message.nonce, expiresAt)
  return isFirst ? { wallet: message.address.toLowerCase() as Address } : { refused: 'invalid_siwx_nonce' }
}

/**
 * Returns why a message is not valid at a time, in ms, or null. The library judges by the clock of the machine, and
 * refuses what a gateway with another one has issued.
 */
function judgeTimes({ issuedAt, expirationTime, notBefore }: SIWxPayload, now: number): string | null {
  const ageMs = now - Date.parse(issuedAt)
  if (ageMs < 0) return 'invalid_siwx_issued_at_in_future'
  if (!(ageMs <= LIFETIME_SECONDS * 1_000)) return 'invalid_siwx_issued_at_too_old'
  if (expirationTime && !(Date.parse(expirationTime) >= now)) return 'invalid_siwx_expired'
  if (notBefore && !(Date.parse(notBefore) <= now)) return 'invalid_siwx_not_yet_valid'
  return null
}

function parse(header: unknown) {
  try {
    if (typeof header !== 'string' || header.length > HEADER_LENGTH_MAX) throw new RangeError()
    const message = parseSIWxHeader(header)
    if ((message.resources?.length ?? 0) > RESOURCES_MAX) throw new RangeError()
    return message
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause: unknown): GatewayError {
  const message = `${EXTENSION}: Must be a signed message (EIP-4361), as JSON in base64.`
  return new GatewayError('INVALID_REQUEST', { header: EXTENSION }, { message, cause })
}
