import type { AnswerOf } from '@farebox/client'
import { formatUsdc, parseUsdc, type Usdc, ZERO } from '@farebox/money'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../../api.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatWithUnit } from '../../../ui/values/amounts.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { openParts, type PayoutParts, payoutParts } from './payout-parts.ts'

const REFRESH_MS = 30_000
/** Withdrawals that are searched for open ones, newest first. */
const WITHDRAWALS_READ = 100

type Capability = AnswerOf<'readWithdrawalCapability'>
type Part = {
  readonly label: string
  readonly amount: Usdc
  readonly tone: Tone
  readonly when: string
  readonly note: ReactNode
}

/** When a withdrawal asked for now would be paid, by the rules in force. */
export function PayoutForecast() {
  const capability = useQuery({
    queryKey: ['withdrawals', 'capability'],
    queryFn: ({ signal }) => api.readWithdrawalCapability({ signal }),
    refetchInterval: REFRESH_MS,
  })
  const withdrawals = useQuery({
    queryKey: ['withdrawals', 'newest'],
    queryFn: ({ signal }) => api.listWithdrawals({ query: { limit: WITHDRAWALS_READ }, signal }),
    refetchInterval: REFRESH_MS,
  })
  const failed = [capability, withdrawals].find(({ error, data }) => error !== null && data === undefined)
  return (
    <Card title="Payout forecast" isFlush>
      {failed !== undefined ? (
        <ErrorState error={failed.error} onRetry={failed.refetch} />
      ) : capability.data === undefined || withdrawals.data === undefined ? (
        <Skeleton className="m-4 h-20" />
      ) : (
        <Forecast capability={capability.data} open={openParts(withdrawals.data.withdrawals)} />
      )}
    </Card>
  )
}

function Forecast({ capability, open }: { capability: Capability; open: ReturnType<typeof openParts> }) {
  const parts = payoutParts(capability)
  const shown = [...freeParts(parts, capability), ...lockedParts(open)].filter(({ amount }) => amount > ZERO)
  return (
    <>
      <p className="px-4 py-3 text-muted">{summaryOf(parts, capability)}</p>
      {shown.length > 0 && (
        <ul aria-label="Payout forecast" className="border-t">
          {shown.map(({ label, amount, tone, when, note }) => (
            <li
              key={label}
              className="flex items-baseline justify-between gap-4 border-b px-4 py-3 last:border-b-0"
            >
              <div className="min-w-0">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  {label} <Badge tone={tone}>{when}</Badge>
                </p>
                <p className="mt-0.5 text-sm text-muted">{note}</p>
              </div>
              <Amount usdc={formatUsdc(amount)} className="shrink-0 font-medium" />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Describes the payment of a withdrawal of everything. */
function summaryOf(parts: PayoutParts, { receivableUsdc, ...rules }: Capability): string {
  if (parseUsdc(receivableUsdc) === ZERO) return 'Earnings can be paid out as soon as the call ends.'
  if (parts.now === parseUsdc(receivableUsdc)) {
    const minutes = Math.round(rules.ticketSeconds / 60)
    return `If you withdraw everything, you get a ticket immediately. Redeem it within ${minutes} minutes. The withdrawal completes after ${rules.requiredConfirmations} ${rules.requiredConfirmations === 1 ? 'confirmation' : 'confirmations'}.`
  }
  if (parts.block === 'chain') return 'Nothing can be paid out while the chain cannot be reached.'
  const split = parts.now === ZERO ? '' : ` Up to ${formatWithUnit(parts.now)} needs no review.`
  return `If you withdraw everything, the operator reviews it first. Reviews have no guaranteed time.${split}`
}

const reviewedLabels = {
  vouchers: 'Earned from vouchers',
  books: 'Reviewed first',
  limit: 'Reviewed first',
  chain: 'Waiting for the chain',
} as const

const blocks: Readonly<Record<NonNullable<PayoutParts['block']>, string>> = {
  books:
    'The books of this gateway are being checked. Until they are consistent, every withdrawal is reviewed.',
  chain:
    'The gateway cannot determine what the vault can pay. Withdrawals are refused until then, and nothing is locked.',
  limit: 'This gateway reviews every withdrawal.',
}

function freeParts(parts: PayoutParts, { autoApproveMaxUsdc }: Capability): Part[] {
  const perDay = formatWithUnit(parseUsdc(autoApproveMaxUsdc))
  return [
    {
      label: 'Immediate ticket',
      amount: parts.now,
      tone: 'good',
      when: 'Now',
      note: 'Within today’s limits and the vault’s balance. The vault pays when you redeem the ticket.',
    },
    {
      label: "Above today's limit",
      amount: parts.nextDays,
      tone: 'info',
      when: parts.days === 1 ? 'From 00:00 UTC' : `Over ${parts.days} days from 00:00 UTC`,
      note: `At most ${perDay} per wallet and UTC day is approved automatically, or less if all wallets together reach the global limit.`,
    },
    {
      label: 'More than the vault can pay now',
      amount: parts.short,
      tone: 'warn',
      when: 'Unknown',
      note: 'The vault limits its payouts in any 24 hours. Capacity returns as earlier payouts age out.',
    },
    {
      label: reviewedLabels[parts.block ?? 'vouchers'],
      amount: parts.reviewed,
      tone: 'warn',
      when: parts.block === 'chain' ? 'Not now' : 'After a review',
      note:
        parts.block === null
          ? 'Withdrawn last and always reviewed by the operator. Reviews have no guaranteed time.'
          : blocks[parts.block],
    },
  ]
}

function lockedParts({ inReview, ticketed, deadline }: ReturnType<typeof openParts>): Part[] {
  return [
    {
      label: 'In review',
      amount: inReview,
      tone: 'warn',
      when: 'Locked',
      note: 'Paid by ticket if approved, or returned to your earnings if rejected.',
    },
    {
      label: 'With a ticket',
      amount: ticketed,
      tone: 'info',
      when: 'Locked',
      note: deadline !== null && (
        <>
          The first ticket expires <TimeAgo iso={deadline} />. An unredeemed amount returns to your earnings
          once the chain confirms the expiry.
        </>
      ),
    },
  ]
}
