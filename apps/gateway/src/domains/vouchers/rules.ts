import { createHash } from 'node:crypto'
import type { ErrorCode } from '@farebox/wire/errors'
import type { VoucherStatus } from '@farebox/wire/vouchers'

/** Crockford base32: without I, L, O and U, which are easily misread. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BITS_PER_DIGIT = 5
const CODE_DIGITS = 28
const GROUP_DIGITS = 4
const PREFIX = 'FBX'

/** State of a voucher at its redemption. */
export type VoucherState = {
  readonly redeemed: number
  readonly redemptionsMax: number
  readonly isExpired: boolean
  /** True if the requesting wallet has already redeemed it. */
  readonly isOwn: boolean
}

/**
 * Formats a code: `FBX-` and seven groups of four digits. It encodes 140 bits; too many to guess.
 *
 * @param secret at least 18 unpredictable bytes in hex
 */
export function writeCode(secret: string): string {
  let value = BigInt(`0x${secret}`)
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
 * Parses a code as people type it: any case, with or without dashes, spaces and prefix; O for 0, I and L for 1.
 *
 * @returns the code as {@link writeCode} formats it, or null if the text is not a code
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

/** Returns the SHA-256 of a code, by which vouchers are found. Needs no salt, as codes have 140 unpredictable bits. */
export function codeDigest(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

/** Returns why a voucher does not pay a wallet, the most specific reason first, or null. */
export function judgeRedemption(
  state: VoucherState,
): { code: ErrorCode; reason: string; message?: string } | null {
  if (state.isOwn) return { code: 'VOUCHER_ALREADY_REDEEMED', reason: 'by_this_wallet' }
  if (state.isExpired) return { code: 'VOUCHER_EXPIRED', reason: 'expired' }
  if (state.redeemed < state.redemptionsMax) return null
  return {
    code: 'VOUCHER_ALREADY_REDEEMED',
    reason: 'used_up',
    message: 'This voucher has no redemptions left.',
  }
}

/** Returns the status of a voucher. A used-up voucher does not expire. */
export function statusOf(voucher: Omit<VoucherState, 'isOwn'>): VoucherStatus {
  if (voucher.redeemed >= voucher.redemptionsMax) return 'used_up'
  return voucher.isExpired ? 'expired' : 'active'
}
