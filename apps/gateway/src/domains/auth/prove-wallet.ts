import type { WalletAddress } from '@farebox/wire/auth'
import { GatewayError } from '@farebox/wire/errors'
import type { Clock, Deps, Tx } from '../../ports.ts'
import { challengeDigest } from './challenge-text.ts'
import { type ChallengeKind, judgeChallenge, parseSignature } from './rules.ts'
import { deleteChallenge, findChallenge } from './store.ts'

/** A challenge that its wallet has signed and that is not used yet. Only {@link proveWallet} returns one. */
export type ProvenChallenge = { readonly digest: Buffer; readonly wallet: WalletAddress }

/**
 * Checks that a wallet has signed a challenge of this kind that was issued to it. Does not use the challenge up;
 * {@link useChallenge} does, in the transaction of the act.
 *
 * @param proof.address   of the wallet, in lower case
 * @param proof.message   the challenge, exactly as issued
 * @param proof.signature hex with or without 0x: EIP-191 by key, ERC-1271 or ERC-6492 by contract
 * @throws GatewayError CHALLENGE_EXPIRED for a text that is unknown, used or expired; VERIFICATION_FAILED for an
 * invalid signature, and for a challenge of another kind or wallet; UNAVAILABLE when the chain is needed and
 * unreachable
 */
export async function proveWallet(
  deps: Pick<Deps, 'db' | 'chain' | 'clock'>,
  kind: ChallengeKind,
  proof: { address: WalletAddress; message: string; signature: string },
): Promise<ProvenChallenge> {
  const { address, message } = proof
  const signature = parseSignature(proof.signature)
  if (signature === null) throw new GatewayError('VERIFICATION_FAILED')

  // Checked before the signature, so that only our own texts can cause a call to the chain.
  const digest = challengeDigest(message)
  const fault = judgeChallenge(await findChallenge(deps.db, digest), { address, kind, now: deps.clock.now() })
  if (fault !== null) throw new GatewayError(fault)

  const isSigned = await deps.chain.verifyMessage({ address, message, signature })
  if (!isSigned) throw new GatewayError('VERIFICATION_FAILED')
  return { digest, wallet: address }
}

/**
 * Uses up a proven challenge. Later uses of the same proof fail.
 *
 * @throws GatewayError CHALLENGE_EXPIRED when it was used or has expired since it was proven
 */
export async function useChallenge(tx: Tx, clock: Clock, proven: ProvenChallenge): Promise<void> {
  const isFirst = await deleteChallenge(tx, proven.digest, new Date(clock.now()))
  if (!isFirst) throw new GatewayError('CHALLENGE_EXPIRED')
}
