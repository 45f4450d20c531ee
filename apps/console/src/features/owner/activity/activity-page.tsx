import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn, ZoomOut } from 'lucide-react'
import { api } from '../../../api.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { TimeInput } from '../../../ui/forms/time-input.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { DownloadCsv } from '../../../ui/tables/download-csv.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { ActivityChart } from './activity-chart.tsx'
import {
  type ActivitySearch,
  DAY_MS,
  groupings,
  HOUR_MS,
  measures,
  type Period,
  periodOf,
  queriesOf,
  ranges,
  readActivitySearch,
  SHORT_MS,
  writeInstant,
} from './activity-search.ts'
import { ActivitySeries, ActivitySums } from './activity-sums.tsx'
import { RefusalsCard } from './refusals-card.tsx'
import { type ActivityData, useActivity } from './use-activity.ts'

/** Spending over time, by service, credential or model. Its state is in the address. */
export function ActivityPage() {
  const search = useSearch({ from: '/app/activity' })
  const navigate = useNavigate()
  const activity = useActivity(search)
  const { data, error } = activity
  const period = data?.period ?? periodOf(search, Date.now())
  const change = (changed: Record<string, string | undefined>) =>
    navigate({
      to: '/app/activity',
      search: readActivitySearch({ ...search, ...changed }),
      resetScroll: false,
    })
  return (
    <>
      <PageHead
        title="Activity"
        description="Spend, calls, tokens and refusals of your agents over time. Times are in UTC."
        actions={
          <DownloadCsv
            name="activity"
            noun="rows"
            isEmpty={data === undefined || data.sums.total.calls === 0}
            readPage={(_, signal) => {
              const now = Date.now()
              const { current } = queriesOf(periodOf(search, now), search.by ?? 'service', now)
              return api.raw('readSpending', { query: current, headers: { accept: 'text/csv' }, signal })
            }}
          />
        }
      />
      <div className="flex flex-col gap-5">
        <Controls search={search} period={period} onChange={change} />
        {error !== null && data === undefined && <ErrorState error={error} onRetry={activity.refetch} />}
        {error === null && data === undefined && (
          <>
            <Skeleton className="h-28 max-lg:h-56" />
            <Skeleton className="h-80" />
          </>
        )}
        {data !== undefined && <Sums data={data} search={search} onShow={show => change({ show })} />}
      </div>
    </>
  )
}

function Sums(props: {
  data: ActivityData
  search: ActivitySearch
  onShow: (show: (typeof measures)[number]['value']) => void
}) {
  const { data, search, onShow } = props
  const { period, sums, by } = data
  return (
    <>
      <ActivitySums data={data} />
      <Card
        title={(search.show ?? 'spend') === 'spend' ? 'Over time, in USDC' : 'Over time'}
        actions={
          <Segments label="Show" options={measures} value={search.show ?? 'spend'} onChange={onShow} />
        }
      >
        <ActivityChart data={data} search={search} />
        <p className="mt-3 text-xs text-faint">
          Each bar is {period.bucket === 'hour' ? 'an hour' : `a ${period.bucket}`} in UTC
          {period.bucket === 'week' && ', starting on Monday'}. Click one for its calls; drag over several to
          zoom in.
        </p>
        {sums.countedFrom !== null && (
          <Notice className="mt-3">
            This period has too many calls to sum. Only calls since <TimeAgo iso={sums.countedFrom} /> are
            included.
          </Notice>
        )}
      </Card>
      {sums.total.calls === 0 ? (
        <Card>
          <EmptyState
            icon={<ChartColumn />}
            title="No calls in this period"
            action={
              <Link to="/app/credentials" search={{}} className={buttonClass()}>
                Credentials
              </Link>
            }
          >
            Calls of your agents appear here within seconds.
          </EmptyState>
        </Card>
      ) : (
        <Card isFlush title={`By ${by}`}>
          <ActivitySeries data={data} />
        </Card>
      )}
      <RefusalsCard refusals={sums.refusals} />
    </>
  )
}

function Controls(props: {
  search: ActivitySearch
  period: Period
  onChange: (changed: Record<string, string | undefined>) => void
}) {
  const { search, period, onChange } = props
  const range = search.range ?? '7d'
  const own = { from: writeInstant(period.from), to: writeInstant(period.to) }
  return (
    <fieldset aria-label="Period and grouping" className="flex min-w-0 flex-wrap items-center gap-2">
      <Select
        label="Period"
        size="sm"
        options={ranges}
        value={range}
        onChange={value => onChange({ bucket: undefined, range: value, ...(value === 'own' && own) })}
      />
      {range === 'own' && (
        <span className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
          <Instant label="From" value={own.from} onChange={from => onChange({ from, to: own.to })} />–
          <Instant label="To" value={own.to} onChange={to => onChange({ from: own.from, to })} />
          UTC
          <Button
            size="sm"
            variant="ghost"
            icon={<ZoomOut aria-hidden className="size-3.5" />}
            onClick={() => onChange(zoomOut(period))}
          >
            Zoom out
          </Button>
        </span>
      )}
      <Segments
        label="Bars"
        options={period.options}
        value={period.bucket}
        onChange={bucket => onChange({ bucket })}
      />
      <span className="ml-auto max-sm:ml-0">
        <Segments
          label="By"
          options={groupings}
          value={search.by ?? 'service'}
          onChange={by => onChange({ by })}
        />
      </span>
    </fieldset>
  )
}

/** Returns three times the period around it, up to the present. */
function zoomOut({ from, to }: Period): Record<string, string | undefined> {
  const length = to - from
  const width = 3 * length > SHORT_MS ? DAY_MS : HOUR_MS
  const end = Math.min(to + length, Math.ceil(Date.now() / width) * width)
  return { bucket: undefined, from: writeInstant(end - 3 * length), to: writeInstant(end) }
}

/** An hour in UTC. */
function Instant(props: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <TimeInput
      type="datetime-local"
      step={3_600}
      aria-label={props.label}
      className="!h-8 !w-44 !px-2 !text-sm"
      value={props.value.slice(0, 16)}
      onChange={value => {
        const time = Date.parse(`${value}Z`)
        if (!Number.isNaN(time)) props.onChange(writeInstant(time))
      }}
    />
  )
}
