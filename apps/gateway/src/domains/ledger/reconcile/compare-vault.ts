import { formatUsdc, usdc } from '@farebox/money'
import type { Deps, Tx } from '../../../ports.ts'
import { checkTickets } from './check-tickets.ts'
import { type Finding, readTotals, type Totals } from './reconcile-store.ts'
import { type Comparison, leastSurplus, nextSurplus } from './vault-rules.ts'
import { keepSurplus, readVaultBooks, type VaultBooks } from './vault-store.ts'

/** A node may answer wrongly once; a repeated shortfall is real. */
const LOOKS_MAX = 3
/**
 * Maximum distance, beyond the required confirmations, of the last read block from the head: beyond it the comparison
 * is outdated. Full nodes keep the state of 128 blocks.
 */
const BLOCKS_BEHIND_MAX = 100n

/** Vault balance on chain and in the books, and the liabilities. */
export type Reserves = {
  readonly findings: readonly Finding[]
  readonly totals: Totals
  /** Null if the chain was not compared: unreachable, or not read to the head. That is no finding. */
  readonly vault: Comparison | null
  /** Stores the basis of the next comparison, in the transaction that stores the outcome. */
  keep(tx: Tx): Promise<unknown>
}

/**
 * Compares the vault balance with the books exactly, at the last block whose events are all recorded. A smaller balance
 * is a finding. A larger one comes from plain transfers: it is stored, and a later decrease is a finding too. So is an open
 * ticket that is not the one that was signed.
 */
export async function compareReserves(deps: Pick<Deps, 'db' | 'chain' | 'log'>): Promise<Reserves> {
  const totals = await readTotals(deps.db)
  const altered = await checkTickets(deps.db)
  for (let look = 1; ; look += 1) {
    const looked = await lookAtVault(deps)
    if (looked === null) return { totals, vault: null, findings: altered, keep: async () => undefined }
    if (looked.findings.length === 0 || look === LOOKS_MAX) {
      return { totals, ...looked, findings: [...looked.findings, ...altered] }
    }
  }
}

async function lookAtVault({ db, chain, log }: Pick<Deps, 'db' | 'chain' | 'log'>) {
  const books = await readVaultBooks(db, chain.facts)
  const { block, due, newestDeposit, surplus, foundSince } = books
  const held = await readBalance({ chain, log }, books)
  if (held === null) return null
  const now: Comparison = { block, held, due, newestDeposit }
  const before = surplus === null ? null : { block: surplus.block, ...leastSurplus(surplus, foundSince) }
  const least = due + (before?.counted ?? 0n)
  const findings: Finding[] = []
  if (held < least) {
    findings.push({
      check: 'vault-covers-wallets',
      row: `vault ${chain.facts.vault} at block ${block}`,
      expected: formatUsdc(usdc(least)),
      found: formatUsdc(usdc(held)),
    })
  }
  const keep = (tx: Tx) => keepSurplus(tx, chain.facts, nextSurplus(now, before))
  return { vault: now, findings, keep: async (tx: Tx) => (findings.length === 0 ? keep(tx) : undefined) }
}

/**
 * Returns the vault balance at the last read block; null if it cannot be read, or the block is outdated or no longer on
 * the chain: the books then describe another chain until the follower has read this one.
 */
async function readBalance(
  { chain, log }: Pick<Deps, 'chain' | 'log'>,
  { block, blockHash }: Pick<VaultBooks, 'block' | 'blockHash'>,
): Promise<bigint | null> {
  try {
    const { number: head } = await chain.head()
    const behind = head - block
    if (behind > BigInt(chain.facts.requiredConfirmations) + BLOCKS_BEHIND_MAX) {
      log.warn(
        { behind: behind.toString() },
        'the reserves were not compared: the vault is not read to the head',
      )
      return null
    }
    if (block < 0n) return 0n
    const held = await chain.vaultBalance(block)
    if (blockHash === null || (await chain.block(block))?.hash === blockHash) return held
    log.info(
      { height: block.toString() },
      'the reserves were not compared: the last read block is not on chain',
    )
    return null
  } catch (error) {
    // Retried soon; tickets and alerts depend on the age of the newest comparison.
    log.info({ reason: reasonOf(error) }, 'the reserves were not compared: the node did not answer')
    return null
  }
}

/** Returns the message of an error's cause, which has the node's reason, or its own message. */
function reasonOf(error: unknown): string {
  const reported = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return reported instanceof Error ? reported.message : String(reported)
}
