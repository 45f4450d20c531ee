import { formatUsdc, usdc } from '@farebox/money'
import type { Reserves } from '@farebox/wire/balance'
import type { Deps } from '../../../ports.ts'
import { readLastReconciliation, readTotals } from '../reconcile/reconcile-store.ts'
import { readTree, type Tree } from './liability-store.ts'
import { hexOf } from './merkle-rules.ts'

/**
 * Compares what the vault holds on chain with what the books say is owed, now. A difference above zero is a deposit
 * that is not credited yet; `consistent` is the outcome of the newest check of every invariant. The tree beside it is of
 * a moment some seconds ago, and says what was owed and what the vault held then; a tree of nobody is not told when
 * somebody is owed.
 *
 * @throws GatewayError UNAVAILABLE when the chain is out of reach
 */
export async function readReserves(deps: Pick<Deps, 'db' | 'chain' | 'clock'>): Promise<Reserves> {
  const head = await deps.chain.head()
  const [vaultBalance, totals, last, newest] = await Promise.all([
    deps.chain.vaultBalance(head.number),
    readTotals(deps.db),
    readLastReconciliation(deps.db),
    readTree(deps.db, null),
  ])
  // The root of nothing would stand beside what is owed by now, until the next tree.
  const tree = newest?.wallets === 0n && totals.owed > 0n ? undefined : newest
  // What promotions hold is backed by the vault like any other balance: a voucher only changes whose it is.
  const platform = usdc(totals.platform + totals.promotions)
  const liabilities = usdc(totals.consumers + totals.providers + platform)
  return {
    status: 'success',
    asOf: new Date(deps.clock.now()).toISOString(),
    blockNumber: Number(head.number),
    vaultBalanceUsdc: formatUsdc(vaultBalance),
    liabilitiesUsdc: formatUsdc(liabilities),
    differenceUsdc: formatUsdc(usdc(vaultBalance - liabilities)),
    liabilities: {
      consumerUsdc: formatUsdc(totals.consumers),
      providerUsdc: formatUsdc(totals.providers),
      platformUsdc: formatUsdc(platform),
    },
    ledgerSumUsdc: formatUsdc(totals.entries),
    consistent: last?.consistent ?? false,
    lastReconciledAt: last?.at.toISOString() ?? null,
    merkleRoot: tree === undefined ? null : hexOf(tree.root),
    tree: tree === undefined ? null : presentTree(tree),
  }
}

function presentTree({ root, asOf, wallets, held, ...owed }: Tree): NonNullable<Reserves['tree']> {
  return {
    asOf: asOf.toISOString(),
    merkleRoot: hexOf(root),
    wallets: Number(wallets),
    walletsUsdc: formatUsdc(usdc(owed.consumers + owed.providers)),
    consumerUsdc: formatUsdc(owed.consumers),
    providerUsdc: formatUsdc(owed.providers),
    platformUsdc: formatUsdc(owed.platform),
    lockedUsdc: formatUsdc(owed.locked),
    blockNumber: held === null ? null : Number(held.block),
    vaultBalanceUsdc: held === null ? null : formatUsdc(held.balance),
  }
}

/**
 * The same for a public route: all that ask within `maxAgeMs` share one look at chain and books.
 */
export function createReservesReader(deps: Pick<Deps, 'db' | 'chain' | 'clock'>, maxAgeMs: number) {
  let newest: { at: number; reserves: Promise<Reserves> } | null = null
  return (): Promise<Reserves> => {
    const now = deps.clock.now()
    if (newest !== null && now - newest.at < maxAgeMs) return newest.reserves
    const reserves = readReserves(deps)
    newest = { at: now, reserves }
    reserves.catch(() => {
      newest = null // a failure is not worth keeping
    })
    return reserves
  }
}
