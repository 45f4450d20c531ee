import { formatUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { CreatedVouchers, VoucherOut } from '@farebox/wire/vouchers'
import type { Deps, Tx } from '../../ports.ts'
import { lockBooks } from '../ledger/lock-books.ts'
import { presentVoucher } from './present.ts'
import { CODE_BYTES, codeDigest, writeCode } from './rules.ts'
import { insertFunding, insertVouchers, sumObligations } from './store.ts'

/** Vouchers to create: `count` of `amount` micro-USDC each, for up to `redemptionsMax` wallets each. */
export type NewVouchers = {
  readonly amount: Usdc
  readonly count: number
  readonly redemptionsMax: number
  readonly expiresAt: Date
  /** Wallet that creates them and pays what the promotions account lacks. Lower-case. */
  readonly createdBy: string
}

/** Created vouchers, without their codes, for the admins' audit log. */
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
 * @returns the vouchers with their codes, of which only digests are stored
 * @throws GatewayError INVALID_PAYLOAD when they would already be expired; INSUFFICIENT_BALANCE, with `requiredUsdc`
 * and `availableUsdc`
 */
export async function createVouchers(
  deps: Pick<Deps, 'db' | 'ids' | 'clock'>,
  input: NewVouchers,
  onMade: (tx: Tx, made: MadeVouchers) => Promise<unknown>,
): Promise<CreatedVouchers> {
  const { amount, count, redemptionsMax, expiresAt, createdBy } = input
  if (expiresAt.getTime() <= deps.clock.now()) {
    throw new GatewayError('INVALID_PAYLOAD', {}, { message: 'expiresAt: Must be in the future.' })
  }
  const batchId = deps.ids.next('vcb')
  const coded = Array.from({ length: count }, () => ({
    id: deps.ids.next('vch'),
    code: writeCode(deps.ids.nonce(CODE_BYTES)),
  }))
  const vouchers = coded.map(({ id, code }) => ({ id, codeDigest: codeDigest(code) }))
  const total = usdc(amount * BigInt(count) * BigInt(redemptionsMax))

  const made = await deps.db.transaction(async tx => {
    const funded = await fund(tx, { wallet: createdBy, total, reference: batchId })
    const rows = await insertVouchers(tx, {
      id: batchId,
      vouchers,
      amount,
      redemptionsMax,
      expiresAt,
      createdBy,
    })
    const outcome: MadeVouchers = {
      batchId,
      vouchers: rows.map(presentVoucher),
      totalUsdc: formatUsdc(total),
      fundedUsdc: formatUsdc(funded),
    }
    await onMade(tx, outcome)
    return outcome
  })
  const codes = new Map(coded.map(({ id, code }) => [id, code]))
  return {
    status: 'success',
    vouchers: made.vouchers.map(voucher => ({
      ...voucher,
      voucherCode: codes.get(voucher.voucherId) ?? '',
    })),
    totalUsdc: made.totalUsdc,
    fundedUsdc: made.fundedUsdc,
  }
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
