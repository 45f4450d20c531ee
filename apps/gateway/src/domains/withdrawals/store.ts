import { type Usdc, usdc } from '@farebox/money'
import type { ReviewCause, WithdrawalStatus } from '@farebox/wire/withdrawals'
import sql, { empty } from 'sql-template-tag'
import type { Address, Hex } from 'viem'
import type { Queryable, Tx, VaultPlace } from '../../ports.ts'
import { TICKET_IS_OUT } from './rules.ts'

/** A withdrawal as stored; see the migration. */
export type WithdrawalRow = {
  id: string
  wallet: Address
  amount: Usdc
  /** Part of the amount that was earned from promotional credit. */
  promotional: Usdc
  source: 'earnings' | 'fees'
  /** The admin who opened it, for a withdrawal of fees. */
  openedBy: Address | null
  status: WithdrawalStatus
  nonce: Hex
  chainId: bigint | null
  vault: Address | null
  deadline: bigint | null
  signature: Hex | null
  /** Null in tickets of the first version. */
  signer: Address | null
  issuedBlock: bigint | null
  txHash: Hex | null
  redeemedIn: string | null
  reviewReason: string | null
  /** Empty if it got its ticket at once. */
  reviewCauses: readonly ReviewCause[]
  openedAt: Date
  updatedAt: Date
}

/** Returns the movement that releases the money of a withdrawal that was not paid. */
export const releaseOf = ({ id, wallet, source, amount, promotional }: WithdrawalRow) =>
  ({ kind: 'withdrawal-release', wallet, source, amount, promotional, reference: id }) as const

/** Columns that signing a ticket adds to a withdrawal: the ticket, its vault, and its signer. */
export type IssuedTicket = VaultPlace & {
  deadline: bigint
  signature: Hex
  signer: Address
  issuedBlock: bigint
}

/** Place on the chain where a ticket was paid. */
export type RedeemedAt = { txHash: Hex; logIndex: number; blockNumber: bigint }

const columns = sql`id, wallet, amount, promotional, source, opened_by, status, nonce, chain_id, vault, deadline, signature, signer,
  issued_block, tx_hash, redeemed_in, review_reason, review_causes, opened_at, updated_at`

/** Advisory lock on issuing tickets. */
const TICKETING_LOCK = 7_462_007

/**
 * Prevents other transactions from issuing tickets until this one ends. Two tickets that the vault could each pay must
 * not both be issued if it cannot pay them together. Acquire it before any account lock.
 */
export async function lockTicketing(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${TICKETING_LOCK})`)
}

/**
 * Returns the sum of the tickets that the figures of a vault as of a block do not include as paid: those that are out,
 * and those paid in a later block.
 */
export async function sumPromised(db: Queryable, at: VaultPlace, atBlock: bigint): Promise<Usdc> {
  return sumOf(
    db,
    sql`select coalesce(sum(amount), 0)::bigint as amount from withdrawals
      where chain_id = ${at.chainId} and vault = ${at.vault}
        and (status = any(${TICKET_IS_OUT}::text[]) or redeemed_block > ${atBlock})`,
  )
}

/**
 * Returns the sum that a wallet has opened on this UTC day, by database time. Includes lapsed withdrawals but not
 * rejected ones.
 */
export async function sumOpenedToday(db: Queryable, wallet: string): Promise<Usdc> {
  return sumOf(
    db,
    sql`select coalesce(sum(amount), 0)::bigint as amount from withdrawals
      where wallet = ${wallet} and opened_at >= date_trunc('day', now(), 'UTC')
        and status <> 'REJECTED'`,
  )
}

/** Returns the sum of automatic approvals for all wallets on this UTC day, by database time, including lapsed ones. */
export async function sumAutomaticToday(db: Queryable): Promise<Usdc> {
  return sumOf(
    db,
    sql`select coalesce(sum(amount), 0)::bigint as amount from withdrawals
      where is_automatic and opened_at >= date_trunc('day', now(), 'UTC')`,
  )
}

/** Returns the total paid to a wallet, and the part of its promotional earnings that is withdrawn or pending. */
export async function sumWithdrawn(
  db: Queryable,
  wallet: string,
): Promise<{ amount: Usdc; promotional: Usdc }> {
  const [row] = await db.query<{ amount: bigint; promotional: bigint }>(sql`
    select coalesce((select sum(amount) from withdrawals
             where wallet = ${wallet} and status = 'COMPLETED' and source = 'earnings'), 0)::bigint as amount,
           coalesce((select -sum(amount) from recorded_promotions
             where account = 'provider:' || ${wallet}::text and amount < 0), 0)::bigint as promotional`)
  return { amount: usdc(row?.amount ?? 0n), promotional: usdc(row?.promotional ?? 0n) }
}

async function sumOf(db: Queryable, statement: ReturnType<typeof sql>): Promise<Usdc> {
  const [row] = await db.query<{ amount: bigint }>(statement)
  return usdc(row?.amount ?? 0n)
}

/** Inserts a withdrawal, with or without its ticket. */
export async function insertWithdrawal(
  tx: Tx,
  opened: {
    id: string
    wallet: string
    amount: Usdc
    promotional: Usdc
    source: WithdrawalRow['source']
    openedBy: string | null
    nonce: Hex
    /** Null: it waits for a review. */
    ticket: IssuedTicket | null
    reviewCauses: readonly ReviewCause[]
  },
): Promise<WithdrawalRow> {
  const { id, wallet, amount, promotional, source, openedBy, nonce, ticket, reviewCauses } = opened
  const isAutomatic = ticket !== null
  const rows = await tx.query<WithdrawalRow>(sql`
    insert into withdrawals (id, wallet, amount, promotional, status, nonce, chain_id, vault, deadline, signature, signer,
      issued_block, is_automatic, source, opened_by, review_causes)
    values (${id}, ${wallet}, ${amount}, ${promotional}, ${isAutomatic ? 'APPROVED_AUTO' : 'PENDING_REVIEW'}, ${nonce}, ${ticket?.chainId ?? null},
      ${ticket?.vault ?? null}, ${ticket?.deadline ?? null}, ${ticket?.signature ?? null}, ${ticket?.signer ?? null},
      ${ticket?.issuedBlock ?? null}, ${isAutomatic}, ${source},
      ${openedBy}, ${reviewCauses}::text[])
    returning ${columns}`)
  return theOne(rows, id)
}

/** Returns a withdrawal, optionally only if it is a given wallet's. */
export async function findWithdrawal(
  db: Queryable,
  key: { id: string; wallet?: string },
): Promise<WithdrawalRow | undefined> {
  const ofWallet = key.wallet === undefined ? empty : sql`and wallet = ${key.wallet}`
  const [row] = await db.query<WithdrawalRow>(
    sql`select ${columns} from withdrawals where id = ${key.id} ${ofWallet}`,
  )
  return row
}

/** Locks and returns a withdrawal. Accounts of its movement must be locked before. */
export async function lockWithdrawal(tx: Tx, id: string): Promise<WithdrawalRow> {
  const rows = await tx.query<WithdrawalRow>(
    sql`select ${columns} from withdrawals where id = ${id} for update`,
  )
  return theOne(rows, id)
}

/** Returns a page of withdrawals, by default newest first, optionally of a wallet or in a status. */
export function listWithdrawals(
  db: Queryable,
  query: {
    wallet?: string | undefined
    status?: WithdrawalStatus | undefined
    order?: 'newest' | 'oldest'
    /** Id of the last one of the previous page. */
    after: string | null
    limit: number
  },
): Promise<WithdrawalRow[]> {
  const { wallet, status, order, after, limit } = query
  const isOldestFirst = order === 'oldest'
  return db.query<WithdrawalRow>(sql`
    select ${columns} from withdrawals where true
      ${wallet === undefined ? empty : sql`and wallet = ${wallet}`}
      ${status === undefined ? empty : sql`and status = ${status}`}
      ${after === null ? empty : isOldestFirst ? sql`and id > ${after}` : sql`and id < ${after}`}
    order by id ${isOldestFirst ? empty : sql`desc`} limit ${limit}`)
}

/** Past withdrawals of a wallet. */
export type WalletHistory = {
  readonly wallet: Address
  readonly paid: bigint
  readonly paidAmount: Usdc
  readonly rejected: bigint
  readonly firstOpenedAt: Date
}

/** Returns what wallets withdrew so far; those that never did are missing. */
export function readHistories(db: Queryable, wallets: readonly Address[]): Promise<WalletHistory[]> {
  return db.query<WalletHistory>(sql`
    select wallet, count(*) filter (where status = 'COMPLETED') as paid,
      coalesce(sum(amount) filter (where status = 'COMPLETED'), 0)::bigint as paid_amount,
      count(*) filter (where status = 'REJECTED') as rejected, min(opened_at) as first_opened_at
    from withdrawals where wallet = any(${wallets}::text[]) group by wallet`)
}

/** Returns withdrawals whose ticket for a vault is out, earliest deadline first, optionally of a wallet. */
export function listOutTickets(
  db: Queryable,
  at: VaultPlace,
  query: { wallet?: string | undefined; limit: number },
): Promise<WithdrawalRow[]> {
  return db.query<WithdrawalRow>(sql`
    select ${columns} from withdrawals
    where status = any(${TICKET_IS_OUT}::text[]) and chain_id = ${at.chainId} and vault = ${at.vault}
      ${query.wallet === undefined ? empty : sql`and wallet = ${query.wallet}`}
    order by deadline limit ${query.limit}`)
}

/**
 * Locks and returns withdrawals whose ticket for a vault is out and was signed with another key, earliest deadline
 * first.
 */
export function lockSignedByOthers(
  tx: Tx,
  at: VaultPlace & { signer: Address },
  limit: number,
): Promise<WithdrawalRow[]> {
  return tx.query<WithdrawalRow>(sql`${signedByOthers(at, limit)} for update`)
}

/** {@link lockSignedByOthers} without a lock. */
export function listSignedByOthers(
  db: Queryable,
  at: VaultPlace & { signer: Address },
  limit: number,
): Promise<WithdrawalRow[]> {
  return db.query<WithdrawalRow>(signedByOthers(at, limit))
}

const signedByOthers = (at: VaultPlace & { signer: Address }, limit: number) => sql`
  select ${columns} from withdrawals
  where status = any(${TICKET_IS_OUT}::text[]) and chain_id = ${at.chainId} and vault = ${at.vault}
    and signer is distinct from ${at.signer}
  order by deadline limit ${limit}`

/** Replaces the signature of the ticket of a locked withdrawal. */
export async function writeSignature(
  tx: Tx,
  id: string,
  signed: { signature: Hex; signer: Address },
): Promise<void> {
  await tx.query(sql`
    update withdrawals set signature = ${signed.signature}, signer = ${signed.signer}, updated_at = now()
    where id = ${id}`)
}

/** Returns withdrawals by the nonces of their tickets, if the vault may pay them: signed for it, or not signed yet. */
export function findByNonces(
  db: Queryable,
  at: VaultPlace,
  nonces: readonly Hex[],
): Promise<WithdrawalRow[]> {
  return db.query<WithdrawalRow>(sql`
    select ${columns} from withdrawals where nonce = any(${nonces}::text[])
      and (vault is null or (chain_id = ${at.chainId} and vault = ${at.vault}))`)
}

/** Returns true if a transaction is bound to another withdrawal. */
export async function isBoundElsewhere(db: Queryable, txHash: Hex, id: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 from withdrawals where tx_hash = ${txHash} and id <> ${id}`)
  return rows.length > 0
}

/** Closes a locked withdrawal as paid. `isBound`: the transaction is bound to this withdrawal. */
export async function writeCompleted(
  tx: Tx,
  id: string,
  at: RedeemedAt & { isBound: boolean },
): Promise<WithdrawalRow> {
  const rows = await tx.query<WithdrawalRow>(sql`
    update withdrawals set status = 'COMPLETED', tx_hash = ${at.isBound ? at.txHash : null},
      redeemed_in = ${redeemedIn(at)}, redeemed_block = ${at.blockNumber}, updated_at = now()
    where id = ${id} returning ${columns}`)
  return theOne(rows, id)
}

/** Updates the redemption of a locked, completed withdrawal that a reorganisation has moved. */
export async function writeMoved(
  tx: Tx,
  id: string,
  to: RedeemedAt & { isBound: boolean },
): Promise<WithdrawalRow> {
  const rows = await tx.query<WithdrawalRow>(sql`
    update withdrawals set tx_hash = ${to.isBound ? to.txHash : null}, redeemed_in = ${redeemedIn(to)},
      redeemed_block = ${to.blockNumber}, updated_at = now()
    where id = ${id} and status = 'COMPLETED' returning ${columns}`)
  return theOne(rows, id)
}

/** Closes a locked withdrawal without payment. */
export async function writeClosed(
  tx: Tx,
  id: string,
  closed: { status: 'CANCELLED' | 'REJECTED'; reason: string | null },
): Promise<WithdrawalRow> {
  const rows = await tx.query<WithdrawalRow>(sql`
    update withdrawals set status = ${closed.status}, review_reason = coalesce(${closed.reason}, review_reason),
      updated_at = now()
    where id = ${id} returning ${columns}`)
  return theOne(rows, id)
}

/** Writes the ticket of a locked withdrawal after review. */
export async function writeApproved(
  tx: Tx,
  id: string,
  approved: { ticket: IssuedTicket; reason: string | null },
): Promise<WithdrawalRow> {
  const { ticket, reason } = approved
  const rows = await tx.query<WithdrawalRow>(sql`
    update withdrawals set status = 'APPROVED_MANUAL', chain_id = ${ticket.chainId}, vault = ${ticket.vault},
      deadline = ${ticket.deadline}, signature = ${ticket.signature}, signer = ${ticket.signer},
      issued_block = ${ticket.issuedBlock}, review_reason = ${reason}, updated_at = now()
    where id = ${id} returning ${columns}`)
  return theOne(rows, id)
}

/** Returns the key under which a redemption is stored. */
export const redeemedIn = (at: { txHash: Hex; logIndex: number }): string => `${at.txHash}:${at.logIndex}`

/** Returns the transaction that paid a withdrawal, or null. */
export function redemptionHash(row: WithdrawalRow): Hex | null {
  return row.txHash ?? (row.redeemedIn?.split(':')[0] as Hex | undefined) ?? null
}

function theOne(rows: readonly WithdrawalRow[], id: string): WithdrawalRow {
  const [row] = rows
  if (row === undefined) throw new Error(`The withdrawal ${id} is gone.`)
  return row
}
