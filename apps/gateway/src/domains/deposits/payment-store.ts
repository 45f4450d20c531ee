import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Tx, VaultPlace } from '../../ports.ts'
import { GONE_OR_NOT } from './store.ts'

/** Advisory lock on the sum of what is at risk. */
const AT_RISK_LOCK = 7_462_031

/** Returns true if a transfer by an authorization is credited. */
export async function isCreditedPayment(
  db: Queryable,
  { chainId }: VaultPlace,
  { payer, nonce }: { payer: string; nonce: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from vault_deposits
    where chain_id = ${chainId} and wallet = ${payer} and authorization_nonce = ${nonce}
      and credited_at is not null and reversed_by is null and ${GONE_OR_NOT}`)
  return rows.length > 0
}

/**
 * Locks and returns the sum of credited transfers by authorizations that the follower has not confirmed yet, or that a
 * reorganisation took away, in micro-USDC; and the height up to which it has read, which does not change until the
 * transaction ends.
 */
export async function lockAtRisk(
  tx: Tx,
  { chainId, vault }: VaultPlace,
): Promise<{ sum: bigint; followedTo: bigint }> {
  await tx.query(sql`select pg_advisory_xact_lock(${AT_RISK_LOCK})`)
  const [cursor] = await tx.query<{ followedTo: bigint }>(sql`
    select block_number as followed_to from vault_cursors
    where chain_id = ${chainId} and vault = ${vault} for share`)
  const followedTo = cursor?.followedTo ?? -1n
  const sumOf = (which: Sql) => sql`coalesce((
    select sum(amount) from vault_deposits
    where chain_id = ${chainId} and vault = ${vault} and authorization_nonce is not null
      and credited_at is not null and reversed_by is null and ${which}), 0)`
  // With the height as a value, the planner sees that few are above it.
  const [row] = await tx.query<{ sum: bigint }>(sql`
    select (${sumOf(sql`gone_at is null and block_number > ${followedTo}`)}
      + ${sumOf(sql`gone_at is not null`)})::bigint as sum`)
  if (row === undefined) throw new Error('The database returned no sum.')
  return { sum: row.sum, followedTo }
}
