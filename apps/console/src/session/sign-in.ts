import { GatewayError } from '@farebox/client/errors'
import { api } from '../api.ts'
import { WalletError } from '../wallet/errors.ts'
import { loadWallets } from '../wallet/use-wallet.ts'
import { currentSession, keepSession, type Session } from './session.ts'

/**
 * Signs in by a wallet: connects it, has it sign the gateway's challenge (EIP-4361), and keeps the session.
 *
 * @param choice   id of the wallet
 * @param expected the only address that will do, or null
 * @throws WalletError, GatewayError
 */
export async function signInWith(choice: string, expected: string | null): Promise<Session> {
  const engine = await loadWallets()
  const address = await engine.connect(choice)
  if (expected !== null && expected.toLowerCase() !== address.toLowerCase())
    throw new WalletError('OTHER_ACCOUNT')
  const session = await prove(engine, address)
  keepSession(session)
  return session
}

/** A challenge lives for minutes: whoever takes longer to sign gets another one. */
async function prove(
  engine: Awaited<ReturnType<typeof loadWallets>>,
  address: `0x${string}`,
  isAgain = false,
): Promise<Session> {
  const { challenge } = await api.issueChallenge({ query: { address } })
  const signature = await engine.signMessage(address, challenge)
  try {
    const { token, expires_in } = await api.verifyChallenge({
      body: { address, message: challenge, signature },
    })
    return { address, token, expiresAt: Date.now() + expires_in * 1_000 }
  } catch (error) {
    const isLate = error instanceof GatewayError && error.code === 'CHALLENGE_EXPIRED'
    if (!isLate || isAgain) throw error
    return prove(engine, address, true)
  }
}

/**
 * Ends the session at the gateway and in every tab. A gateway that is away, or has ended it already, keeps nobody
 * signed in here.
 */
export async function signOut(): Promise<void> {
  const session = currentSession()
  if (session === null) return
  await api.logout({ headers: { authorization: `Bearer ${session.token}` } }).catch(() => undefined)
  keepSession(null)
}
