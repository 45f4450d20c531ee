import { formatUsdc } from '@farebox/money'
import type { Deps, Tx } from '../../ports.ts'
import { raiseChainFinding } from '../ledger/database/chain-findings.ts'
import { findGoneBlocks, type RecordedBlock } from '../ledger/reconcile/find-gone-blocks.ts'
import { markGone, recordedBlocks } from './reorganised-store.ts'

/** Maximum number of blocks with deposits that are checked after a reorganisation, newest first. */
const BLOCKS_LOOKED_AT_MAX = 1_000

/**
 * Returns the recorded blocks that are no longer on the chain, from the newest down to the first below `settledBelow`
 * that still is; null if the node is missing one of the heights.
 */
export async function findReorganised(
  { db, chain }: Pick<Deps, 'db' | 'chain'>,
  from: { upTo: bigint; settledBelow: bigint },
): Promise<RecordedBlock[] | null> {
  const recorded = await recordedBlocks(db, chain.facts, { upTo: from.upTo, limit: BLOCKS_LOOKED_AT_MAX })
  return findGoneBlocks(chain, recorded, from.settledBelow)
}

/** Raises a finding for each credited deposit in blocks that are no longer on the chain. */
export async function raiseReorganised(
  { chain, log }: Pick<Deps, 'chain' | 'log'>,
  tx: Tx,
  blocks: readonly RecordedBlock[],
): Promise<void> {
  for (const row of await markGone(tx, chain.facts, blocks)) {
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
