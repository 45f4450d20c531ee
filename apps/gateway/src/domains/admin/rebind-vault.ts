import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Chain, ChainFacts, Deps, Tx } from '../../ports.ts'
import { readBinding, writeBinding } from '../deposits/bind-vault.ts'
import { countUnread } from '../deposits/compare-count.ts'
import { bindingOf, type VaultBinding } from '../deposits/vault-binding.ts'
import {
  type ChainFindingKind,
  listOpenChainFindings,
  resolveChainFinding,
} from '../ledger/database/chain-findings.ts'
import { recordAct } from './record-act.ts'

/** Maximum number of open findings that are looked at: more than the kinds that a move ends have. */
const FINDINGS_MAX = 10
/** Findings about a vault itself, which end when the database leaves it. */
const OF_VAULT: readonly ChainFindingKind[] = ['ticket-signer', 'deposit-count']

/** The vault that a database leaves. */
export type LeftVault = Pick<Chain, 'facts' | 'head' | 'depositCount'>

/** Deposits that a vault counts up to a height. */
type Counted = { readonly at: ChainFacts; readonly upTo: bigint; readonly counted: bigint }

/**
 * Moves a database to another chain or vault, with an entry in the audit log. Balances do not change. Closes the
 * findings about the old vault itself.
 *
 * @param deps.chain  the new vault
 * @param deps.left   the old one; null if it is on a chain that is not at hand, or there is none
 * @param act.actor   wallet of the admin, lower-case
 * @param act.movedBy the redemption that moved the money out of the old vault, as `txHash:logIndex`, if a gateway has
 * raised a finding for it; null if none
 * @returns the previous binding; null if the database was never bound
 * @throws Error while a gateway runs, a ticket is out, a deposit is not credited, another finding is open, the old
 * vault counts a deposit that is not in the books, or the new one holds less than they owe; then nothing has changed
 */
export async function rebindVault(
  deps: Pick<Deps, 'db' | 'ids'> & { chain: Pick<Chain, 'facts' | 'vaultBalance'>; left: LeftVault | null },
  { movedBy, ...act }: { actor: string; reason: string; movedBy: string | null },
): Promise<VaultBinding | null> {
  const to = deps.chain.facts
  const held = await deps.chain.vaultBalance()
  const counted = deps.left && (await countDeposits(deps.left))
  return deps.db.transaction(async tx => {
    const obstacle =
      (await findObstacle(tx)) ??
      (counted && (await findUnread(tx, counted))) ??
      (await endFindings(tx, movedBy)) ??
      (await findShortfall(tx, to, held))
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

/** Returns how many deposits a vault counts up to the newest block. */
export async function countDeposits({ facts, head, depositCount }: LeftVault): Promise<Counted> {
  const { number: upTo } = await head()
  return { at: facts, upTo, counted: await depositCount(upTo) }
}

/**
 * Returns how many deposits of the old vault are not in the books, or null: they came since the gateways stopped, and
 * nobody would credit them any more. An open finding about the count means that reading again did not help.
 */
async function findUnread(tx: Tx, { at, ...count }: Counted): Promise<string | null> {
  const open = await listOpenChainFindings(tx, FINDINGS_MAX)
  if (open.some(({ kind, subject }) => kind === 'deposit-count' && subject === at.vault)) return null
  const unread = await countUnread(tx, at, count)
  if (unread === 0n) return null
  return `The vault ${at.vault} counts ${unread} deposits that are not in the books. Pause it, and run a gateway with it until they are credited.`
}

/** Returns what a vault lacks to cover the books, or null. All deposits are credited, and no ticket is out. */
async function findShortfall(tx: Tx, { vault }: ChainFacts, held: Usdc): Promise<string | null> {
  const [row] = await tx.query<{ owed: bigint }>(sql`select -posted as owed from accounts where id = 'vault'`)
  if (row === undefined) throw new Error('There is no vault account.')
  if (held >= row.owed) return null
  const [owed, lacking] = [usdc(row.owed), usdc(row.owed - held)].map(formatUsdc)
  return `The books owe ${owed} USDC, but the vault ${vault} holds ${formatUsdc(held)}. Transfer ${lacking} USDC to it first (docs/operations.md, "Another chain or vault").`
}

/** Closes the findings that end with the move; returns what to do about others, or null if there are none. */
async function endFindings(tx: Tx, movedBy: string | null): Promise<string | null> {
  const open = await listOpenChainFindings(tx, FINDINGS_MAX)
  const isOfMove = ({ kind, subject }: (typeof open)[number]) =>
    OF_VAULT.includes(kind) || (kind === 'unexplained-redemption' && subject === movedBy)
  const other = open.find(finding => !isOfMove(finding))
  if (other !== undefined)
    return `The finding ${other.kind} about ${other.subject} is open. Settle it with a gateway, or name the payment that moved the money (--moved-by).`
  for (const { kind, subject } of open) await resolveChainFinding(tx, { kind, subject, resolution: 'moved' })
  return null
}
