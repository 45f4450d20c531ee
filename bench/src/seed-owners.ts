import { randomBytes } from 'node:crypto'
import { type Usdc, usdc, ZERO } from '@farebox/money'
import { tokenDigest, writeToken } from '@farebox/wire/tokens'
import type pg from 'pg'
import type { Balance } from './balance.ts'
import { inDatabase } from './in-database.ts'

/** Rows sent at once. */
const CHUNK = 5_000

/** Owners that were written as rows. */
export type SeededOwners = {
  /** Their agents' tokens, by owner. */
  readonly credentials: readonly string[]
  /** What each of them has. */
  balances(): Promise<Balance[]>
}

/**
 * Writes owners as rows, each with a credential and money of its own: ten thousand of them would take longer to sign in
 * and to deposit than all that is measured on them. The books are exact all the same: their money comes from a wallet
 * that has deposited it on chain, by vouchers that it has funded.
 *
 * @param databaseUrl of a running gateway
 * @param from        the wallet that pays
 */
export async function seedOwners(
  databaseUrl: string,
  { count, amount, from, rpm }: { count: number; amount: Usdc; from: string; rpm: number },
): Promise<SeededOwners> {
  const addresses = Array.from(
    { length: count },
    (_, index) => `0xa9e4${index.toString(16).padStart(36, '0')}`,
  )
  const credentials = addresses.map(() => writeToken('agt', randomBytes(32)))
  await inDatabase(databaseUrl, async client => {
    await client.query('begin')
    for (let first = 0; first < count; first += CHUNK) {
      const owners = addresses.slice(first, first + CHUNK)
      const digests = credentials.slice(first, first + CHUNK).map(tokenDigest)
      await writeOwners(client, { owners, digests, amount, from: from.toLowerCase(), rpm })
    }
    await client.query('commit')
    await client.query('analyze')
  })
  return { credentials, balances: () => readSeeded(databaseUrl, addresses) }
}

async function writeOwners(
  client: pg.Client,
  rows: { owners: readonly string[]; digests: readonly Buffer[]; amount: Usdc; from: string; rpm: number },
): Promise<void> {
  const { owners, digests, amount, from, rpm } = rows
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
    [owners, digests, rpm],
  )
  await client.query(
    `insert into accounts (id, posted) select 'consumer:' || owner, $2 from unnest($1::text[]) as owner`,
    [owners, amount],
  )
  await client.query(
    `with batch as (select 'bench_' || substr(min(owner), 19) as id, count(*) as owners from unnest($1::text[]) as owner),
     funding as (
       insert into promotion_fundings (id, wallet, amount) select id, $3, owners * $2::bigint from batch
       returning id, amount),
     voucher as (
       insert into vouchers (id, batch_id, code_digest, amount, redemptions_max, redeemed, expires_at, created_by)
       select id, id, sha256(convert_to(id, 'utf8')), $2, owners, owners, 'infinity', $3 from batch returning id),
     redemptions as (
       insert into voucher_redemptions (id, voucher_id, wallet, amount)
       select 'vrd_01' || substr(owner, 19), voucher.id, owner, $2 from voucher, unnest($1::text[]) as owner
       returning id, wallet)
     insert into entries (kind, reference, account, amount)
     select 'promotion-funding', id, account, leg.amount
     from funding, lateral (values ('promotions', funding.amount), ('consumer:' || $3, -funding.amount)) leg (account, amount)
     union all
     select 'voucher', id, account, leg.amount
     from redemptions, lateral (values ('consumer:' || wallet, $2::bigint), ('promotions', -$2::bigint)) leg (account, amount)`,
    [owners, amount, from],
  )
  await client.query('update accounts set posted = posted - $2::bigint where id = $1', [
    `consumer:${from}`,
    BigInt(owners.length) * amount,
  ])
}

async function readSeeded(databaseUrl: string, addresses: readonly string[]): Promise<Balance[]> {
  return inDatabase(databaseUrl, async client => {
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
