import { parseWallet, type WalletAddress } from '@farebox/wire/auth'
import { errors, jwtVerify, SignJWT } from 'jose'
import { getAddress } from 'viem'
import type { Deps } from '../../ports.ts'

/** Lifetime of a session, in seconds. */
export const SESSION_TTL_SECONDS = 86_400

const ALGORITHM = 'HS256'
const ISSUER = 'farebox'
const AUDIENCE = 'farebox:owner'
const JTI_BYTES = 16

/** Contents of a session token. */
export type Session = { readonly wallet: WalletAddress; readonly jti: string; readonly expiresAt: Date }

/** Creates a session token for a wallet: a JWT (RFC 7519) with HMAC-SHA256. */
export function signSession(
  deps: Pick<Deps, 'config' | 'clock' | 'ids'>,
  wallet: WalletAddress,
): Promise<string> {
  const now = Math.floor(deps.clock.now() / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(getAddress(wallet))
    .setJti(deps.ids.nonce(JTI_BYTES))
    .setIssuedAt(now)
    .setExpirationTime(now + SESSION_TTL_SECONDS)
    .sign(secretOf(deps))
}

/**
 * Verifies a session token: signature, issuer, audience and time. Does not check whether it was revoked.
 *
 * @returns null unless {@link signSession} made the token with this secret and it is valid now
 */
export async function readSessionToken(
  deps: Pick<Deps, 'config' | 'clock'>,
  token: string,
): Promise<Session | null> {
  try {
    const { payload } = await jwtVerify(token, secretOf(deps), {
      // Pinned, so that the token's header does not choose the algorithm (RFC 8725, 3.1).
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'jti', 'iat', 'exp'],
      currentDate: new Date(deps.clock.now()),
    })
    // A valid signature does not guarantee the types of the claims.
    const { sub, jti, exp }: Record<string, unknown> = payload
    if (typeof sub !== 'string' || typeof jti !== 'string' || typeof exp !== 'number') return null
    const [wallet, expiresAt] = [parseWallet(sub), new Date(exp * 1_000)]
    return wallet === null || Number.isNaN(expiresAt.getTime()) ? null : { wallet, jti, expiresAt }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

function secretOf({ config }: Pick<Deps, 'config'>): Uint8Array {
  if (config.JWT_SECRET === undefined) throw new Error('JWT_SECRET is not set.')
  return Buffer.from(config.JWT_SECRET)
}
