import type { WalletAddress } from '@farebox/wire/auth'
import sql, { empty } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { CODE_ATTEMPTS_MAX, EMPTY_PROFILE, type ProfileRecord } from './rules.ts'

type Row = {
  notifications: boolean
  email: string | null
  sendsDay: number
  sends: number
  codeAttempts: number
  sealedCode: string | null
} & (
  | { stagedEmail: null }
  | {
      stagedEmail: string
      codeId: string
      codeDigest: Buffer
      codeExpiresAt: Date
      codeQueuedAt: Date
    }
)

/** Returns the profile of a wallet. */
export async function findProfile(db: Queryable, wallet: WalletAddress): Promise<ProfileRecord> {
  return (await selectProfile(db, wallet, empty)) ?? EMPTY_PROFILE
}

/** Returns the profile of a wallet, locked until the transaction ends. Creates the row if needed. */
export async function lockProfile(tx: Tx, wallet: WalletAddress): Promise<ProfileRecord> {
  const [, locked] = await Promise.all([
    tx.query(sql`insert into profiles (wallet) values (${wallet}) on conflict do nothing`),
    // Selects from one table without a join, so that after waiting for a lock it returns the updated row.
    selectProfile(tx, wallet, sql`for update`),
  ])
  if (locked === undefined) throw new Error('The new profile is missing.')
  return locked
}

async function selectProfile(
  db: Queryable,
  wallet: WalletAddress,
  lock: typeof empty,
): Promise<ProfileRecord | undefined> {
  const [row] = await db.query<Row>(sql`
    select notifications, email, sends_day, sends, staged_email, code_id, code_digest, code_attempts,
           code_expires_at, sealed_code, code_queued_at
    from profiles where wallet = ${wallet} ${lock}`)
  return row && readRow(row)
}

function readRow(row: Row): ProfileRecord {
  const { notifications, email, sends } = row
  const reported = { notifications, email, sends, sendsDay: row.sendsDay }
  if (row.stagedEmail === null) return { ...reported, staged: null }
  return {
    ...reported,
    staged: {
      email: row.stagedEmail,
      codeId: row.codeId,
      codeDigest: row.codeDigest,
      attempts: row.codeAttempts,
      expiresAt: row.codeExpiresAt,
      sealedCode: row.sealedCode,
      queuedAt: row.codeQueuedAt,
    },
  }
}

/** Writes a record returned by {@link lockProfile}. */
export async function writeProfile(tx: Tx, wallet: WalletAddress, record: ProfileRecord): Promise<void> {
  const { staged } = record
  await tx.query(sql`
    update profiles set
      notifications = ${record.notifications}, email = ${record.email},
      sends_day = ${record.sendsDay}, sends = ${record.sends},
      staged_email = ${staged?.email ?? null}, code_id = ${staged?.codeId ?? null},
      code_digest = ${staged?.codeDigest ?? null}, code_attempts = ${staged?.attempts ?? 0},
      code_expires_at = ${staged?.expiresAt ?? null}, sealed_code = ${staged?.sealedCode ?? null},
      code_queued_at = ${staged?.queuedAt ?? null}
    where wallet = ${wallet}`)
}

/** A code to mail. */
export type MailDue = { wallet: WalletAddress; email: string; sealedCode: string; expiresAt: Date }

/** Returns the code of this id if it still has to be mailed: not void, mailed, locked or expired. */
export async function findMailDue(db: Queryable, codeId: string, now: Date): Promise<MailDue | undefined> {
  const [row] = await db.query<MailDue>(sql`
    select wallet, staged_email as email, sealed_code, code_expires_at as expires_at
    from profiles
    where code_id = ${codeId} and sealed_code is not null and code_expires_at > ${now}
      and code_attempts < ${CODE_ATTEMPTS_MAX}`)
  return row
}

/** Deletes the encrypted code of this id, once it needs no mail. */
export async function forgetCode(db: Queryable, codeId: string): Promise<void> {
  await db.query(sql`update profiles set sealed_code = null where code_id = ${codeId}`)
}

/**
 * Marks up to `limit` codes as queued now whose mail was queued before a time and not sent since; returns their ids.
 */
export async function takeUnmailed(
  tx: Tx,
  take: { queuedBefore: Date; now: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ codeId: string }>(sql`
    update profiles set code_queued_at = ${take.now} where wallet in (
      select wallet from profiles
      where sealed_code is not null and code_queued_at <= ${take.queuedBefore} and code_expires_at > ${take.now}
      order by code_queued_at limit ${take.limit} for update skip locked)
    returning code_id`)
  return rows.map(row => row.codeId)
}

/** Deletes up to `limit` encrypted codes that expired unmailed; returns their number. */
export async function forgetExpired(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    update profiles set sealed_code = null where wallet in (
      select wallet from profiles where sealed_code is not null and code_expires_at <= ${now}
      limit ${limit} for update skip locked)
    returning 1`)
  return rows.length
}

/**
 * Counts a mail to a mailbox, unless the limit is reached.
 *
 * @param mail.recipient keyed digest of the mailbox
 * @returns true if the mail may be sent
 */
export async function countMail(
  tx: Tx,
  mail: { recipient: Buffer; day: number; max: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into mail_counts (recipient, day, mails) values (${mail.recipient}, ${mail.day}, 1)
    on conflict (recipient, day) do update set mails = mail_counts.mails + 1
      where mail_counts.mails < ${mail.max}
    returning 1`)
  return rows.length === 1
}

/** Deletes up to `limit` counts of days before the given one; returns their number. */
export async function deleteMailCounts(db: Queryable, before: number, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from mail_counts where (recipient, day) in (
      select recipient, day from mail_counts where day < ${before} limit ${limit} for update skip locked)
    returning 1`)
  return rows.length
}

/** Returns the verified addresses of those wallets that want mail about events. */
export function findMailAddresses(
  db: Queryable,
  wallets: readonly string[],
): Promise<{ wallet: string; email: string }[]> {
  return db.query(sql`
    select wallet, email from profiles where wallet = any(${wallets}) and email is not null and notifications`)
}
