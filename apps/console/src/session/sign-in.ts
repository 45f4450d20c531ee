import { GatewayError } from '@farebox/client/errors'
import { signIn } from '@farebox/client/sign-in'
import { api } from '../api.ts'
import { WalletError } from '../wallet/errors.ts'
import type { Pairing } from '../wallet/phone.ts'
import { loadWallets } from '../wallet/use-wallet.ts'
import { currentSession, keepSession, type Session } from './session.ts'

/**
 * Signs in by a wallet: connects it, has it sign the gateway's challenge (EIP-4361), and keeps the session.
 *
 * @param choice   id of the wallet
 * @param expected the only address that will do, or null
 * @param pairing  for a wallet on a phone: it is paired first, and `onPaired` told before it is to sign
 * @throws WalletError, GatewayError
 */
export async function signInWith(
  choice: string,
  expected: string | null,
  pairing?: Pairing & { readonly onPaired: () => void },
): Promise<Session> {
  const engine = await loadWallets()
  const address = await engine.connect(choice, pairing)
  if (expected !== null && expected.toLowerCase() !== address.toLowerCase()) {
    await engine.leavePhone() // it has shown this account only: another takes another pairing
    throw new WalletError('OTHER_ACCOUNT')
  }
  pairing?.onPaired()
  const session = await prove(engine, address)
  pairing?.signal.throwIfAborted()
  keepSession(session)
  return session
}

/** A challenge lives for minutes: whoever takes longer to sign gets another one. */
async function prove(
  engine: Awaited<ReturnType<typeof loadWallets>>,
  address: `0x${string}`,
  isAgain = false,
): Promise<Session> {
  const wallet = {
    address,
    signMessage: ({ message }: { message: string }) => engine.signMessage(address, message),
  }
  try {
    const { token, expires_in } = await signIn(api, wallet)
    return { address, token, expiresAt: Date.now() + expires_in * 1_000 }
  } catch (error) {
    const isLate = error instanceof GatewayError && error.code === 'CHALLENGE_EXPIRED'
    if (!isLate || isAgain) throw error
    return prove(engine, address, true)
  }
}

/**
 * Ends the session at the gateway and in every tab. A gateway that is away, or has ended it already, keeps nobody
 * signed in here. A phone is let go.
 */
export async function signOut(): Promise<void> {
  const session = currentSession()
  if (session === null) return
  await api.logout({ headers: { authorization: `Bearer ${session.token}` } }).catch(() => undefined)
  keepSession(null)
  // Wherever wallets are loaded, they hear of it; somewhere they must be.
  loadWallets().catch(() => undefined)
}
