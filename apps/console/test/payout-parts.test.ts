import { formatUsdc, type Usdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { openParts, type PayoutParts, payoutParts } from '../src/features/provider/earnings/payout-parts.ts'

const rules = {
  receivableUsdc: '100.000000',
  receivablePromotionalUsdc: '0.000000',
  vaultLiquidityUsdc: '1000.000000',
  autoApproveMaxUsdc: '40.000000',
  autoApproveLeftTodayUsdc: '1000.000000',
  isAutoApprovalOn: true,
}
const shown = ({ now, nextDays, short, reviewed, ...rest }: PayoutParts) => ({
  ...rest,
  amounts: [now, nextDays, short, reviewed].map((amount: Usdc) => Number(formatUsdc(amount))),
})

test.each([
  ['pays everything at once within all limits', {}, [100, 0, 0, 0], 0, null],
  [
    'puts what is above the limit of today on later days',
    { autoApproveLeftTodayUsdc: '10' },
    [10, 90, 0, 0],
    3,
    null,
  ],
  [
    'pays nothing at once when the day is used up',
    { autoApproveLeftTodayUsdc: '0' },
    [0, 100, 0, 0],
    3,
    null,
  ],
  ['gives no date for what the vault cannot pay', { vaultLiquidityUsdc: '30' }, [30, 0, 70, 0], 0, null],
  [
    'applies the limits of the day and of the vault together',
    { vaultLiquidityUsdc: '30', autoApproveLeftTodayUsdc: '10' },
    [10, 20, 70, 0],
    1,
    null,
  ],
  ['reviews promotional earnings', { receivablePromotionalUsdc: '25' }, [75, 0, 0, 25], 0, null],
  [
    'reviews everything while the books are in doubt',
    { isAutoApprovalOn: false, receivablePromotionalUsdc: '25' },
    [0, 0, 0, 100],
    0,
    'books',
  ],
  ['gives no date while the chain is unreachable', { vaultLiquidityUsdc: null }, [0, 0, 0, 100], 0, 'chain'],
  ['reviews everything without a limit for tickets', { autoApproveMaxUsdc: '0' }, [0, 0, 0, 100], 0, 'limit'],
] as const)('the payout forecast %s', (_, changed, amounts, days, block) => {
  expect(shown(payoutParts({ ...rules, ...changed }))).toEqual({ amounts, days, block })
})

test('the payout forecast sums open withdrawals, with the first deadline of their tickets', () => {
  const ticket = (deadline: number) => ({ deadline }) as Parameters<typeof openParts>[0][number]['ticket']
  const open = openParts([
    { amountUsdc: '3.000000', status: 'APPROVED_AUTO', ticket: ticket(2_000) },
    { amountUsdc: '4.500000', status: 'APPROVED_MANUAL', ticket: ticket(1_000) },
    { amountUsdc: '2.000000', status: 'PENDING_REVIEW', ticket: null },
    { amountUsdc: '9.000000', status: 'COMPLETED', ticket: null },
  ])
  expect(open).toEqual({ inReview: 2_000_000n, ticketed: 7_500_000n, deadline: '1970-01-01T00:16:40.000Z' })
  expect(openParts([])).toEqual({ inReview: 0n, ticketed: 0n, deadline: null })
})
