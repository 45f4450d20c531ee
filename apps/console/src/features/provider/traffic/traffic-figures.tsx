import { parseUsdc, ZERO } from '@farebox/money'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, Stat } from '../../../ui/layout/page.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { Latency, SuccessRate } from '../../../ui/values/measures.tsx'
import type { Traffic } from './traffic.ts'

type Sums = Traffic['total']

const NO_CALLS: Sums = {
  calls: 0,
  callers: 0,
  succeeded: 0,
  open: 0,
  providerFaults: 0,
  callerFaults: 0,
  otherFaults: 0,
  latencyMs: null,
  earnedUsdc: '0.000000',
  promotionalUsdc: '0.000000',
}

/** Returns the share of calls that the provider answered well, without those of callers' faults; null without calls. */
export function successRate({ succeeded, providerFaults }: Pick<Sums, 'succeeded' | 'providerFaults'>) {
  const judged = succeeded + providerFaults
  return judged === 0 ? null : succeeded / judged
}

/** The totals of the period. */
export function TrafficFigures({ traffic }: { traffic: Traffic | undefined }) {
  const total = traffic?.total
  const figure = (label: string, value: (sums: Sums) => ReactNode, note: (sums: Sums) => ReactNode) => (
    <Stat
      label={label}
      // Takes its lines before the sums are there, so that nothing moves when they come.
      note={<span className={clsx(total === undefined && 'invisible')}>{note(total ?? NO_CALLS)}</span>}
    >
      {total === undefined ? <Skeleton className="mt-1 h-6 w-20" /> : value(total)}
    </Stat>
  )
  return (
    <Card>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-5 md:grid-cols-3">
        {figure(
          'Calls',
          ({ calls }) => formatCount(calls),
          ({ callers, open }) =>
            `From ${formatCount(callers)} ${callers === 1 ? 'wallet' : 'wallets'}${open > 0 ? `, ${formatCount(open)} in flight` : ''}`,
        )}
        {figure(
          'Succeeded',
          sums => (
            <SuccessRate rate={successRate(sums)} />
          ),
          () => 'Excluding callers’ errors',
        )}
        {figure(
          'Your errors',
          ({ providerFaults }) => formatCount(providerFaults),
          () => 'Timeouts, 5xx, 408, 429',
        )}
        {figure(
          'Callers’ errors',
          ({ callerFaults }) => formatCount(callerFaults),
          ({ otherFaults }) => (otherFaults > 0 ? `And ${formatCount(otherFaults)} others` : 'Other 4xx'),
        )}
        {figure(
          'Median latency',
          ({ latencyMs }) => (
            <Latency ms={latencyMs?.p50 ?? null} />
          ),
          ({ latencyMs }) => (
            <>
              p95 <Latency ms={latencyMs?.p95 ?? null} /> · p99 <Latency ms={latencyMs?.p99 ?? null} />
            </>
          ),
        )}
        {figure(
          'Earned',
          ({ earnedUsdc }) => (
            <Amount usdc={earnedUsdc} />
          ),
          ({ promotionalUsdc }) =>
            parseUsdc(promotionalUsdc) > ZERO ? (
              <>
                <Amount usdc={promotionalUsdc} /> of it from vouchers
              </>
            ) : (
              'Nothing from vouchers'
            ),
        )}
      </dl>
    </Card>
  )
}
