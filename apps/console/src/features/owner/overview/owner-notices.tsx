import type { AnswerOf } from '@farebox/client'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { intervalLabel } from '../../../ui/values/intervals.ts'
import { formatShare, shareOf } from '../../../ui/values/shares.ts'
import { type Activity, callsOfDays } from '../activity/activity-search.ts'
import { reasonOf } from '../activity/refusals-card.tsx'
import { type Alert, describeAlert } from '../alerts/alert-labels.ts'
import { type Credential, stateOf } from '../credentials/credential-labels.ts'
import { usedCreditOf } from '../credentials/credential-usage.tsx'

/** Used share of a cap that causes a notice. */
const NEAR = 0.8
/** Age up to which an alert is noticed, in ms. */
const ALERTS_SHOWN_MS = 86_400_000
/** Failures of today that cause a notice: this many, and this share of the calls. */
const FAILED_MIN = 3
const FAILED_SHARE = 0.2
const SOON_SECONDS = 3 * 86_400
/** Most notices about credentials; further ones are summed up. */
const CREDENTIALS_SHOWN = 3

type OwnerNotice = {
  readonly key: string
  readonly text: ReactNode
  readonly to: string
  /** Search of the linked page, such as the credential to open. */
  readonly search?: object
  readonly action: string
}

/** Notices about what failed or was refused today, caps that are nearly reached, credentials that expire soon, and an empty balance. */
export function OwnerNotices(props: {
  balance: AnswerOf<'readBalance'> | null
  policy: AnswerOf<'readSpendingPolicy'> | null
  credentials: readonly Credential[]
  alerts: readonly Alert[]
  /** The sums of today. */
  today: Activity | null
}) {
  const { balance, policy, credentials: list, alerts, today } = props
  const isEmpty = balance !== null && Number(balance.consumer_available_balance) === 0
  const notices = [
    ...(isEmpty && list.some(({ status }) => status === 'active') ? [emptyBalance] : []),
    ...(today === null ? [] : [...ofFailures(today), ...ofRefusals(today)]),
    ...(policy === null ? [] : ofPolicy(policy)),
    ...ofCredentials(list),
    ...ofAlerts(alerts),
  ]
  if (notices.length === 0) return null
  return (
    <section
      aria-label="Notices"
      className="flex flex-col divide-y divide-line rounded-lg bg-warn-soft text-sm text-warn"
    >
      {notices.map(({ key, text, to, search, action }) => (
        <p key={key} className="flex items-center gap-2.5 px-4 py-2">
          <CircleAlert aria-hidden className="size-4 shrink-0" />
          <span className="mr-auto min-w-0 break-words">{text}</span>
          <Link
            to={to}
            search={(search ?? {}) as never}
            className="shrink-0 rounded font-medium underline-offset-2 hover:underline"
          >
            {action}
          </Link>
        </p>
      ))}
    </section>
  )
}

const emptyBalance: OwnerNotice = {
  key: 'balance',
  text: 'Your balance is empty. Paid calls are refused.',
  to: '/app/deposit',
  action: 'Deposit',
}

function ofFailures({ total: { calls, failedCalls } }: Activity): OwnerNotice[] {
  if (failedCalls < FAILED_MIN || failedCalls / calls < FAILED_SHARE) return []
  const text = `${formatCount(failedCalls)} of ${formatCount(calls)} calls failed today. Nothing was charged for them.`
  const search = { ...callsOfDays(1, Date.now()), state: 'FAILED' }
  return [{ key: 'failed', text, to: '/app/calls', search, action: 'Failed calls' }]
}

/** The limit that refused most calls of today. */
function ofRefusals({ refusals, total }: Activity): OwnerNotice[] {
  const [most] = refusals.toSorted((a, b) => b.calls - a.calls)
  if (most === undefined) return []
  const [label, remedy] = reasonOf(most)
  const text = `${formatCount(total.refusedCalls)} ${total.refusedCalls === 1 ? 'call was' : 'calls were'} refused today, most often by: ${label}.`
  const search = remedy?.isOfCredential ? { open: most.credentialId } : {}
  const where = remedy ?? { to: '/app/activity', action: 'Activity' }
  return [{ key: 'refused', text, to: where.to, search, action: where.action }]
}

function ofPolicy(policy: AnswerOf<'readSpendingPolicy'>): OwnerNotice[] {
  const caps = [
    [
      'month',
      policy.allowUnlimited ? null : policy.spendingLimitUsdc,
      policy.spentThisMonthUsdc,
      'this month',
    ],
    ['day', policy.dailyLimitUsdc, policy.spentTodayUsdc, 'today'],
  ] as const
  return caps.flatMap(([key, cap, used, when]) => {
    if (cap === null) return []
    const share = shareOf(used, cap)
    if (share < NEAR) return []
    const text =
      share >= 1
        ? `The spending policy is used up ${when}. Paid calls are refused.`
        : `${formatShare(share)} of your spending policy ${when} is used.`
    return [{ key, text, to: '/app/policy', action: 'Policy' }]
  })
}

function ofAlerts(alerts: readonly Alert[]): OwnerNotice[] {
  const recent = alerts.filter(({ firedAt }) => Date.now() - Date.parse(firedAt) < ALERTS_SHOWN_MS)
  const [newest] = recent
  if (newest === undefined) return []
  const { title, detail } = describeAlert(newest)
  const more = recent.length > 1 ? ` And ${recent.length - 1} more in the last day.` : ''
  return [{ key: 'alerts', text: `${title}: ${detail}${more}`, to: '/app/alerts', action: 'Alerts' }]
}

function ofCredentials(credentials: readonly Credential[]): OwnerNotice[] {
  const notices = credentials.flatMap(credential => {
    const text = describeCredential(credential)
    return text === null
      ? []
      : [
          {
            key: credential.id,
            text,
            to: '/app/credentials',
            search: { open: credential.id },
            action: 'View',
          },
        ]
  })
  if (notices.length <= CREDENTIALS_SHOWN) return notices
  const rest = notices.length - CREDENTIALS_SHOWN + 1
  const others = {
    key: 'others',
    text: `${rest} more credentials need attention.`,
    to: '/app/credentials',
    action: 'View',
  }
  return [...notices.slice(0, CREDENTIALS_SHOWN - 1), others]
}

function describeCredential(credential: Credential): string | null {
  const { name, status, creditLimit, resetInterval } = credential
  if (status === 'revoked') return null
  if (status === 'expired') return isForDays(credential) ? null : `${name} has expired.`
  if (stateOf(credential).label === 'Used up') return `${name} has reached its call limit.`
  if (creditLimit !== null && shareOf(usedCreditOf(credential), creditLimit) >= NEAR) {
    const share = shareOf(usedCreditOf(credential), creditLimit)
    return `${name} has used ${formatShare(Math.min(1, share))} of its spending limit ${intervalLabel(resetInterval)}.`
  }
  if (secondsFrom(Date.now(), credential) < SOON_SECONDS && !isForDays(credential))
    return `${name} expires within three days.`
  return null
}

/** Seconds from a time in Unix milliseconds until a credential expires; infinite if it does not. */
const secondsFrom = (time: number, { expiresAt }: Credential): number =>
  (expiresAt ?? Number.POSITIVE_INFINITY) - time / 1_000

/** Returns true for a credential that was created for at most three days, as by the playground: its end is no news. */
const isForDays = (credential: Credential): boolean =>
  secondsFrom(Date.parse(credential.createdAt), credential) <= SOON_SECONDS
