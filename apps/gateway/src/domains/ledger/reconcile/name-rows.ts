import sql, { join, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import type { Checkpoint } from './checkpoint-store.ts'
import { CALL_CHECK, RECORD_CHECK } from './leg-sql.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from './reconcile-store.ts'

/** Maximum entries of an account that is searched for its broken rows. */
const ENTRIES_LOOKED_AT_MAX = 2_000_000
/** Maximum number of accounts searched. */
const ACCOUNTS_NAMED_MAX = 20

/**
 * Accounts of the platform, which have an entry of nearly every movement: the wallets' accounts are searched instead.
 */
const PLATFORM: readonly string[] = ['vault', 'promotions', 'fees', 'losses']

/**
 * Replaces findings that name an account by findings that name its calls and records, unless it has very many entries.
 * A finding stays if no row of its account explains it.
 */
export async function nameRows(
  db: Queryable,
  checkpoint: Checkpoint,
  findings: readonly Finding[],
): Promise<Finding[]> {
  const coarse = findings.filter(isOfAccount)
  if (coarse.length === 0) return withoutRepeats(findings)
  const wallets = coarse.map(({ row }) => row).filter(account => !PLATFORM.includes(account))
  if (wallets.length === 0) wallets.push(...(await differingWallets(db, checkpoint)))
  const named = await namedRows(db, wallets.slice(0, ACCOUNTS_NAMED_MAX))
  const byRow = [...findings.filter(finding => !isOfAccount(finding)), ...named]
  const unexplained = coarse.filter(({ check, row }) => {
    const rows = PLATFORM.includes(row) ? byRow : named
    return !rows.some(finding => finding.check === check)
  })
  return withoutRepeats([...byRow, ...unexplained])
}

/** Returns true if a finding of calls or records names only an account. */
function isOfAccount({ check, row }: Finding): boolean {
  if (check !== CALL_CHECK && check !== RECORD_CHECK) return false
  return PLATFORM.includes(row) || row.startsWith('consumer:') || row.startsWith('provider:')
}

/** Returns one finding per row that breaks a check: several legs of a movement may break the same one. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map(finding => [`${finding.check} ${finding.row}`, finding])).values()]
}

/**
 * Returns the wallet accounts whose records do not add up to their entries; for a break seen only in the platform's
 * accounts.
 */
async function differingWallets(db: Queryable, { id, entryId }: Checkpoint): Promise<string[]> {
  const rows = await db.query<{ account: string }>(sql`
    select account from (
      select credit as account, -amount as amount from recorded_movements
      union all select debit, amount from recorded_movements
      union all select account, posted + captured * case when account like 'consumer:%' then 1 else -1 end
        from account_sums where checkpoint = ${id}
      union all select account, amount from entries where id > ${entryId} and kind <> 'capture') sides
    where strpos(account, ':') > 0 group by account having sum(amount) <> 0 order by account limit ${ACCOUNTS_NAMED_MAX}`)
  return rows.map(({ account }) => account)
}

async function namedRows(db: Queryable, accounts: readonly string[]): Promise<Finding[]> {
  const looked = await lookable(db, accounts)
  if (looked.length === 0) return []
  const entries = sql`
    select account, kind, reference, sum(amount) as amount from entries where account in (${join(looked)})
    group by account, kind, reference`
  const found = await Promise.all([
    db.query<Finding>(
      unmatched(CALL_CHECK, sql`case when e.kind is null then d.reference else e.reference end`, {
        entries: sql`select * from (${entries}) e where kind = 'capture'`,
        due: callsOf(looked),
      }),
    ),
    db.query<Finding>(
      unmatched(RECORD_CHECK, sql`coalesce(e.kind, d.kind) || ' ' || coalesce(e.reference, d.reference)`, {
        entries: sql`select * from (${entries}) e where kind <> 'capture'`,
        due: recordsOf(looked),
      }),
    ),
  ])
  return found.flat()
}

const unmatched = (check: string, name: Sql, { entries, due }: { entries: Sql; due: Sql }): Sql => sql`
  select ${check} as "check", ${name} as row,
         format('%s on %s', coalesce(d.amount, 0), coalesce(d.account, e.account)) as expected,
         coalesce(e.amount, 0)::text as found
  from (${entries}) e full join (${due}) d
    on d.account = e.account and d.kind = e.kind and d.reference = e.reference
  where coalesce(d.amount, 0) <> coalesce(e.amount, 0)
  order by 2 limit ${FINDINGS_PER_CHECK_MAX}`

const walletsOf = (accounts: readonly string[], role: 'consumer' | 'provider') =>
  accounts.flatMap(account => (account.startsWith(`${role}:`) ? [account.slice(role.length + 1)] : []))

function callsOf(accounts: readonly string[]): Sql {
  const [owners, providers] = [walletsOf(accounts, 'consumer'), walletsOf(accounts, 'provider')]
  return sql`
    select 'consumer:' || owner as account, 'capture' as kind, id as reference, -charged as amount from invocations
    where owner = any(${owners}::text[]) and status = 'SUCCEEDED'
    union all
    select 'provider:' || provider, 'capture', id, charged - fee from invocations
    where provider = any(${providers}::text[]) and status = 'SUCCEEDED'`
}

const recordsOf = (accounts: readonly string[]): Sql => sql`
  select credit as account, kind, reference, amount from recorded_movements where credit in (${join(accounts)})
  union all
  select debit, kind, reference, -amount from recorded_movements where debit in (${join(accounts)})`

/** Returns the accounts that do not have very many entries. */
async function lookable(db: Queryable, accounts: readonly string[]): Promise<string[]> {
  const counts = await Promise.all(
    accounts.map(account =>
      db.query<{ count: number }>(sql`
        select count(*)::int as count from (
          select 1 from entries where account = ${account} limit ${ENTRIES_LOOKED_AT_MAX}) e`),
    ),
  )
  return accounts.filter((_, place) => (counts[place]?.[0]?.count ?? 0) < ENTRIES_LOOKED_AT_MAX)
}
