import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Bar, OTHER_TONE, StackedBars, seriesTones } from '../../../ui/charts/stacked-bars.tsx'
import { formatAmount } from '../../../ui/values/amount.tsx'
import { formatCount, formatMs } from '../../../ui/values/format-measures.ts'
import {
  type Activity,
  type ActivitySearch,
  callsBetween,
  endOf,
  type Measure,
  nameOf,
  readActivitySearch,
  writeInstant,
} from './activity-search.ts'
import { type ActivityData, filterOf, tokensOf, useSeriesName } from './use-activity.ts'

const HEIGHT = 260

type Point = Pick<Activity['total'], 'spentUsdc' | 'calls' | 'inputTokens' | 'outputTokens'>

/** Returns a measure of sums as a number; spending in USDC. */
function measureOf(measure: Measure, sums: Point): number {
  if (measure === 'spend') return Number(sums.spentUsdc)
  return measure === 'calls' ? sums.calls : tokensOf(sums)
}

/** Returns the background colour of a series by its position. */
export const toneOf = (key: string | null, position: number) =>
  key === null ? OTHER_TONE : (seriesTones[position] ?? OTHER_TONE)

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })

/** The bars of a period. Opening one lists its calls; selecting several zooms in. */
export function ActivityChart({ data, search }: { data: ActivityData; search: ActivitySearch }) {
  const { period, sums, by } = data
  const measure = search.show ?? 'spend'
  const navigate = useNavigate()
  const name = useSeriesName(by)
  const bars = useMemo(() => barsOf(data, measure), [data, measure])
  const format = (value: number) => (measure === 'spend' ? formatMoney(value) : compact.format(value))

  const open = (index: number, series?: string) => {
    const start = sums.buckets[index]?.start
    if (start === undefined) return
    const key = series === undefined ? null : (sums.series[Number(series)]?.key ?? null)
    navigate({
      to: '/app/calls/{-$id}',
      params: { id: undefined },
      search: { ...callsBetween(Date.parse(start), endOf(start, period)), ...filterOf(by, key) },
    })
  }
  const zoom = (first: number, last: number) => {
    const [start, end] = [sums.buckets[first]?.start, sums.buckets[last]?.start]
    if (start === undefined || end === undefined) return
    const { bucket: _, ...others } = search
    const from = writeInstant(Date.parse(start))
    const to = writeInstant(endOf(end, period))
    navigate({ to: '/app/activity', search: readActivitySearch({ ...others, range: 'own', from, to }) })
  }
  return (
    <StackedBars
      label={`${labels[measure]} by ${period.bucket}, ${sums.buckets.length} bars: arrow keys move, Enter lists the calls, Shift with arrow keys selects bars for Enter to zoom in on`}
      bars={bars}
      height={HEIGHT}
      format={format}
      onOpen={open}
      onZoom={zoom}
      describe={(bar, index) => {
        const bucket = sums.buckets[index]
        return (
          <>
            <p className="font-medium">
              {bucket === undefined ? bar.name : nameOf(bucket.start, period.bucket)} UTC
            </p>
            <ul className="mt-1.5 flex flex-col gap-1">
              {bar.parts.toReversed().map(part => (
                <li key={part.id} className="flex items-center gap-1.5">
                  <span className={`size-2 shrink-0 rounded-sm ${part.tone}`} />
                  <span className="min-w-0 truncate">{name(sums.series[Number(part.id)]?.key ?? null)}</span>
                  <span className="ml-auto pl-3">{format(part.value)}</span>
                </li>
              ))}
            </ul>
            {bucket !== undefined && <BucketSums bucket={bucket} />}
          </>
        )
      }}
    />
  )
}

function BucketSums({ bucket }: { bucket: Activity['buckets'][number] }) {
  return (
    <p className="mt-1.5 border-t pt-1.5 text-muted">
      {formatAmount(bucket.spentUsdc)} USDC · {formatCount(bucket.calls)} calls
      {bucket.failedCalls > 0 && `, ${formatCount(bucket.failedCalls)} failed`}
      {bucket.refusedCalls > 0 && `, ${formatCount(bucket.refusedCalls)} refused`}
      {bucket.latencyP50Ms !== null && ` · ${formatMs(bucket.latencyP50Ms)}`}
    </p>
  )
}

const labels: Readonly<Record<Measure, string>> = {
  spend: 'Spend in USDC',
  calls: 'Calls',
  tokens: 'Tokens',
}

function barsOf({ sums, period }: ActivityData, measure: Measure): Bar[] {
  const points = sums.series.map(
    series => new Map(series.points.map(point => [point.start, measureOf(measure, point)])),
  )
  return sums.buckets.map(({ start }) => ({
    id: start,
    name: nameOf(start, period.bucket, period.to - period.from <= 86_400_000),
    parts: points.flatMap((values, position) => {
      const value = values.get(start) ?? 0
      const key = sums.series[position]?.key ?? null
      return value === 0 ? [] : [{ id: String(position), tone: toneOf(key, position), value }]
    }),
  }))
}

function formatMoney(value: number): string {
  if (value === 0) return '0'
  const digits = value < 0.01 ? 6 : value < 1 ? 4 : 2
  return formatAmount(value.toFixed(digits))
}
