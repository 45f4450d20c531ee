import { formatUsdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Deps } from '../../ports.ts'
import { raiseChainFinding, resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { findGoneBlocks, type UnsettledRange } from '../ledger/find-gone-blocks.ts'
import { markGone, newestRedemptions } from './redemption-store.ts'
import { redeemedIn } from './store.ts'

/** Maximum number of redemptions that are checked at once, newest first. */
const REDEMPTIONS_MAX = 1_000

/**
 * Raises a finding for each booked redemption that a reorganisation removed from the chain, as its ticket can be
 * redeemed again. The finding closes itself when it is. Closes the findings of removed redemptions that no withdrawal
 * explained.
 *
 * @throws GatewayError UNAVAILABLE if the node is missing one of the heights; then call again
 */
export async function raiseReorganised(
  { db, chain, log }: Pick<Deps, 'db' | 'chain' | 'log'>,
  { settledBelow, ...range }: UnsettledRange,
): Promise<void> {
  const rows = await newestRedemptions(db, chain.facts, { ...range, limit: REDEMPTIONS_MAX })
  const blocks = rows.map(row => ({ number: row.blockNumber, hash: row.blockHash }))
  const gone = await findGoneBlocks(chain, blocks, settledBelow)
  if (gone === null) throw new GatewayError('UNAVAILABLE', { dependency: 'chain' })
  const hashes = new Set(gone.map(({ hash }) => hash))
  for (const row of rows.filter(({ blockHash: hash }) => hashes.has(hash))) {
    const { nonce, txHash, logIndex } = row
    const subject = redeemedIn(row)
    const detail = {
      txHash,
      logIndex: String(logIndex),
      nonce,
      to: row.recipient,
      amountUsdc: formatUsdc(row.amount),
      block: row.blockNumber.toString(),
      blockHash: row.blockHash,
    }
    await db.transaction(async tx => {
      if (!(await markGone(tx, chain.facts, row))) return
      const wasOpen = { kind: 'unexplained-redemption', subject, resolution: 'gone' } as const
      if (await resolveChainFinding(tx, wasOpen)) return
      await raiseChainFinding(tx, { kind: 'redemption-reorganised', subject, detail })
      log.error(detail, 'a reorganisation removed a booked redemption; tickets stop')
    })
  }
}
