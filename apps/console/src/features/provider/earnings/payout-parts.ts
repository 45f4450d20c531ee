import type { AnswerOf } from '@farebox/client'
import { minUsdc, parseUsdc, type Usdc, usdc, ZERO } from '@farebox/money'

type Capability = Pick<
  AnswerOf<'readWithdrawalCapability'>,
  | 'receivableUsdc'
  | 'receivablePromotionalUsdc'
  | 'vaultLiquidityUsdc'
  | 'autoApproveMaxUsdc'
  | 'autoApproveLeftTodayUsdc'
  | 'isAutoApprovalOn'
>
type OpenWithdrawal = Pick<
  AnswerOf<'listWithdrawals'>['withdrawals'][number],
  'amountUsdc' | 'status' | 'ticket'
>

/** Earnings that can be withdrawn, by when a withdrawal of them would get its ticket. The parts add up to all of them. */
export type PayoutParts = {
  /** Gets a ticket at once. */
  readonly now: Usdc
  /** Above today's limit of payouts without a review; a ticket at once on later UTC days. */
  readonly nextDays: Usdc
  /** Number of UTC days for `nextDays` by the limit of the wallet alone; 0 without such a part. */
  readonly days: number
  /** More than the vault can pay now. */
  readonly short: Usdc
  /** Needs a review on any day: earned from vouchers, or no payout goes without a review now. */
  readonly reviewed: Usdc
  /** Why nothing goes without a review now; null if something may. */
  readonly block: 'books' | 'chain' | 'limit' | null
}

/**
 * Splits what a provider can withdraw by the rules in force: promotional earnings are withdrawn last and always
 * reviewed; the rest gets a ticket at once within the limits of the UTC day and what the vault can pay.
 */
export function payoutParts(capability: Capability): PayoutParts {
  const receivable = parseUsdc(capability.receivableUsdc)
  const promotional = minUsdc(parseUsdc(capability.receivablePromotionalUsdc), receivable)
  const perDay = parseUsdc(capability.autoApproveMaxUsdc)
  const { vaultLiquidityUsdc } = capability
  const block = blockOf(capability, perDay)
  if (block !== null || vaultLiquidityUsdc === null)
    return { now: ZERO, nextDays: ZERO, days: 0, short: ZERO, reviewed: receivable, block }
  const deposited = usdc(receivable - promotional)
  const payable = minUsdc(deposited, parseUsdc(vaultLiquidityUsdc))
  const now = minUsdc(payable, parseUsdc(capability.autoApproveLeftTodayUsdc))
  const nextDays = usdc(payable - now)
  return {
    now,
    nextDays,
    days: Number((nextDays + perDay - 1n) / perDay),
    short: usdc(deposited - payable),
    reviewed: promotional,
    block: null,
  }
}

function blockOf({ vaultLiquidityUsdc, isAutoApprovalOn }: Capability, perDay: Usdc): PayoutParts['block'] {
  if (vaultLiquidityUsdc === null) return 'chain'
  if (!isAutoApprovalOn) return 'books'
  return perDay === ZERO ? 'limit' : null
}

/** Amounts of open withdrawals, in review and with a ticket; `deadline` is the first of the tickets, in ISO 8601. */
export function openParts(withdrawals: readonly OpenWithdrawal[]) {
  const ticketed = withdrawals.flatMap(({ amountUsdc, ticket }) =>
    ticket === null ? [] : [{ amountUsdc, deadline: ticket.deadline }],
  )
  const first = Math.min(...ticketed.map(({ deadline }) => deadline))
  return {
    inReview: sumOf(withdrawals.filter(({ status }) => status === 'PENDING_REVIEW')),
    ticketed: sumOf(ticketed),
    deadline: ticketed.length === 0 ? null : new Date(first * 1_000).toISOString(),
  }
}

const sumOf = (rows: readonly { amountUsdc: string }[]): Usdc =>
  usdc(rows.reduce((sum, { amountUsdc }) => sum + parseUsdc(amountUsdc), 0n))
