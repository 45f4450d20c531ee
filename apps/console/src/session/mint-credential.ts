import { api, queryClient } from '../api.ts'
import { keepCredential } from './credential-store.ts'
import { currentSession } from './session.ts'
import { requestSignIn } from './sign-in-request.ts'

/** Spending cap of a credential created with a click, in USDC. */
export const TRIAL_LIMIT = '0.5'
const DAY_SECONDS = 86_400
const RPM = 60

/**
 * Creates a credential for trying services, signing in first if needed, and stores it for this tab.
 *
 * @param limitUsdc its total spending cap
 * @returns false when the sign-in was cancelled
 * @throws GatewayError INSUFFICIENT_BALANCE, LIMIT_EXCEEDED
 */
export async function mintCredential(limitUsdc: string): Promise<boolean> {
  const session = currentSession() ?? (await requestSignIn())
  if (session === null) return false
  const { token, credential } = await api.issueCredential({
    body: {
      name: 'playground',
      creditLimit: limitUsdc,
      resetInterval: 'never',
      rpm: RPM,
      expiresInSec: DAY_SECONDS,
    },
  })
  keepCredential({ token, name: credential.name, limitUsdc: credential.creditLimit, wallet: session.address })
  await queryClient.invalidateQueries({ queryKey: ['credentials'] })
  return true
}
