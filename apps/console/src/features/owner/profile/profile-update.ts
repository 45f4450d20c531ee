import type { AnswerOf, InputOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { api, queryClient } from '../../../api.ts'
import { wallet } from '../../../wallet/use-wallet.ts'

export type Profile = AnswerOf<'readProfile'>
/** Changed members of a profile; absent ones stay. */
export type ProfileChange = Omit<InputOf<'updateProfile'>['body'], 'message' | 'signature'>

/**
 * Changes the profile with a signed challenge. Fetches another challenge if it expired while the person took their
 * time.
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

/** Puts a profile from an answer into the query cache. */
export function keepProfile(profile: Profile): void {
  queryClient.setQueryData(['profile'], profile)
}
