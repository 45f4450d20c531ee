import { randomBytes } from 'node:crypto'
import { type Usdc, usdc, ZERO } from '@farebox/money'
import { tokenLeadOf } from '@farebox/wire/partition'
import { tokenDigest, writeToken } from '@farebox/wire/tokens'
import type { Client } from 'pg'
import { inDatabase } from './in-database.ts'
import type { Balance } from './person.ts'

/** Rows sent at once. */
const CHUNK = 5_000
/** Balance of the hot owner and of each other one, in micro-USDC: more than any run spends. */
const HOT_FUNDS = usdc(10n ** 13n)
const FUNDS = usdc(10n ** 10n)
/** Most that a credential may be called per minute, by the interface. */
const RPM_MAX = 10_000_000

/** Owners that were written as rows, with a credential each; the first is the hot one. */
export type SeededOwners = {
  readonly addresses: readonly string[]
  /** Their agents' tokens. */
  readonly credentials: readonly string[]
  /** Reads the balance of each. */
  balances(): Promise<Balance[]>
}

/**
 * Writes owners as rows, each with a credential and money of its own: ten thousand of them would take longer to sign in
 * and to deposit than all that is measured on them. Their deposits are rows too, of another chain than the vault's.
 *
 * @param databaseUrl of a migrated database that no gateway has seen
 * @param count       owners beside the hot one
 */
export async function seedOwners(databaseUrl: string, count: number): Promise<SeededOwners> {
  const addresses = Array.from(
    { length: 1 + count },
    (_, index) => `0xa9e4${index.toString(16).padStart(36, '0')}`,
  )
  const credentials = addresses.map(owner => writeToken('agt', randomBytes(32), tokenLeadOf(owner)))
  await inDatabase(databaseUrl, async client => {
    await client.query('begin')
    // No gateway has them in memory, so the ledger need not say that they were written.
    await client.query("set local farebox.projecting = 'on'")
    for (let first = 0; first < addresses.length; first += CHUNK) {
      const owners = addresses.slice(first, first + CHUNK)
      await writeOwners(client, {
        owners,
        digests: credentials.slice(first, first + CHUNK).map(tokenDigest),
        amounts: owners.map((_, index) => (first + index === 0 ? HOT_FUNDS : FUNDS)),
      })
    }
    await client.query('commit')
  })
  return { addresses, credentials, balances: () => readBalances(databaseUrl, addresses) }
}

async function writeOwners(
  client: Client,
  rows: { owners: readonly string[]; digests: readonly Buffer[]; amounts: readonly Usdc[] },
): Promise<void> {
  const { owners, digests, amounts } = rows
  await client.query(
    `insert into wallets (address, username) select owner, 'owner' from unnest($1::text[]) as owner`,
    [owners],
  )
  await client.query(
    `insert into spending_policies (owner, allow_unlimited) select owner, true from unnest($1::text[]) as owner`,
    [owners],
  )
  await client.query(
    `insert into credentials (id, owner, name, token_hash, rpm, reset_interval, interval_start)
     select 'cred_01' || substr(owner, 19), owner, 'bench', digest, $3, 'never', 'epoch'
     from unnest($1::text[], $2::bytea[]) as agent (owner, digest)`,
    [owners, digests, RPM_MAX],
  )
  await client.query(
    `with funded as (select * from unnest($1::text[], $2::bigint[]) as funded (owner, amount)),
     accounts as (insert into accounts (id, posted) select 'consumer:' || owner, amount from funded),
     vault as (
       insert into accounts (id, posted) select 'vault', -sum(amount) from funded
       on conflict (id) do update set posted = accounts.posted + excluded.posted),
     events as (
       insert into vault_deposits (chain_id, tx_hash, log_index, wallet, amount, block_number, block_hash, credited_at)
       select 0, '0x' || encode(sha256(convert_to(owner, 'utf8')), 'hex'), 0, owner, amount, 0, '', now() from funded
       returning *),
     intents as (
       insert into deposits (id, wallet, tx_hash, status, credited, log_index)
       select 'dep_01' || right(tx_hash, 24), wallet, tx_hash, 'credited', amount, 0 from events)
     insert into entries (kind, reference, account, amount)
     select 'deposit', '0:' || tx_hash || ':0', account, leg.amount
     from events, lateral (values ('consumer:' || wallet, events.amount), ('vault', -events.amount)) leg (account, amount)`,
    [owners, amounts],
  )
}

async function readBalances(databaseUrl: string, addresses: readonly string[]): Promise<Balance[]> {
  return inDatabase(databaseUrl, async client => {
    await client.query('select ledger_catch_up()')
    const { rows } = await client.query<Record<'posted' | 'reserved' | 'fees', string>>(
      `select a.posted, a.reserved, coalesce(f.fees, 0) as fees
       from unnest($1::text[]) with ordinality as o (owner, number)
       join accounts a on a.id = 'consumer:' || o.owner
       left join (select owner, sum(fee) as fees from invocation_fees group by owner) f on f.owner = o.owner
       order by o.number`,
      [addresses],
    )
    return rows.map(({ posted, reserved, fees }) => ({
      available: usdc(BigInt(posted) - BigInt(reserved)),
      held: usdc(BigInt(reserved)),
      receivable: ZERO,
      feesPaid: usdc(BigInt(fees)),
    }))
  })
}
