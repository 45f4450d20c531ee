import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowDownToLine, BellRing } from 'lucide-react'
import { api } from '../../../api.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../../ui/layout/page.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { OpenDeposits } from '../deposits/open-deposits.tsx'
import { useServices } from '../first-call.ts'
import { useNewestCredentials } from '../use-names.ts'
import { GettingStarted } from './getting-started.tsx'
import { OwnerNotices } from './owner-notices.tsx'
import { RecentCalls, useRecentCalls } from './recent-calls.tsx'
import { SpendCard, spendingOf } from './spend-card.tsx'
import { SpentNow, useSpent } from './spent-now.tsx'

const POLL_INTERVAL_MS = 10_000

/** Notices, spend by credential and service, the balance, and recent calls. */
export function OverviewPage() {
  return (
    <>
      <PageHead
        title="Overview"
        description="What your agents spend, what is left to spend, and what needs your attention."
        actions={
          <>
            <Link to="/app/alerts" className={buttonClass()}>
              <BellRing aria-hidden className="size-4" />
              Alerts
            </Link>
            <Link to="/app/deposit" className={buttonClass({ variant: 'primary' })}>
              <ArrowDownToLine aria-hidden className="size-4" />
              Deposit
            </Link>
          </>
        }
      />
      <Overview />
    </>
  )
}

/** Renders everything at once when all has loaded, to avoid layout shifts. */
function Overview() {
  const balance = useQuery({
    queryKey: ['balance'],
    queryFn: ({ signal }) => api.readBalance({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const policy = useQuery({
    queryKey: ['policy'],
    queryFn: ({ signal }) => api.readSpendingPolicy({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const deposits = useQuery({
    queryKey: ['deposits', 'newest'],
    queryFn: ({ signal }) => api.listDeposits({ query: { limit: 20 }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const credentials = useNewestCredentials()
  const calls = useRecentCalls()
  const alerts = useQuery({
    queryKey: ['alerts', 'newest'],
    queryFn: ({ signal }) => api.listAlerts({ query: { limit: 20 }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const today = useSpent('1')
  // For the names in the tables.
  const services = useServices()
  // The card below reads the same.
  useQuery(spendingOf())
  const all = [balance, policy, deposits, credentials, calls, alerts, today, services]
  if (all.some(({ isPending }) => isPending)) return <Waiting />
  const isNewcomer = calls.data?.logs.length === 0
  return (
    <div className="flex flex-col gap-5">
      <OwnerNotices
        balance={balance.data ?? null}
        policy={policy.data ?? null}
        credentials={credentials.data?.credentials ?? []}
        alerts={alerts.data?.alerts ?? []}
        today={today.data?.sums ?? null}
      />
      {!isNewcomer && <SpentNow />}
      {balance.data === undefined ? (
        <Card>
          <ErrorState
            title="Your balance could not be read"
            error={balance.error}
            onRetry={balance.refetch}
          />
        </Card>
      ) : (
        <Balance balance={balance.data} />
      )}
      <OpenDeposits deposits={deposits.data?.deposits ?? []} />
      {calls.data !== undefined && (
        <GettingStarted
          hasMoney={balance.data !== undefined && Number(balance.data.consumer_available_balance) > 0}
          hasCredential={credentials.data?.credentials.some(({ status }) => status === 'active') === true}
          calls={calls.data.logs}
        />
      )}
      {!isNewcomer && <SpendCard />}
      <RecentCalls />
    </div>
  )
}

function Balance({ balance }: { balance: AnswerOf<'readBalance'> }) {
  const locked = balance.provider_locked_balance
  return (
    <section aria-label="Balance" className="rounded-lg border bg-raised">
      <dl className="grid grid-cols-2 divide-line sm:grid-cols-3 sm:divide-x max-sm:[&>div:first-child]:col-span-2 max-sm:[&>div:first-child]:border-b max-sm:[&>div:last-child]:border-l [&>div]:p-4">
        <Stat label="Available" note="To spend on calls">
          <Amount usdc={balance.consumer_available_balance} isLarge />
        </Stat>
        <Stat label="Held" note="For calls in flight">
          <Amount usdc={balance.consumer_held_balance} isLarge />
        </Stat>
        <Stat
          label="Earned"
          note={
            Number(locked) > 0 ? (
              <>
                <Amount usdc={locked} /> in open withdrawals
              </>
            ) : (
              'By your services'
            )
          }
        >
          <Amount usdc={balance.provider_receivable_balance} isLarge />
        </Stat>
      </dl>
    </section>
  )
}

function Waiting() {
  return (
    <div className="flex flex-col gap-5">
      <Skeleton className="h-48 max-sm:h-96" />
      <Skeleton className="h-[6.625rem] max-sm:h-[13.25rem]" />
      <Skeleton className="h-80" />
      <Skeleton className="h-96" />
    </div>
  )
}
