import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { CreatedVouchers, VoucherOut } from '@farebox/wire/vouchers'
import { requestHash } from '../../http/idempotency.ts'
import type { Deps, SecretBox, Tx } from '../../ports.ts'
import { type OnceOnly, onceOnly } from '../../sql/once-only.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { presentVoucher } from './present.ts'
import { codeDigest, writeCode } from './rules.ts'
import { findVoucher, insertFunding, insertVouchers, sumObligations } from './store.ts'

/** Vouchers to create: `count` of `amount` micro-USDC each, for up to `redemptionsMax` wallets each. */
export type NewVouchers = {
  readonly amount: Usdc
  readonly count: number
  readonly redemptionsMax: number
  readonly expiresAt: Date
  /** Wallet that creates them and pays what the promotions account lacks. Lower-case. */
  readonly createdBy: string
  /** Null: no replay; the same request again creates others. */
  readonly idempotencyKey: string | null
}

/** Created vouchers, without their codes, for the admins' audit log and for replays. */
export type MadeVouchers = {
  readonly batchId: string
  readonly vouchers: readonly VoucherOut[]
  readonly totalUsdc: string
  readonly fundedUsdc: string
}

/**
 * Creates vouchers and funds the promotions account with what all valid vouchers may pay out. The creating wallet pays
 * the missing amount. Money left by expired vouchers is used for later ones.
 *
 * @param onMade called in the transaction; throwing rolls it back
 * @returns the vouchers with their codes, of which only digests are stored: a replay derives them again
 * @throws GatewayError INVALID_PAYLOAD when they would already be expired; INSUFFICIENT_BALANCE, with `requiredUsdc`
 * and `availableUsdc`; IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS
 */
export async function createVouchers(
  deps: Pick<Deps, 'db' | 'ids' | 'clock' | 'secretBox'>,
  input: NewVouchers,
  onMade: (tx: Tx, made: MadeVouchers) => Promise<unknown>,
): Promise<OnceOnly<CreatedVouchers>> {
  const { amount, count, redemptionsMax, expiresAt, createdBy, idempotencyKey: key } = input
  const request = {
    scope: `voucher-batches:${createdBy}`,
    key,
    requestHash: requestHash({ amount: amount.toString(), count, redemptionsMax, expiresAt }),
  }
  const { body, isReplay } = await onceOnly(deps.db, request, tx => makeVouchers(deps, tx, input, onMade))
  const vouchers = body.vouchers.map(voucher => ({
    ...voucher,
    voucherCode: codeOf(deps.secretBox, voucher.voucherId),
  }))
  const [first] = vouchers
  if (isReplay && first !== undefined && !(await findVoucher(deps.db, codeDigest(first.voucherCode)))) {
    throw new Error(`The codes of ${body.batchId} were derived from another ENCRYPTION_KEY.`)
  }
  const { totalUsdc, fundedUsdc } = body
  return { isReplay, body: { status: 'success', vouchers, totalUsdc, fundedUsdc } }
}

/** Returns the code of a voucher. It is not stored; without ENCRYPTION_KEY it cannot be guessed. */
const codeOf = (box: SecretBox, voucherId: string): string =>
  writeCode(box.digest(voucherId, 'voucher-code').toString('hex'))

async function makeVouchers(
  deps: Pick<Deps, 'ids' | 'clock' | 'secretBox'>,
  tx: Tx,
  { amount, count, redemptionsMax, expiresAt, createdBy }: NewVouchers,
  onMade: (tx: Tx, made: MadeVouchers) => Promise<unknown>,
): Promise<MadeVouchers> {
  if (expiresAt.getTime() <= deps.clock.now()) {
    throw new GatewayError('INVALID_PAYLOAD', {}, { message: 'expiresAt: Must be in the future.' })
  }
  const batchId = deps.ids.next('vcb')
  const ids = Array.from({ length: count }, () => deps.ids.next('vch'))
  const vouchers = ids.map(id => ({ id, codeDigest: codeDigest(codeOf(deps.secretBox, id)) }))
  const total = usdc(amount * BigInt(count) * BigInt(redemptionsMax))
  const funded = await fund(tx, { wallet: createdBy, total, reference: batchId })
  const rows = await insertVouchers(tx, {
    id: batchId,
    vouchers,
    amount,
    redemptionsMax,
    expiresAt,
    createdBy,
  })
  const made: MadeVouchers = {
    batchId,
    vouchers: rows.map(presentVoucher),
    totalUsdc: formatUsdc(total),
    fundedUsdc: formatUsdc(funded),
  }
  await onMade(tx, made)
  return made
}

/** @returns amount debited from the wallet, in micro-USDC */
async function fund(tx: Tx, input: { wallet: string; total: Usdc; reference: string }): Promise<Usdc> {
  const { wallet, total, reference } = input
  const funding = (amount: Usdc) => ({ kind: 'promotion-funding', wallet, amount, reference }) as const
  // Creating and redeeming vouchers both lock the promotions account, so the sum cannot change.
  const books = await lockBooks(tx, [funding(ZERO)])
  const missing = (await sumObligations(tx)) + total - books.promotions()
  if (missing <= 0n) return ZERO
  const available = books.available(wallet)
  const promotional = books.promotionalOf(funding(usdc(missing)))
  if (!books.post(funding(usdc(missing)))) {
    throw new GatewayError(
      'INSUFFICIENT_BALANCE',
      { requiredUsdc: formatUsdc(usdc(missing)), availableUsdc: formatUsdc(available) },
      { message: 'Your balance does not cover what these vouchers may pay out.' },
    )
  }
  const record = { id: reference, wallet, amount: usdc(missing), promotional }
  await Promise.all([insertFunding(tx, record), books.write()])
  return usdc(missing)
}
