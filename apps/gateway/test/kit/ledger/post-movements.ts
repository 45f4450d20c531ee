import { lockBooks, type Movement } from '../../../src/domains/ledger/lock-books.ts'
import type { Tx } from '../../../src/ports.ts'

/**
 * Posts movements one by one, in order; one that is refused leaves the others.
 *
 * @param tx transaction that also writes the record of each movement
 * @returns for each movement: true if it was posted; false if the available balance of the wallet or of the promotions
 * is too low
 */
export async function postMovements(tx: Tx, movements: readonly Movement[]): Promise<boolean[]> {
  const books = await lockBooks(tx, movements)
  const posted = movements.map(movement => books.post(movement))
  await books.write()
  return posted
}
