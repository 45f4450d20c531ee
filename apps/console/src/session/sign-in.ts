import { GatewayError } from '@farebox/client/errors'
import { signIn } from '@farebox/client/sign-in'
import { api } from '../api.ts'
import { WalletError } from '../wallet/errors.ts'
import type { Pairing } from '../wallet/phone.ts'
import { loadWallets } from '../wallet/use-wallet.ts'
import { currentSession, keepSession, type Session } from './session.ts'

/**
 * Signs in with a wallet: connects it, has it sign the gateway's challenge (EIP-4361) and stores the session.
 *
 * @param choice   id of the wallet
 * @param expected the only address to accept, or null
 * @param pairing  for a wallet on a phone: pairs it first and calls `onPaired` before the signature is requested
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
    await engine.leavePhone() // the phone shared only this account; another account needs another pairing
    throw new WalletError('OTHER_ACCOUNT')
  }
  pairing?.onPaired()
  const session = await prove(engine, address)
  pairing?.signal.throwIfAborted()
  keepSession(session)
  return session
}

/** Signs the challenge, and fetches another one if it expired while the person took their time. */
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
 * Ends the session at the gateway and in every tab, even if the gateway cannot be reached. Disconnects a paired
 * phone.
 */
export async function signOut(): Promise<void> {
  const session = currentSession()
  if (session === null) return
  await api.logout({ headers: { authorization: `Bearer ${session.token}` } }).catch(() => undefined)
  keepSession(null)
  // The wallet engine disconnects a phone when the session ends, so it must be loaded.
  loadWallets().catch(() => undefined)
}
