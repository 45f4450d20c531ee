import { formatUsdc } from '@farebox/money'
import type { Deps, Tx } from '../../ports.ts'
import { raiseChainFinding } from '../ledger/database/chain-findings.ts'
import type { RecordedBlock } from '../ledger/find-gone-blocks.ts'
import { type CreditedDeposit, markGone } from './reorganised-store.ts'
import { findingSubject } from './rules.ts'

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
    await raiseChainFinding(tx, { kind: 'deposit-reorganised', subject: findingSubject(row), detail })
    log.error(detail, 'a reorganisation removed a credited deposit; tickets stop')
  }
}
