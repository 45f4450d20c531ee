import { formatUsdc, usdc } from '@farebox/money'
import type { Deps, Tx } from '../../../ports.ts'
import { type Finding, readTotals, type Totals } from './reconcile-store.ts'
import { type Comparison, leastSurplus, nextSurplus } from './vault-rules.ts'
import { keepSurplus, readVaultBooks } from './vault-store.ts'

/** A node may answer wrongly once; a shortfall that it tells again and again is one. */
const LOOKS_MAX = 3
/**
 * How far, beyond the required confirmations, the last block that was read may be behind the newest: further, the
 * comparison says nothing of today. Full nodes keep the state of 128 blocks.
 */
const BLOCKS_BEHIND_MAX = 100n

/** What the vault held beside what the books say, and what is owed. */
export type Reserves = {
  readonly findings: readonly Finding[]
  readonly totals: Totals
  /** Null when the chain was not compared: out of reach, or not read to the end. That is no finding. */
  readonly vault: Comparison | null
  /** Keeps what the next comparison goes by, in the transaction that keeps the outcome. */
  keep(tx: Tx): Promise<unknown>
}

/**
 * Compares what the vault held with what the books say, exactly, at the last block whose events are all recorded. Less is
 * a finding. More is what strangers have sent by plain transfers: it is kept, and less of it later is a finding, too.
 */
export async function compareReserves(deps: Pick<Deps, 'db' | 'chain' | 'log'>): Promise<Reserves> {
  const totals = await readTotals(deps.db)
  for (let look = 1; ; look += 1) {
    const looked = await lookAtVault(deps)
    if (looked === null) return { totals, vault: null, findings: [], keep: async () => undefined }
    if (looked.findings.length === 0 || look === LOOKS_MAX) return { totals, ...looked }
  }
}

async function lookAtVault({ db, chain, log }: Pick<Deps, 'db' | 'chain' | 'log'>) {
  const books = await readVaultBooks(db, chain.facts)
  const { block, due, recorded, surplus, foundSince } = books
  const held = await readBalance({ chain, log }, block)
  if (held === null) return null
  const now: Comparison = { block, held, due, recorded }
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

/** What the vault held at a block; null when that cannot be known now, or says nothing of today. */
async function readBalance(
  { chain, log }: Pick<Deps, 'chain' | 'log'>,
  block: bigint,
): Promise<bigint | null> {
  try {
    const { number: head } = await chain.head()
    const behind = head - block
    if (behind > BigInt(chain.facts.requiredConfirmations) + BLOCKS_BEHIND_MAX) {
      log.warn(
        { behind: behind.toString() },
        'the reserves were not compared: the vault is not read to the end',
      )
      return null
    }
    return block < 0n ? 0n : await chain.vaultBalance(block)
  } catch (error) {
    // Tried again soon; the age of the newest comparison is what tickets and alerts go by.
    log.info({ reason: reasonOf(error) }, 'the reserves were not compared: the node did not answer')
    return null
  }
}

/** The message of an error's cause, which names what the node said, or its own. */
function reasonOf(error: unknown): string {
  const told = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return told instanceof Error ? told.message : String(told)
}
