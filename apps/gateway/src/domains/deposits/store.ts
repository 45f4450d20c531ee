import type { Usdc } from '@farebox/money'
import type { DepositRejection, DepositStatus } from '@farebox/wire/deposits'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import type { DepositedEvent, Queryable, Tx, VaultPlace } from '../../ports.ts'
import { matchEvents, statesBefore } from './rules.ts'

/** A deposit as stored; see the migration. */
export type DepositRow = {
  id: string
  wallet: string
  txHash: Hex
  status: DepositStatus
  claimed: Usdc | null
  /** Without what was reversed. */
  credited: Usdc | null
  logIndex: number | null
  confirmations: number
  reason: DepositRejection | null
  createdAt: Date
  isOverdue: boolean
}

/** A confirmed vault event as stored. */
export type VaultDepositRow = {
  txHash: Hex
  logIndex: number
  wallet: string
  amount: Usdc
  blockNumber: bigint
  blockHash: Hex
  /** Reference of its movement in the books. */
  reference: string
}

/** Age after which a claim of an unknown transaction is rejected. */
const OVERDUE = sql`interval '24 hours'`

/** SQL: the sum of a deposit's reversed events. */
const REVERSED = sql`(
  select coalesce(sum(v.amount), 0) from vault_deposits v
  where v.tx_hash = deposits.tx_hash and v.wallet = deposits.wallet and v.reversed_by is not null)`

const columns = sql`id, wallet, tx_hash, status, claimed, (credited - ${REVERSED})::bigint as credited, log_index,
  confirmations, reason, created_at,
  created_at < now() - ${OVERDUE} as is_overdue`

/** Returns a wallet's deposit, or undefined. */
export async function findDeposit(
  db: Queryable,
  key: { id: string; wallet: string },
): Promise<DepositRow | undefined> {
  const [row] = await db.query<DepositRow>(
    sql`select ${columns} from deposits where id = ${key.id} and wallet = ${key.wallet}`,
  )
  return row
}

/**
 * Registers a claim. Takes over a deposit that the follower has already found.
 *
 * @returns undefined if the wallet has already claimed this transaction
 */
export async function insertClaim(
  tx: Tx,
  claim: { id: string; wallet: string; txHash: Hex; amount: Usdc },
): Promise<DepositRow | undefined> {
  const { id, wallet, txHash, amount } = claim
  const [row] = await tx.query<DepositRow>(sql`
    insert into deposits (id, wallet, tx_hash, status, claimed, registered_at)
    values (${id}, ${wallet}, ${txHash}, 'pending', ${amount}, now())
    on conflict (wallet, tx_hash) do update set claimed = excluded.claimed, registered_at = now()
      where deposits.registered_at is null
    returning ${columns}`)
  return row
}

/** Returns the number of a wallet's claims that are neither credited nor rejected. */
export async function countOpenClaims(tx: Tx, wallet: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from deposits where wallet = ${wallet} and status in ('pending', 'confirming')`)
  return row?.count ?? 0
}

/** Returns true if a transaction's deposits were credited to other wallets only. */
export async function isCreditedToOthers(
  tx: Tx,
  query: { chainId: number; txHash: Hex; wallet: string },
): Promise<boolean> {
  const { chainId, txHash, wallet } = query
  const [row] = await tx.query<{ others: boolean }>(sql`
    select coalesce(bool_or(credited_at is not null) and not bool_or(wallet = ${wallet}), false) as others
    from vault_deposits where chain_id = ${chainId} and tx_hash = ${txHash}`)
  return row?.others === true
}

/** Returns a page of a wallet's deposits, newest first. */
export function listDeposits(
  db: Queryable,
  query: { wallet: string; before: string | null; limit: number },
): Promise<DepositRow[]> {
  const { wallet, before, limit } = query
  return db.query<DepositRow>(sql`
    select ${columns} from deposits where wallet = ${wallet} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit}`)
}

/** Returns overdue deposits, in random order, so that those that cannot be settled do not take every place. */
export function overdueDeposits(db: Queryable, limit: number): Promise<DepositRow[]> {
  return db.query<DepositRow>(sql`
    select ${columns} from deposits
    where status in ('pending', 'confirming') and created_at < now() - ${OVERDUE}
    order by random() limit ${limit}`)
}

/** Writes the progress of a deposit, unless it has advanced further in the meantime. */
export async function writeProgress(db: Queryable, id: string, confirmations: number): Promise<void> {
  await db.query(sql`
    update deposits set status = 'confirming', confirmations = ${confirmations}
    where id = ${id} and status = any(${statesBefore('confirming')}::text[])`)
}

/** Rejects a deposit, unless it is no longer open. */
export async function writeRejection(
  db: Queryable,
  rejection: { id: string; confirmations: number; reason: DepositRejection },
): Promise<void> {
  await db.query(sql`
    update deposits
    set status = 'rejected', reason = ${rejection.reason}, confirmations = ${rejection.confirmations}
    where id = ${rejection.id} and status = any(${statesBefore('rejected')}::text[])`)
}

/** SQL: always true. Each half has an index, and without it a deposit by an authorization is sought among all. */
export const GONE_OR_NOT = sql`(gone_at is null or gone_at is not null)`

/** Advisory lock on recording vault events. */
const RECORDING_LOCK = 7_462_028

/** A credited deposit whose event has moved or is back. */
export type Returned = { readonly txHash: Hex; readonly logIndex: number }

/** Locks the records: two concurrent matches against different forks would each add the events that the other lacks. */
export async function lockRecording(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${RECORDING_LOCK})`)
}

/**
 * Records confirmed vault events, under {@link lockRecording}. `events` must include all deposits of each transaction, as
 * they are matched with its records. An event is recorded once, even if reorganisations move it, and again after its
 * credit was reversed.
 *
 * @returns credited deposits that were gone and are on the chain again
 */
export async function recordEvents(
  tx: Tx,
  { chainId, vault }: VaultPlace,
  events: readonly DepositedEvent[],
): Promise<Returned[]> {
  const moved = await recordMoved(tx, chainId, events)
  const here = events.filter(event => !moved.events.has(event))
  const byHash = Map.groupBy(here, event => event.txHash.toLowerCase() as Hex)
  const rows = await tx.query<RecordedRow>(sql`
    select tx_hash, log_index, wallet as owner, amount, credited_at is not null as is_credited,
           block_hash, gone_at is not null as is_gone
    from vault_deposits
    where chain_id = ${chainId} and tx_hash = any(${[...byHash.keys()]}::text[]) and reversed_by is null
    order by tx_hash, log_index for update`)
  const recorded = Map.groupBy(rows, row => row.txHash)
  const returned = [...moved.returned]
  for (const [txHash, all] of byHash) {
    const before = recorded.get(txHash) ?? []
    const { known, fresh, stale } = matchEvents(before, all)
    if (stale.length > 0)
      await tx.query(sql`
        delete from vault_deposits where chain_id = ${chainId} and tx_hash = ${txHash}
          and log_index = any(${stale}::int[]) and credited_at is null`)
    for (const { logIndex, event } of known) {
      const row = before.find(seen => seen.logIndex === logIndex)
      if (row === undefined || (row.blockHash === event.blockHash && !row.isGone)) continue
      await tx.query(sql`
        update vault_deposits
        set block_number = ${event.blockNumber}, block_hash = ${event.blockHash}, gone_at = null
        where chain_id = ${chainId} and tx_hash = ${txHash} and log_index = ${logIndex} and reversed_by is null`)
      if (row.isGone) returned.push({ txHash: row.txHash, logIndex })
    }
    if (fresh.length > 0) await insertEvents(tx, { chainId, vault }, fresh)
  }
  return returned
}

/**
 * Records that authorizations are used in another transaction than before a reorganisation. A credited deposit of this
 * amount keeps its key and is not credited again; an uncredited one is deleted.
 *
 * @returns events whose deposits are credited, and those of these deposits that were gone
 */
async function recordMoved(
  tx: Tx,
  chainId: number,
  events: readonly DepositedEvent[],
): Promise<{ events: ReadonlySet<DepositedEvent>; returned: Returned[] }> {
  const moved = new Set<DepositedEvent>()
  const returned: Returned[] = []
  for (const event of events) {
    const { authorization, owner, amount, txHash, blockNumber, blockHash } = event
    if (authorization === null) continue
    const isElsewhere = sql`chain_id = ${chainId} and wallet = ${owner} and authorization_nonce = ${authorization}
      and tx_hash <> ${txHash.toLowerCase()} and reversed_by is null and ${GONE_OR_NOT}`
    await tx.query(sql`delete from vault_deposits where ${isElsewhere} and credited_at is null`)
    const [row] = await tx.query<Returned & { isGone: boolean }>(sql`
      with before as (
        select tx_hash, log_index, gone_at from vault_deposits where ${isElsewhere} and amount = ${amount} for update)
      update vault_deposits v set block_number = ${blockNumber}, block_hash = ${blockHash}, gone_at = null
      from before b
      where v.chain_id = ${chainId} and v.tx_hash = b.tx_hash and v.log_index = b.log_index and v.reversed_by is null
      returning v.tx_hash, v.log_index, b.gone_at is not null as is_gone`)
    if (row === undefined) continue
    moved.add(event)
    if (row.isGone) returned.push({ txHash: row.txHash, logIndex: row.logIndex })
  }
  return { events: moved, returned }
}

type RecordedRow = {
  txHash: Hex
  logIndex: number
  owner: string
  amount: Usdc
  isCredited: boolean
  blockHash: Hex
  isGone: boolean
}

/**
 * Inserts events. Skips an event in the place of another, credited deposit; the comparison with the vault's count
 * reveals that it is missing.
 */
async function insertEvents(
  tx: Tx,
  { chainId, vault }: VaultPlace,
  events: readonly DepositedEvent[],
): Promise<void> {
  await tx.query(sql`
    insert into vault_deposits (chain_id, vault, tx_hash, log_index, wallet, amount, block_number, block_hash,
      authorization_nonce, turn)
    select ${chainId}, ${vault}, e.*, (
      select count(*) from vault_deposits v
      where v.chain_id = ${chainId} and v.tx_hash = e.tx_hash and v.log_index = e.log_index and v.reversed_by is not null)
    from unnest(
      ${events.map(event => event.txHash.toLowerCase())}::text[], ${events.map(event => event.logIndex)}::int[],
      ${events.map(event => event.owner)}::text[], ${events.map(event => event.amount)}::bigint[],
      ${events.map(event => event.blockNumber)}::bigint[], ${events.map(event => event.blockHash)}::text[],
      ${events.map(event => event.authorization)}::text[]
    ) as e (tx_hash, log_index, wallet, amount, block_number, block_hash, authorization_nonce) order by 3, 4
    on conflict do nothing`)
}

/**
 * Returns events to credit now: registered ones, and those that have waited long enough, or were first seen before the
 * database's clock was set back.
 */
export function dueEvents(
  db: Queryable,
  query: { chainId: number; waitSeconds: number; limit: number },
): Promise<VaultDepositRow[]> {
  return db.query<VaultDepositRow>(sql`
    select v.tx_hash, v.log_index, v.wallet, v.amount, v.block_number, v.block_hash, v.reference from vault_deposits v
    where v.chain_id = ${query.chainId} and v.credited_at is null
      and (v.confirmed_at <= now() - make_interval(secs => ${query.waitSeconds}) or v.confirmed_at > now()
        or exists (select 1 from deposits d
          where d.wallet = v.wallet and d.tx_hash = v.tx_hash and d.registered_at is not null))
    order by v.block_number, v.tx_hash, v.log_index limit ${query.limit}`)
}

/** Events of one transaction. */
type EventsOfTx = {
  readonly chainId: number
  readonly txHash: Hex
  readonly logIndexes: readonly number[]
}

const areUncredited = ({ chainId, txHash, logIndexes }: EventsOfTx) =>
  sql`chain_id = ${chainId} and tx_hash = ${txHash} and log_index = any(${logIndexes}::int[]) and credited_at is null`

/** Locks and returns those of the events that are not credited yet. */
export function lockUncredited(tx: Tx, events: EventsOfTx): Promise<VaultDepositRow[]> {
  return tx.query<VaultDepositRow>(sql`
    select tx_hash, log_index, wallet, amount, block_number, block_hash, reference from vault_deposits
    where ${areUncredited(events)} order by log_index for update`)
}

/** Marks locked events as credited. */
export async function markCredited(tx: Tx, events: EventsOfTx): Promise<void> {
  await tx.query(sql`
    with written as (
      update vault_deposits set credited_at = now() where ${areUncredited(events)} returning 1)
    select expect_rows(count(*), ${events.logIndexes.length}, 'vault deposits') from written`)
}

/**
 * Marks a wallet's deposit as credited with all events of its transaction, claimed or not. The amount includes events
 * that were reversed, as the books keep their entries.
 */
export async function writeCredit(
  tx: Tx,
  credit: { id: string; chainId: number; wallet: string; txHash: Hex; confirmations: number },
): Promise<void> {
  const { id, chainId, wallet, txHash, confirmations } = credit
  await tx.query(sql`
    insert into deposits (id, wallet, tx_hash, status, credited, log_index, confirmations)
    select ${id}, ${wallet}, ${txHash}, 'credited', sum(amount),
      coalesce(min(log_index) filter (where reversed_by is null), min(log_index)), ${confirmations}
    from vault_deposits
    where chain_id = ${chainId} and tx_hash = ${txHash} and wallet = ${wallet} and credited_at is not null
    having count(*) > 0
    on conflict (wallet, tx_hash) do update
      set status = 'credited', credited = excluded.credited, log_index = excluded.log_index, reason = null,
          confirmations = greatest(deposits.confirmations, excluded.confirmations)`)
}
