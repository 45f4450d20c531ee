import { formatUsdc } from '@farebox/money'
import type { Deps, Queryable, Tx } from '../../ports.ts'
import { raiseChainFinding } from '../ledger/database/chain-findings.ts'
import type { RecordedBlock } from '../ledger/reconcile/find-gone-blocks.ts'
import { type CreditedDeposit, markGone, recordedBlocks } from './reorganised-store.ts'

/** Maximum number of blocks with deposits that are checked after a reorganisation, newest first. */
const BLOCKS_LOOKED_AT_MAX = 1_000

/** Returns the newest blocks with recorded deposits above a height, -1 by default, and up to another, newest first. */
export function readRecorded(
  db: Queryable,
  { chain }: Pick<Deps, 'chain'>,
  { above = -1n, upTo }: { above?: bigint; upTo: bigint },
): Promise<RecordedBlock[]> {
  return recordedBlocks(db, chain.facts, { above, upTo, limit: BLOCKS_LOOKED_AT_MAX })
}

/** Deletes uncredited deposits in blocks that are no longer on the chain, and raises a finding for each credited one. */
export async function raiseReorganised(
  deps: Pick<Deps, 'chain' | 'log'>,
  tx: Tx,
  blocks: readonly RecordedBlock[],
): Promise<void> {
  if (blocks.length > 0) await raiseGone(deps, tx, await markGone(tx, deps.chain.facts, blocks))
}

/** Raises a finding for each credited deposit that is no longer on the chain. */
export async function raiseGone(
  { log }: Pick<Deps, 'log'>,
  tx: Tx,
  gone: readonly CreditedDeposit[],
): Promise<void> {
  for (const row of gone) {
    const detail = {
      txHash: row.txHash,
      logIndex: String(row.logIndex),
      wallet: row.wallet,
      amountUsdc: formatUsdc(row.amount),
      block: row.blockNumber.toString(),
      blockHash: row.blockHash,
    }
    const subject = `${row.txHash}:${row.logIndex}`
    await raiseChainFinding(tx, { kind: 'deposit-reorganised', subject, detail })
    log.error(detail, 'a reorganisation removed a credited deposit; tickets stop')
  }
}
