import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { readSignedBySecret } from './store.ts'

/** Maximum services named when an owner's signing secret is in use. */
const NAMED_MAX = 5

/** Returns tool names of an owner's services that are signed with its secret and not deleted; a few at most. */
export function findSignedServices(tx: Tx, owner: Address): Promise<string[]> {
  return readSignedBySecret(tx, owner, NAMED_MAX)
}
