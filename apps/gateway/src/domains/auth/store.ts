import type { WalletAddress } from '@farebox/wire/auth'
import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import type { ChallengeKind, StoredChallenge } from './rules.ts'

/** The wallet of a session, and whether the session was revoked. */
export type SessionRow = {
  username: string
  isProvider: boolean
  suspendedAt: Date | null
  suspensionReason: string | null
  createdAt: Date
  isRevoked: boolean
}

/**
 * Number of expired challenges that each new one deletes; more than one, so that the table shrinks even without the
 * job.
 */
const PURGED_PER_INSERT = 4

/** Stores a challenge under the digest of its text. */
export async function insertChallenge(
  db: Queryable,
  challenge: { digest: Buffer; address: WalletAddress; kind: ChallengeKind; expiresAt: Date; now: Date },
): Promise<void> {
  await db.query(sql`
    with purged as (
      delete from challenges where digest in (
        select digest from challenges where expires_at <= ${challenge.now}
        order by expires_at limit ${PURGED_PER_INSERT} for update skip locked))
    insert into challenges (digest, address, kind, expires_at)
    values (${challenge.digest}, ${challenge.address}, ${challenge.kind}, ${challenge.expiresAt})`)
}

/** Returns the challenge whose text has this digest. */
export async function findChallenge(db: Queryable, digest: Buffer): Promise<StoredChallenge | undefined> {
  const [row] = await db.query<StoredChallenge>(
    sql`select address, kind, expires_at from challenges where digest = ${digest}`,
  )
  return row
}

/** Deletes a challenge that has not expired. Returns true to exactly one caller. */
export async function deleteChallenge(tx: Tx, digest: Buffer, now: Date): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from challenges where digest = ${digest} and expires_at > ${now} returning 1`,
  )
  return rows.length === 1
}

/** Inserts a wallet unless it exists. */
export async function insertWallet(
  tx: Tx,
  wallet: { address: WalletAddress; username: string },
): Promise<void> {
  await tx.query(sql`
    insert into wallets (address, username) values (${wallet.address}, ${wallet.username})
    on conflict do nothing`)
}

/** Returns the wallet of a session; undefined if unknown. Runs on every guarded request, as a prepared statement. */
export async function readSession(
  db: Queryable,
  session: { wallet: WalletAddress; jti: string },
): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>({
    name: 'auth_read_session',
    text: `select username, is_provider, suspended_at, suspension_reason, created_at,
                  exists (select 1 from revoked_sessions where jti = $2) as is_revoked
           from wallets where address = $1`,
    values: [session.wallet, session.jti],
  })
  return row
}

/** How a wallet is shown to others; `isProvider`: it has registered a service. */
export type Named = { readonly username: string; readonly isProvider: boolean }

/** Returns the usernames of wallets; unknown wallets are missing. */
export async function readUsernames(db: Queryable, wallets: readonly string[]): Promise<Map<string, Named>> {
  const rows = await db.query<Named & { address: string }>(
    sql`select address, username, is_provider from wallets where address = any(${wallets}::text[])`,
  )
  return new Map(rows.map(({ address, username, isProvider }) => [address, { username, isProvider }]))
}

/** Stores that a session was revoked. */
export async function insertRevokedSession(
  db: Queryable,
  session: { jti: string; expiresAt: Date },
): Promise<void> {
  await db.query(sql`
    insert into revoked_sessions (jti, expires_at) values (${session.jti}, ${session.expiresAt})
    on conflict do nothing`)
}

/** Gives a wallet the provider role. */
export async function updateIsProvider(tx: Tx, wallet: WalletAddress): Promise<void> {
  await tx.query(sql`update wallets set is_provider = true where address = ${wallet} and not is_provider`)
}

/** Writes the username of a wallet. */
export async function updateUsername(tx: Tx, wallet: WalletAddress, username: string): Promise<void> {
  await tx.query(sql`update wallets set username = ${username} where address = ${wallet}`)
}

/** Deletes up to `limit` expired challenges; returns their number. */
export async function deleteExpiredChallenges(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from challenges where digest in (
      select digest from challenges where expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked) returning 1`)
  return rows.length
}

/** Deletes up to `limit` revocations of expired sessions; returns their number. */
export async function deleteExpiredRevocations(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from revoked_sessions where jti in (
      select jti from revoked_sessions where expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked) returning 1`)
  return rows.length
}

/** A wallet as stored. */
export type WalletRow = {
  readonly address: WalletAddress
  readonly username: string
  readonly isProvider: boolean
  readonly suspendedAt: Date | null
  readonly createdAt: Date
}

const walletColumns = sql`address, username, is_provider, suspended_at, created_at`

/** Locks a wallet; returns undefined if it is unknown. */
export async function lockWallet(tx: Tx, wallet: WalletAddress): Promise<WalletRow | undefined> {
  const [row] = await tx.query<WalletRow>(
    sql`select ${walletColumns} from wallets where address = ${wallet} for no key update`,
  )
  return row
}

/** Suspends a wallet, or resumes it with null. A trigger updates the row that its holds lock. */
export async function writeSuspension(
  tx: Tx,
  wallet: WalletAddress,
  suspension: { readonly reason: string | null } | null,
): Promise<WalletRow> {
  const [row] = await tx.query<WalletRow>(sql`
    update wallets set suspended_at = case when ${suspension !== null}::boolean then now() end,
      suspension_reason = ${suspension?.reason ?? null}
    where address = ${wallet} returning ${walletColumns}`)
  if (row === undefined) throw new Error('The wallet that was just locked is gone.')
  return row
}

/** Returns the suspension of a wallet, null without one, and prevents a change until the transaction ends. */
export async function readSuspension(
  tx: Tx,
  wallet: WalletAddress,
): Promise<{ readonly suspensionReason: string | null } | null> {
  const [row] = await tx.query<{ isSuspended: boolean; suspensionReason: string | null }>(sql`
    select suspended_at is not null as is_suspended, suspension_reason
    from wallets where address = ${wallet} for share`)
  return row?.isSuspended === true ? row : null
}
