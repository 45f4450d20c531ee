import { createHash } from 'node:crypto'
import type { InputOf } from '@farebox/client'
import { openRecords } from './records.ts'

/** A call whose end is not known yet. It is on disk before it is sent, so that its key outlives the process. */
export type PendingCall = {
  readonly gateway: string
  readonly key: string
  /** Digest of the credential: keys are scoped to it. */
  readonly credentialDigest: string
  readonly body: InputOf<'invokeService'>['body']
  readonly isStream: boolean
  readonly isModel: boolean
  /** ISO 8601. */
  readonly startedAt: string
}

/** Gateways keep answers for 30 days by default. */
const CALL_AGE_MS_MAX = 30 * 86_400_000

const records = openRecords<PendingCall>('calls', CALL_AGE_MS_MAX)
const idOf = (gateway: string, key: string) => `${gateway} ${key}`

/** Returns the digest of a credential, as stored with its calls. */
export const digestOfCredential = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Stores a call before it is sent. */
export const storeCall = (call: PendingCall): void => records.store(idOf(call.gateway, call.key), call)

/** Returns a call by its key; null if its end is known, or if it was never made here. */
export const findCall = (gateway: string, key: string): PendingCall | null => records.find(idOf(gateway, key))

/** Removes a call, as its end is known. */
export const forgetCall = ({ gateway, key }: PendingCall): void => records.forget(idOf(gateway, key))

/** Returns all calls without a known end, oldest first. */
export const listCalls = (): PendingCall[] => records.list()
