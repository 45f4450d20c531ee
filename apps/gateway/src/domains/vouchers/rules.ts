import { createHash } from 'node:crypto'
import type { ErrorCode } from '@farebox/wire/errors'
import type { VoucherStatus } from '@farebox/wire/vouchers'

/** Crockford base32: no I, L, O and U, which people misread, or read as something else. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BITS_PER_DIGIT = 5
const CODE_DIGITS = 28
const GROUP_DIGITS = 4
const PREFIX = 'FBX'
/** Random bytes in a code: 140 bits of them, so that nobody finds one by trying. */
export const CODE_BYTES = 18

/** A voucher as its redemption finds it. */
export type VoucherState = {
  readonly redeemed: number
  readonly redemptions_max: number
  readonly is_expired: boolean
  /** Whether the wallet that asks has redeemed it before. */
  readonly is_own: boolean
}

/**
 * Writes a code: `FBX-` and seven groups of four digits.
 *
 * @param random {@link CODE_BYTES} random bytes in hex
 */
export function writeCode(random: string): string {
  let value = BigInt(`0x${random}`)
  const groups: string[] = []
  let group = ''
  for (let digit = 0; digit < CODE_DIGITS; digit += 1) {
    group += DIGITS.charAt(Number(value & 31n))
    value >>= BigInt(BITS_PER_DIGIT)
    if (group.length === GROUP_DIGITS) {
      groups.push(group)
      group = ''
    }
  }
  return [PREFIX, ...groups].join('-')
}

/**
 * Reads a code as people type it: any case, with or without dashes, spaces and prefix; O for 0, I and L for 1.
 *
 * @returns the code as {@link writeCode} wrote it, or null when the text is none
 */
export function readCode(text: string): string | null {
  const typed = text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}_.]/gu, '')
  const digits = (typed.startsWith(PREFIX) ? typed.slice(PREFIX.length) : typed)
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  const isCode = digits.length === CODE_DIGITS && [...digits].every(digit => DIGITS.includes(digit))
  if (!isCode) return null
  return [PREFIX, ...(digits.match(/.{4}/g) ?? [])].join('-')
}

/** What a voucher is found by: the SHA-256 of its code. With 140 random bits in it, it needs no salt. */
export function codeDigest(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

/** Why a voucher does not pay a wallet, the nearest reason first; null when it does. */
export function judgeRedemption(
  state: VoucherState,
): { code: ErrorCode; reason: string; message?: string } | null {
  if (state.is_own) return { code: 'VOUCHER_ALREADY_REDEEMED', reason: 'by_this_wallet' }
  if (state.is_expired) return { code: 'VOUCHER_EXPIRED', reason: 'expired' }
  if (state.redeemed < state.redemptions_max) return null
  return {
    code: 'VOUCHER_ALREADY_REDEEMED',
    reason: 'used_up',
    message: 'This voucher was redeemed as often as it could be.',
  }
}

/** Where a voucher stands. One that is used up stays so. */
export function statusOf(voucher: Omit<VoucherState, 'is_own'>): VoucherStatus {
  if (voucher.redeemed >= voucher.redemptions_max) return 'used_up'
  return voucher.is_expired ? 'expired' : 'active'
}
