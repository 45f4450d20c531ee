import { formatUsdc, type Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { ChainFacts, Deps, Tx } from '../../ports.ts'
import { readBinding, writeBinding } from '../deposits/bind-vault.ts'
import { bindingOf, type VaultBinding } from '../deposits/vault-binding.ts'
import { recordAct } from './record-act.ts'

/**
 * Moves a database to another chain or vault, with an entry in the audit log. Balances do not change: the new vault
 * must then hold the liabilities to all wallets.
 *
 * @param act.actor wallet of the admin, lower-case
 * @returns the previous binding; null if the database was never bound
 * @throws Error while a gateway runs, a ticket is out, or a deposit is not credited; then nothing has changed
 */
export async function rebindVault(
  deps: Pick<Deps, 'db' | 'ids'>,
  to: ChainFacts,
  act: { actor: string; reason: string },
): Promise<VaultBinding | null> {
  return deps.db.transaction(async tx => {
    const obstacle = await findObstacle(tx)
    if (obstacle !== null) throw new Error(obstacle)
    const [before, after] = [await readBinding(tx), bindingOf(to)]
    await writeBinding(tx, after)
    await recordAct(deps, tx, { ...act, action: 'vault.rebind', target: to.vault, before, after })
    return before
  })
}

/** Returns why a database cannot be moved now, or null. */
async function findObstacle(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ running: number; tickets: number; promised: Usdc; deposits: number }>(sql`
    select
      (select count(*) from gateway_instances where lease_until > clock_timestamp())::int as running,
      (select count(*) from withdrawals where status in ('APPROVED_AUTO', 'APPROVED_MANUAL'))::int as tickets,
      (select coalesce(sum(amount), 0)::bigint from withdrawals where status in ('APPROVED_AUTO', 'APPROVED_MANUAL'))
        as promised,
      (select count(*) from vault_deposits where credited_at is null)::int
        + (select count(*) from deposits where status in ('pending', 'confirming'))::int as deposits`)
  if (row === undefined) throw new Error('The database returned no row.')
  if (row.running > 0) return 'A gateway is running or stopped moments ago. Stop all gateways first.'
  if (row.tickets > 0)
    return `${row.tickets} tickets over ${formatUsdc(row.promised)} USDC are open. Wait until they are redeemed or expired.`
  if (row.deposits > 0) return `${row.deposits} deposits are not credited yet. Run a gateway until they are.`
  return null
}
