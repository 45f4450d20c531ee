import type { Tx } from '../../ports.ts'
import { lockBooks, type Movement } from './lock-books.ts'

export type { Movement } from './rules.ts'

/**
 * Posts movements in one transaction, each or not at all, in the order given.
 *
 * @param tx the transaction that also writes the record behind each movement
 * @returns for each movement whether it was posted; false: the available money of the wallet,
 *   or of the promotions, did not cover it
 */
export async function postMovements(tx: Tx, movements: readonly Movement[]): Promise<boolean[]> {
  const books = await lockBooks(tx, movements)
  const posted = movements.map(movement => books.post(movement))
  await books.write()
  return posted
}
