import type { AnswerOf, Client } from './client.ts'

/** Signs messages with the key of a wallet, such as an account of viem. */
export type Wallet = {
  readonly address: string
  signMessage(input: { message: string }): Promise<string>
}

/**
 * Signs a wallet in with a challenge of the gateway (EIP-4361).
 *
 * @returns the session: `token` and its lifetime in seconds
 * @throws GatewayError CHALLENGE_EXPIRED when signing took longer than the challenge is valid, VERIFICATION_FAILED
 */
export async function signIn(
  api: Pick<Client, 'issueChallenge' | 'verifyChallenge'>,
  wallet: Wallet,
): Promise<AnswerOf<'verifyChallenge'>> {
  const { address } = wallet
  const { challenge: message } = await api.issueChallenge({ query: { address } })
  const signature = await wallet.signMessage({ message })
  return api.verifyChallenge({ body: { address, message, signature } })
}
