import { formatUsdc, usdc } from '@farebox/money'
import type { Reserves } from '@farebox/wire/balance'
import type { Deps } from '../../../ports.ts'
import { cached } from '../../../runtime/cached.ts'
import { readLastReconciliation, readTotals } from '../reconcile/reconcile-store.ts'
import { readTree, type Tree } from './liability-store.ts'
import { hexOf } from './merkle-rules.ts'

/**
 * Compares the vault balance on chain with the liabilities in the books, now. A positive difference is a deposit that
 * is not credited yet; `consistent` is the outcome of the newest check of every invariant. The tree has the liabilities
 * and the vault balance of some seconds ago; an empty tree is omitted once there are liabilities.
 *
 * @throws GatewayError UNAVAILABLE if the chain is unreachable
 */
export async function readReserves(deps: Pick<Deps, 'db' | 'chain' | 'clock'>): Promise<Reserves> {
  const head = await deps.chain.head()
  const [vaultBalance, totals, last, newest] = await Promise.all([
    deps.chain.vaultBalance(head.number),
    readTotals(deps.db),
    readLastReconciliation(deps.db),
    readTree(deps.db, null),
  ])
  // Until the next tree, an empty root would be shown beside new liabilities.
  const tree = newest?.wallets === 0n && totals.owed > 0n ? undefined : newest
  // Promotions are backed by the vault like any balance: a voucher only changes the owner.
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

/** The same for a public route: requests within `maxAgeMs` share one reading of chain and books. */
export function createReservesReader(deps: Pick<Deps, 'db' | 'chain' | 'clock'>, maxAgeMs: number) {
  return cached(deps.clock, maxAgeMs, () => readReserves(deps))
}
