import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import type { Deps, Tx } from '../../ports.ts'
import {
  countFindings,
  type Finding,
  readBrokenInvariants,
  readTotals,
  type Totals,
  writeReconciliation,
} from './reconcile-store.ts'

export type { Finding } from './reconcile-store.ts'

/** Chain and books are read one after the other; what moves in between is told from a loss by looking again. */
const LOOKS_MAX = 3

/** The outcome of one check of the books. */
export type Reconciliation = {
  readonly consistent: boolean
  /** Each names the invariant and the row that breaks it. */
  readonly findings: readonly Finding[]
  readonly totals: Totals
  /** USDC that the vault holds; null when the chain was out of reach, which is no finding. */
  readonly vaultBalance: Usdc | null
}

/**
 * Checks every invariant of the books in one snapshot of the database, and that the vault holds what wallets are
 * owed. Keeps the outcome: while the newest one is not consistent, no withdrawal ticket is issued.
 *
 * @param onKept called in the transaction that keeps the outcome
 */
export async function reconcile(
  deps: Pick<Deps, 'db' | 'chain' | 'log'>,
  onKept?: (tx: Tx, outcome: Reconciliation) => Promise<unknown>,
): Promise<Reconciliation> {
  const [broken, reserves] = [await readBrokenInvariants(deps.db), await compareReserves(deps)]
  const findings = [...broken, ...reserves.findings]
  const consistent = findings.length === 0
  const outcome = { consistent, findings, totals: reserves.totals, vaultBalance: reserves.vaultBalance }
  await deps.db.transaction(async tx => {
    await writeReconciliation(tx, { consistent, findings })
    await onKept?.(tx, outcome)
  })
  if (!consistent) deps.log.error({ findings, count: countFindings(findings) }, 'the books do not reconcile')
  return outcome
}

/**
 * The vault must hold what wallets are owed. What is locked for open tickets may have been paid out already, so it
 * is not demanded of the vault.
 */
async function compareReserves(deps: Pick<Deps, 'db' | 'chain' | 'log'>) {
  for (let look = 1; ; look += 1) {
    const vaultBalance = await deps.chain.vaultBalance().catch((error: unknown): null => {
      deps.log.warn({ err: error }, 'the reserves could not be compared: the chain is out of reach')
      return null
    })
    const totals = await readTotals(deps.db)
    const demanded = usdc(totals.owed - totals.providerLocked)
    const isCovered = vaultBalance === null || vaultBalance >= demanded
    if (isCovered) return { totals, vaultBalance, findings: [] }
    if (look === LOOKS_MAX) {
      const finding = {
        check: 'vault-covers-wallets',
        row: 'vault',
        expected: `at least ${formatUsdc(demanded)}`,
        found: formatUsdc(vaultBalance),
      }
      return { totals, vaultBalance, findings: [finding] }
    }
  }
}
