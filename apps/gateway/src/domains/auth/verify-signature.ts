import type { SessionAnswer, WalletAddress } from '@farebox/wire/auth'
import type { Deps } from '../../ports.ts'
import { ensureWallet } from './ensure-wallet.ts'
import { proveWallet, useChallenge } from './prove-wallet.ts'
import { SESSION_TTL_SECONDS, signSession } from './session-token.ts'

/**
 * Signs a wallet in: uses up a signed login challenge and returns a session token. Stores the wallet if it is new.
 *
 * @param proof see {@link proveWallet}
 * @throws GatewayError CHALLENGE_EXPIRED, VERIFICATION_FAILED, UNAVAILABLE, as {@link proveWallet} does
 */
export async function verifySignature(
  deps: Pick<Deps, 'config' | 'db' | 'chain' | 'clock' | 'ids'>,
  proof: { address: WalletAddress; message: string; signature: string },
): Promise<SessionAnswer> {
  const proven = await proveWallet(deps, 'login', proof)
  await deps.db.transaction(async tx => {
    await useChallenge(tx, deps.clock, proven)
    await ensureWallet(tx, proven.wallet)
  })
  const token = await signSession(deps, proven.wallet)
  return {
    success: true,
    token,
    access_token: token,
    token_type: 'Bearer',
    expires_in: SESSION_TTL_SECONDS,
  }
}
