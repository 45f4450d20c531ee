import { formatUsdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { RedeemedVoucher } from '@farebox/wire/vouchers'
import { requestHash } from '../../http/idempotency.ts'
import type { Deps, Tx } from '../../ports.ts'
import { type OnceOnly, onceOnly } from '../../sql/once-only.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { codeDigest, judgeRedemption, readCode } from './rules.ts'
import { findVoucher, insertRedemption, lockVoucher } from './store.ts'

/** The stored part of an answer. Without the code, which other wallets may still redeem. */
type Redemption = Pick<RedeemedVoucher, 'amountUsdc'>

/**
 * Redeems a voucher for a wallet: once per wallet, and for at most the promised number of wallets.
 *
 * @param input.voucherCode    as typed by a user
 * @param input.idempotencyKey null: no replay; redeeming again is refused and pays nothing
 * @throws GatewayError VOUCHER_NOT_FOUND; VOUCHER_EXPIRED; VOUCHER_ALREADY_REDEEMED with `reason` `by_this_wallet` or
 * `used_up`; IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS
 */
export async function redeemVoucher(
  deps: Pick<Deps, 'db' | 'ids'>,
  input: { wallet: string; voucherCode: string; idempotencyKey: string | null },
): Promise<OnceOnly<RedeemedVoucher>> {
  const { wallet, idempotencyKey: key } = input
  const voucherCode = readCode(input.voucherCode)
  if (voucherCode === null) throw new GatewayError('VOUCHER_NOT_FOUND')
  const digest = codeDigest(voucherCode)
  const request = { scope: `vouchers:${wallet}`, key, requestHash: requestHash(digest.toString('hex')) }
  const { body, isReplay } = await onceOnly(deps.db, request, tx => payOut(deps, tx, { wallet, digest }))
  return { body: { status: 'success', voucherCode, amountUsdc: body.amountUsdc }, isReplay }
}

async function payOut(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  { wallet, digest }: { wallet: string; digest: Buffer },
): Promise<Redemption> {
  const voucher = await findVoucher(tx, digest)
  if (voucher === undefined) throw new GatewayError('VOUCHER_NOT_FOUND')
  const { id: voucherId, amount } = voucher
  const reference = deps.ids.next('vrd')
  const movement = { kind: 'voucher', wallet, amount, reference } as const
  const books = await lockBooks(tx, [movement])
  const fault = judgeRedemption(await lockVoucher(tx, { id: voucherId, wallet }))
  if (fault !== null) {
    const { code, reason, message } = fault
    throw new GatewayError(code, { reason }, message === undefined ? {} : { message })
  }
  // Cannot happen, as creating the voucher funded it.
  if (!books.post(movement)) throw new RangeError(`Promotions do not cover the voucher ${voucherId}.`)
  await Promise.all([insertRedemption(tx, { id: reference, voucherId, wallet, amount }), books.write()])
  return { amountUsdc: formatUsdc(amount) }
}
