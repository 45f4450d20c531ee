import { type AnswerOf, type Client, createClient } from './client.ts'
import type { ClientOptions } from './transport.ts'

/** Signs messages with the key of a wallet: an account of viem that has its key, or anything of this shape. */
export type SigningAccount = {
  readonly address: string
  signMessage(input: { message: string }): Promise<string>
}

/** Signs messages through a wallet: a wallet client of viem that has an account, such as one of a browser wallet. */
export type SigningClient = {
  readonly account: { readonly address: string }
  signMessage(input: { message: string }): Promise<string>
}

/** A wallet that can sign in. */
export type Wallet = SigningAccount | SigningClient

/**
 * Signs a wallet in with a challenge of the gateway (EIP-4361).
 *
 * @returns the session: `token` and its lifetime in seconds
 * @throws GatewayError CHALLENGE_EXPIRED when signing took longer than the challenge is valid, VERIFICATION_FAILED
 * @example
 * const { token } = await signIn(createClient({ baseUrl }), privateKeyToAccount(key))
 */
export async function signIn(
  api: Pick<Client, 'issueChallenge' | 'verifyChallenge'>,
  wallet: Wallet,
): Promise<AnswerOf<'verifyChallenge'>> {
  const { address } = 'address' in wallet ? wallet : wallet.account
  const { challenge: message } = await api.issueChallenge({ query: { address } })
  const signature = await wallet.signMessage({ message })
  return api.verifyChallenge({ body: { address, message, signature } })
}

/** Options of a client that signs in by itself. */
export type OwnerOptions = Omit<ClientOptions, 'token' | 'onUnauthorized' | 'credential'> & {
  readonly wallet: Wallet
}

/**
 * Signs a wallet in and returns a client with its session: of an owner, a provider or an admin. The wallet signs again
 * when the session has ended, once for all requests that find out at the same time.
 *
 * @param options its wallet, and those of every client
 * @throws GatewayError see {@link signIn}
 * @example
 * const owner = await createOwner({ baseUrl: 'http://127.0.0.1:8402', wallet: privateKeyToAccount(key) })
 * const { balance } = await owner.readBalance()
 */
export async function createOwner({ wallet, ...options }: OwnerOptions): Promise<Client> {
  const visitor = createClient(options)
  let session = (await signIn(visitor, wallet)).token
  let renewal: Promise<string> | null = null
  const renew = async () => {
    try {
      session = (await signIn(visitor, wallet)).token
      return session
    } finally {
      renewal = null
    }
  }
  return createClient({
    ...options,
    token: () => session,
    async onUnauthorized(_, refused) {
      // Another request has renewed it before this refusal arrived.
      if (refused !== session) return session
      renewal ??= renew()
      return renewal
    },
  })
}
