import type { ChallengeAnswer, WalletAddress } from '@farebox/wire/auth'
import type { Deps } from '../../ports.ts'
import { challengeDigest, challengeDomain, challengeText } from './challenge-text.ts'
import type { ChallengeKind } from './rules.ts'
import { insertChallenge } from './store.ts'

/** Lifetime of a challenge, in ms. */
export const CHALLENGE_TTL_MS = 300_000
const NONCE_BYTES = 16

/**
 * Issues a challenge (EIP-4361) for a wallet to sign. It is valid once, for five minutes and for one kind of act.
 *
 * @param wallet.address in lower case
 */
export async function issueChallenge(
  deps: Pick<Deps, 'db' | 'chain' | 'clock' | 'ids' | 'publicUrl'>,
  wallet: { address: WalletAddress; kind: ChallengeKind },
): Promise<ChallengeAnswer> {
  const { publicUrl } = deps
  const now = deps.clock.now()
  const expiresAt = now + CHALLENGE_TTL_MS
  const challenge = challengeText({
    ...wallet,
    publicUrl,
    chainId: deps.chain.facts.chainId,
    nonce: deps.ids.nonce(NONCE_BYTES),
    issuedAt: now,
    expiresAt,
  })
  await insertChallenge(deps.db, {
    ...wallet,
    digest: challengeDigest(challenge),
    expiresAt: new Date(expiresAt),
    now: new Date(now),
  })
  return {
    success: true,
    challenge,
    domain: challengeDomain(publicUrl),
    expiresAt: new Date(expiresAt).toISOString(),
  }
}
