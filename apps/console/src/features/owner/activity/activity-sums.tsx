import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Stat } from '../../../ui/layout/page.tsx'
import type { Column } from '../../../ui/tables/table.tsx'
import { Table } from '../../../ui/tables/table.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount, formatMs } from '../../../ui/values/format-measures.ts'
import { Latency } from '../../../ui/values/measures.tsx'
import { formatShare } from '../../../ui/values/shares.ts'
import { toneOf } from './activity-chart.tsx'
import { type Activity, callsBetween } from './activity-search.ts'
import { Change } from './change.tsx'
import { type ActivityData, filterOf, tokensOf, useSeriesName } from './use-activity.ts'

/** The sums of the period, each compared with the period before. */
export function ActivitySums({ data: { sums, before } }: { data: ActivityData }) {
  const { total } = sums
  const cached = total.cacheReadTokens > 0 ? `, ${formatCount(total.cacheReadTokens)} cached` : ''
  return (
    <section aria-label="Totals" className="overflow-hidden rounded-lg border bg-line">
      <dl className="grid grid-cols-2 gap-px lg:grid-cols-5 [&>div]:bg-raised max-lg:[&>div:first-child]:col-span-2 [&>div]:p-4 max-sm:[&>div]:p-3">
        <Stat label="Spend" note={<Change now={Number(total.spentUsdc)} before={Number(before.spentUsdc)} />}>
          <Amount usdc={total.spentUsdc} />
        </Stat>
        <Stat
          label="Calls"
          note={
            <>
              <Change now={total.calls} before={before.calls} />
              {total.failedCalls > 0 && ` · ${formatCount(total.failedCalls)} failed`}
            </>
          }
        >
          {formatCount(total.calls)}
        </Stat>
        <Stat
          label="Tokens"
          note={
            tokensOf(total) === 0 ? (
              <Change now={0} before={tokensOf(before)} />
            ) : (
              <>
                <Change now={tokensOf(total)} before={tokensOf(before)} />
                <span className="block">
                  {formatCount(total.inputTokens)} in{cached} · {formatCount(total.outputTokens)} out
                </span>
              </>
            )
          }
        >
          {formatCount(tokensOf(total))}
        </Stat>
        <Stat label="Refused" note={<Change now={total.refusedCalls} before={before.refusedCalls} />}>
          {formatCount(total.refusedCalls)}
        </Stat>
        <Stat
          label="Latency, median"
          note={
            total.latencyP95Ms === null ? 'No successful call' : `95% within ${formatMs(total.latencyP95Ms)}`
          }
        >
          <Latency ms={total.latencyP50Ms} />
        </Stat>
      </dl>
    </section>
  )
}

type Row = {
  readonly id: string
  readonly tone: string
  readonly name: ReactNode
} & Activity['series'][number]

/** The series of the period as a table: also the legend of the chart. */
export function ActivitySeries({ data }: { data: ActivityData }) {
  const { sums, by, period } = data
  const name = useSeriesName(by)
  const rows: Row[] = sums.series.map((series, position) => ({
    ...series,
    id: String(position),
    tone: toneOf(series.key, position),
    name: name(series.key),
  }))
  const span = callsBetween(period.from, period.to)
  const columns = columnsOf({ by, span, spent: Number(sums.total.spentUsdc) })
  return <Table label="Breakdown" columns={columns} rows={rows} rowKey={({ id }) => id} empty={null} />
}

function Tokens({ count }: { count: number }) {
  return count === 0 ? <span className="text-faint">–</span> : formatCount(count)
}

type ColumnsOf = {
  readonly by: ActivityData['by']
  /** Filter of the list of calls. */
  readonly span: ReturnType<typeof callsBetween>
  /** In USDC. */
  readonly spent: number
}

// long: a list of columns
function columnsOf({ by, span, spent }: ColumnsOf): readonly Column<Row>[] {
  return [
    {
      id: 'name',
      isName: true,
      head: { service: 'Service', credential: 'Credential', model: 'Model' }[by],
      cell: row => (
        <span className="flex min-w-0 items-center gap-2">
          <span aria-hidden className={clsx('size-2.5 shrink-0 rounded-sm', row.tone)} />
          <Link
            to="/app/calls/{-$id}"
            params={{ id: undefined }}
            search={{ ...span, ...filterOf(by, row.key) }}
            className="min-w-0 rounded font-medium hover:underline"
          >
            {row.name}
          </Link>
        </span>
      ),
    },
    { id: 'calls', head: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
    {
      id: 'failed',
      head: 'Failed',
      isNumber: true,
      isExtra: true,
      cell: ({ key, failedCalls, calls }) =>
        failedCalls === 0 ? (
          <span className="text-faint">–</span>
        ) : (
          <Link
            to="/app/calls/{-$id}"
            params={{ id: undefined }}
            search={{ ...span, ...filterOf(by, key), state: 'FAILED' }}
            className="rounded hover:underline"
          >
            {formatCount(failedCalls)} ({formatShare(failedCalls / calls)})
          </Link>
        ),
    },
    {
      id: 'in',
      head: 'Input',
      isNumber: true,
      isExtra: true,
      cell: row => <Tokens count={row.inputTokens} />,
    },
    {
      id: 'cached',
      head: 'Cached',
      isNumber: true,
      isExtra: true,
      cell: row => <Tokens count={row.cacheReadTokens} />,
    },
    {
      id: 'out',
      head: 'Output',
      isNumber: true,
      isExtra: true,
      cell: row => <Tokens count={row.outputTokens} />,
    },
    {
      id: 'latency',
      head: 'Median',
      isNumber: true,
      isExtra: true,
      cell: row => <Latency ms={row.latencyP50Ms} />,
    },
    { id: 'spent', head: 'Spend', amount: ({ spentUsdc }) => spentUsdc },
    {
      id: 'share',
      head: 'Share',
      isNumber: true,
      isExtra: true,
      cell: row => (
        <span className="text-faint">{spent === 0 ? '–' : formatShare(Number(row.spentUsdc) / spent)}</span>
      ),
    },
  ]
}
