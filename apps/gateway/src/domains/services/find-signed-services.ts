import type { Address } from 'viem'
import type { Tx } from '../../ports.ts'
import { readSignedBySecret } from './store.ts'

/** Most services that are named where an owner is told which use its signing secret. */
const NAMED_MAX = 5

/** Returns tool names of services of an owner that are signed with its secret, and not deleted; a few at most. */
export function findSignedServices(tx: Tx, owner: Address): Promise<string[]> {
  return readSignedBySecret(tx, owner, NAMED_MAX)
}
