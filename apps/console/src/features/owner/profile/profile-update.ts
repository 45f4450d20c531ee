import type { AnswerOf, InputOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { api, queryClient } from '../../../api.ts'
import { wallet } from '../../../wallet/use-wallet.ts'

export type Profile = AnswerOf<'readProfile'>
/** What of a profile is changed; what is absent stays. */
export type ProfileChange = Omit<InputOf<'updateProfile'>['body'], 'message' | 'signature'>

/**
 * Changes the profile: the wallet signs the gateway's challenge for it. A challenge lives for minutes: whoever takes
 * longer to sign gets another one.
 *
 * @throws WalletError, GatewayError
 */
export async function updateProfile(change: ProfileChange, isAgain = false): Promise<Profile> {
  const { challenge } = await api.issueProfileChallenge()
  const signature = await wallet.signMessage(challenge)
  try {
    return await api.updateProfile({ body: { message: challenge, signature, ...change } })
  } catch (error) {
    const isLate = error instanceof GatewayError && error.code === 'CHALLENGE_EXPIRED'
    if (!isLate || isAgain) throw error
    return updateProfile(change, true)
  }
}

/** Shows a profile as the gateway has just told it. */
export function keepProfile(profile: Profile): void {
  queryClient.setQueryData(['profile'], profile)
}
