import { randomBytes } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import { creditDeposits } from '../../../src/domains/deposits/credit-deposits.ts'
import type { Deps } from '../../../src/ports.ts'

/** Id of a chain that does not exist. */
const CHAIN_ID = 7

/**
 * Credits a wallet as for a confirmed deposit, without a chain: inserts the event and credits it with the
 * gateway's code. No vault holds this money.
 *
 * @param wallet lower-case
 */
export async function creditWithoutChain(
  deps: Pick<Deps, 'db' | 'ids'>,
  wallet: string,
  amount: Usdc,
): Promise<void> {
  const txHash: Hex = `0x${randomBytes(32).toString('hex')}`
  await deps.db.query(sql`
    insert into vault_deposits (chain_id, tx_hash, log_index, wallet, amount, block_number, block_hash)
    values (${CHAIN_ID}, ${txHash}, 0, ${wallet}, ${amount}, 1, ${txHash})`)
  const events = [{ logIndex: 0, amount }]
  await creditDeposits(deps, { chainId: CHAIN_ID, wallet, txHash, confirmations: 1, events })
}
