import type { AnswerOf, Client } from './client.ts'

/** Whatever signs a text in the name of a wallet, such as an account of viem. */
export type Wallet = {
  readonly address: string
  signMessage(input: { message: string }): Promise<string>
}

/**
 * Signs a wallet in by a challenge of the gateway (EIP-4361).
 *
 * @returns the session: `token`, and the seconds that it lives
 * @throws GatewayError CHALLENGE_EXPIRED when signing took longer than the challenge lives, VERIFICATION_FAILED
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
