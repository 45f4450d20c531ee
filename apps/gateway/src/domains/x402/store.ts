import type { Usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import type { Authorization } from '../../payment-ports.ts'
import type { Queryable } from '../../ports.ts'
import { isOver } from '../../sql/is-over.ts'

/** A payment as stored; see the migration. */
export type PaymentRow = {
  readonly signature: string
  readonly amount: Usdc
  readonly requestHash: Buffer | null
  readonly transactions: readonly Hex[]
  readonly settledIn: Hex | null
  readonly credentialId: string | null
  /** True if it was broadcast so recently that it may still be mined. */
  readonly isFresh: boolean
}

type Key = Pick<Authorization, 'payer' | 'nonce'>

/** Time after which a transaction that is not mined is sent again. */
const RESEND_AFTER = sql`interval '20 seconds'`

const columns = sql`signature, amount, request_hash, transactions, settled_in, credential_id,
  coalesce(sent_at between now() - ${RESEND_AFTER} and now(), false) as is_fresh`

/** Returns a payment, or undefined. */
export async function findPayment(db: Queryable, { payer, nonce }: Key): Promise<PaymentRow | undefined> {
  const [row] = await db.query<PaymentRow>(
    sql`select ${columns} from x402_payments where payer = ${payer} and nonce = ${nonce}`,
  )
  return row
}

/** Returns a payment that was broadcast before, or null. */
export async function findSent(db: Queryable, key: Key): Promise<PaymentRow | null> {
  const row = await findPayment(db, key)
  return row === undefined || row.transactions.length === 0 ? null : row
}

/** Binds a payment to the request that it pays for, unless it is bound. */
export async function bindPayment(
  db: Queryable,
  { payer, nonce, signature, amount }: Authorization,
  hash: Buffer | null,
): Promise<void> {
  await db.query(sql`
    insert into x402_payments (payer, nonce, signature, amount, request_hash)
    values (${payer}, ${nonce}, ${signature}, ${amount}, ${hash}) on conflict do nothing`)
}

/** Records a transaction that is about to be broadcast. */
export async function addTransaction(db: Queryable, { payer, nonce }: Key, txHash: Hex): Promise<void> {
  await db.query(sql`
    update x402_payments set transactions = transactions || ${txHash}::text, sent_at = now()
    where payer = ${payer} and nonce = ${nonce}`)
}

/** Records that a transaction of a payment still waits for a block. */
export async function renewSent(db: Queryable, { payer, nonce }: Key): Promise<void> {
  await db.query(sql`
    update x402_payments set sent_at = now() where payer = ${payer} and nonce = ${nonce}`)
}

/** Records the transaction that was credited. */
export async function writeSettled(db: Queryable, { payer, nonce }: Key, txHash: Hex): Promise<void> {
  await db.query(sql`
    update x402_payments set settled_in = ${txHash} where payer = ${payer} and nonce = ${nonce}`)
}

/** Records the credential of a payment's call. @returns the one recorded first */
export async function claimCall(db: Queryable, { payer, nonce }: Key, credentialId: string): Promise<string> {
  const [row] = await db.query<{ credentialId: string }>(sql`
    update x402_payments set credential_id = coalesce(credential_id, ${credentialId})
    where payer = ${payer} and nonce = ${nonce} returning credential_id`)
  if (row === undefined) throw new Error('The payment of a call is not stored.')
  return row.credentialId
}

/** Acquires or renews the lease on sending transactions of a key. */
export async function takeSender(
  db: Queryable,
  lease: { address: string; holder: string; seconds: number },
): Promise<boolean> {
  const { address, holder, seconds } = lease
  const rows = await db.query(sql`
    insert into x402_senders as s (address, holder, lease_until)
    values (${address}, ${holder}, now() + make_interval(secs => ${seconds}))
    on conflict (address) do update set holder = excluded.holder, lease_until = excluded.lease_until
      where s.holder = excluded.holder or ${isOver(sql`s.lease_until`, sql`2 * make_interval(secs => ${seconds})`)}
    returning 1`)
  return rows.length > 0
}

/** Releases that lease. */
export async function giveUpSender(
  db: Queryable,
  { address, holder }: { address: string; holder: string },
): Promise<void> {
  await db.query(sql`
    update x402_senders set lease_until = '-infinity' where address = ${address} and holder = ${holder}`)
}

/** A credential of a payer. */
export type PayerCredential = { readonly credentialId: string; readonly tokenDigest: Buffer }

/** Returns the active credential of a payer's calls whose token is still the one that nobody has. */
export async function findPayer(db: Queryable, wallet: string): Promise<PayerCredential | undefined> {
  const [row] = await db.query<PayerCredential>(sql`
    select p.credential_id, p.token_digest from x402_payers p join credentials c on c.id = p.credential_id
    where p.wallet = ${wallet} and c.status = 'active' and c.token_hash = p.token_digest
      and (c.expires_at is null or c.expires_at > now())`)
  return row
}

/** Stores the credential of a payer's calls. */
export async function writePayer(
  db: Queryable,
  { wallet, credentialId, tokenDigest }: PayerCredential & { wallet: string },
): Promise<void> {
  await db.query(sql`
    insert into x402_payers as p (wallet, credential_id, token_digest)
    values (${wallet}, ${credentialId}, ${tokenDigest})
    on conflict (wallet) do update set credential_id = excluded.credential_id, token_digest = excluded.token_digest`)
}

/** Expired nonces deleted with each new one. */
const SIGN_INS_PURGED = 100

/**
 * Uses up the nonce of a sign-in. Returns true to at most one caller, and to none once it has expired: then the nonce is
 * no longer kept, and the caller's clock may be behind.
 */
export async function useSignIn(db: Queryable, nonce: string, expiresAt: Date): Promise<boolean> {
  await db.query(sql`
    delete from x402_sign_ins where nonce in (
      select nonce from x402_sign_ins where expires_at < now() - interval '1 minute'
      order by expires_at limit ${SIGN_INS_PURGED} for update skip locked)`)
  const rows = await db.query(sql`
    insert into x402_sign_ins (nonce, expires_at)
    select ${nonce}, ${expiresAt}::timestamptz where ${expiresAt}::timestamptz > now()
    on conflict do nothing returning 1`)
  return rows.length > 0
}
