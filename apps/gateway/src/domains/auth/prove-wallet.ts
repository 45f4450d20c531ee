import type { WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import type { Clock, Deps, Tx } from '../../ports.ts'
import { challengeDigest } from './challenge-text.ts'
import { type ChallengeKind, judgeChallenge, parseSignature } from './rules.ts'
import { deleteChallenge, findChallenge } from './store.ts'

/** A challenge that its wallet has signed, not used up yet. Only {@link proveWallet} makes one. */
export type ProvenChallenge = { readonly digest: Buffer; readonly wallet: WalletAddress }

/**
 * Checks that a wallet has signed a challenge of this kind that was issued to it. Uses nothing up: that is done
 * by {@link useChallenge}, in the transaction of the act that was signed for.
 *
 * @param proof.address   of the wallet, in lower case
 * @param proof.message   the challenge, exactly as it was issued
 * @param proof.signature hex with or without 0x: EIP-191 by key, ERC-1271 or ERC-6492 by contract
 * @throws GatewayError CHALLENGE_EXPIRED for a text that is unknown, used or expired; VERIFICATION_FAILED for a
 *   signature that does not hold, a challenge of the other kind or of another wallet; UNAVAILABLE when the chain
 *   has to be asked and is out of reach
 */
export async function proveWallet(
  deps: Pick<Deps, 'db' | 'chain' | 'clock'>,
  kind: ChallengeKind,
  proof: { address: WalletAddress; message: string; signature: string },
): Promise<ProvenChallenge> {
  const { address, message } = proof
  const signature = parseSignature(proof.signature)
  if (signature === null) throw new GatewayError('VERIFICATION_FAILED')

  // Read before the signature is checked, so that only texts of ours ever cost a call to the chain.
  const digest = challengeDigest(message)
  const fault = judgeChallenge(await findChallenge(deps.db, digest), { address, kind, now: deps.clock.now() })
  if (fault !== null) throw new GatewayError(fault)

  const isSigned = await deps.chain.verifyMessage({ address, message, signature })
  if (!isSigned) throw new GatewayError('VERIFICATION_FAILED')
  return { digest, wallet: address }
}

/**
 * Uses a proven challenge up. Whoever else holds the same proof comes too late from then on.
 *
 * @throws GatewayError CHALLENGE_EXPIRED when it was used or has expired since it was proven
 */
export async function useChallenge(tx: Tx, clock: Clock, proven: ProvenChallenge): Promise<void> {
  const isFirst = await deleteChallenge(tx, proven.digest, new Date(clock.now()))
  if (!isFirst) throw new GatewayError('CHALLENGE_EXPIRED')
}
