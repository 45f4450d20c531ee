import type { Deps, Tx } from '../../../ports.ts'
import { openFindings } from '../database/chain-findings.ts'
import { compareMark } from '../proof/check-seals.ts'
import { compareWholeLog } from './check-log.ts'
import {
  beginCheckpoint,
  clearAway,
  keepCompared,
  lockChecks,
  promote,
  readCheckpoint,
  readLive,
} from './checkpoint-store.ts'
import { compare } from './compare-store.ts'
import { compareReserves, type Reserves } from './compare-vault.ts'
import { withoutRepeats } from './name-rows.ts'
import { countFindings, type Finding, type Totals, writeReconciliation } from './reconcile-store.ts'
import { SETTLED_SECONDS, sumAll } from './sum-books.ts'
import type { Comparison } from './vault-rules.ts'

export type { Finding } from './reconcile-store.ts'

/** Outcome of a check of the books. */
export type Reconciliation = {
  readonly consistent: boolean
  /** Each names an invariant and the row that breaks it. */
  readonly findings: readonly Finding[]
  readonly totals: Totals
  /** Vault and books; null if the chain was not compared, which is no finding and allows no tickets. */
  readonly vault: Comparison | null
}

/** Action on the outcome, in the transaction that stores it. */
type OnKept = (tx: Tx, outcome: Reconciliation) => Promise<unknown>

/**
 * Checks every invariant over all rows, and that the vault covers the books. Stores the outcome: while the newest is
 * not consistent, no withdrawal ticket is issued.
 *
 * Sums everything again in statements of some tenths of a second while calls continue, then compares balances and
 * counters with the sums in one snapshot. If nothing is wrong, the next regular check continues from these sums
 * (docs/adr/0008).
 *
 * @param onKept  called in the transaction that stores the outcome
 * @param options.settledSeconds for tests: calls drawn longer ago are all committed
 */
export async function reconcile(
  deps: Pick<Deps, 'db' | 'chain' | 'log'>,
  onKept?: OnKept,
  options: { settledSeconds: number } = { settledSeconds: SETTLED_SECONDS },
): Promise<Reconciliation> {
  const reserves = await compareReserves(deps)
  const { settledSeconds } = options
  const id = await beginCheckpoint(deps.db, { settledSeconds, isSlow: false })
  try {
    await sumAll(deps, id, { settledSeconds })
    return await compareAll(deps, id, reserves, onKept)
  } finally {
    await clearAway(deps.db, id)
  }
}

/**
 * Compares everything with the sums of a checkpoint over everything, and stores the outcome.
 *
 * @throws Error if the checkpoint was deleted
 */
export async function compareAll(
  deps: Pick<Deps, 'db' | 'log'>,
  id: bigint,
  reserves: Reserves,
  onKept?: OnKept,
): Promise<Reconciliation> {
  const outcome = await deps.db.transaction(async tx => {
    await lockChecks(tx)
    const checkpoint = await readCheckpoint(tx, id)
    if (checkpoint === undefined) throw new Error('The sums of the check were deleted.')
    const { findings, sinceXid } = await compare(tx, checkpoint, 'everything')
    const live = await readLive(tx)
    const remembered = await compareMark(tx, live.id)
    const logged = await compareWholeLog(tx, id, live.id)
    // A finding of both the summing and the comparison is reported once.
    const broken = withoutRepeats([...checkpoint.findings, ...findings, ...remembered, ...logged])
    if (broken.length === 0) {
      await keepCompared(tx, id, sinceXid)
      await promote(tx, id)
    }
    return keepOutcome(tx, { broken, reserves, ...(onKept && { onKept }) })
  })
  logBroken(deps, outcome)
  return outcome
}

/** Stores the findings of a check and the open disagreements with the chain. */
export async function keepOutcome(
  tx: Tx,
  found: { broken: readonly Finding[]; reserves: Reserves; onKept?: OnKept },
): Promise<Reconciliation> {
  const { totals, vault } = found.reserves
  const findings = [...found.broken, ...found.reserves.findings, ...(await openFindings(tx))]
  const consistent = findings.length === 0
  const outcome = { consistent, findings, totals, vault }
  await writeReconciliation(tx, { ...outcome, isBroken: found.broken.length > 0 })
  await found.reserves.keep(tx)
  await found.onKept?.(tx, outcome)
  return outcome
}

/** Logs a break. */
export function logBroken({ log }: Pick<Deps, 'log'>, { consistent, findings }: Reconciliation): void {
  if (!consistent) log.error({ findings, count: countFindings(findings) }, 'the books do not reconcile')
}
