import { bucketStart } from '@farebox/wire/buckets'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { Segments } from '../../../ui/layout/segments.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { ShareBar } from '../../../ui/values/share-bar.tsx'
import { shareOf } from '../../../ui/values/shares.ts'
import { callsOfDays, DAY_MS } from '../activity/activity-search.ts'
import { Change } from '../activity/change.tsx'
import { useNames } from '../use-names.ts'

const REFRESH_MS = 10_000
/** Credentials and services that are named. */
const RANKED_MAX = 3

const spans = [
  { value: '1', label: 'Today', before: 'the same hours yesterday' },
  { value: '7', label: '7 days', before: 'the previous 7 days' },
] as const
type Span = (typeof spans)[number]['value']

/** Reads the sums of whole days of UTC up to now, and the spend of the same time before. */
export function useSpent(days: Span) {
  return useQuery({
    queryKey: ['calls', 'spent', days],
    async queryFn({ signal }) {
      const now = Date.now()
      const length = Number(days) * DAY_MS
      const firstDay = bucketStart('day', now) - length + DAY_MS
      const [from, to] = [firstDay - length, now - length].map(time => new Date(time).toISOString())
      const [sums, before] = await Promise.all([
        api.readSpending({ query: { days: Number(days) }, signal }),
        api.readSpending({ query: { from, to, bucket: 'week' }, signal }),
      ])
      return { sums, before: before.total.spentUsdc, calls: callsOfDays(Number(days), now) }
    },
    refetchInterval: REFRESH_MS,
    placeholderData: before => before,
  })
}

/** Spend of today or of a week, by credential and by service, with the calls that failed. */
export function SpentNow() {
  const [span, setSpan] = useState<Span>('1')
  const { data } = useSpent(span)
  const names = useNames()
  const { label, before } = spans.find(({ value }) => value === span) ?? spans[0]
  if (data === undefined) return null
  const { calls } = data
  const { total, byCredential, byService } = data.sums
  return (
    <section aria-label="Spent" className="rounded-lg border bg-raised">
      <div className="grid divide-line max-md:divide-y md:grid-cols-3 md:divide-x [&>div]:min-w-0 [&>div]:p-4">
        <div>
          <p className="flex items-center justify-between gap-2 text-sm text-muted">
            <span>Spent</span>
            <Segments label="Spent in" options={spans} value={span} onChange={setSpan} />
          </p>
          <p className="mt-1">
            <Amount usdc={total.spentUsdc} isLarge />
          </p>
          <p className="text-sm text-faint">
            <Change now={Number(total.spentUsdc)} before={Number(data.before)} period={before} />
          </p>
          <p className="mt-2 text-sm text-muted">
            {formatCount(total.calls)} calls
            {total.failedCalls > 0 && (
              <Part to="/app/calls/{-$id}" search={{ ...calls, state: 'FAILED' }}>
                {formatCount(total.failedCalls)} failed
              </Part>
            )}
            {total.refusedCalls > 0 && (
              <Part to="/app/activity" search={span === '1' ? { ...calls, range: 'own' } : {}}>
                {formatCount(total.refusedCalls)} refused
              </Part>
            )}
          </p>
        </div>
        <Ranking
          title={`By credential, ${label.toLowerCase()}`}
          rows={byCredential.map(({ credentialId, spentUsdc }) => ({
            id: credentialId,
            name: names.credential(credentialId),
            spentUsdc,
            search: { credential: credentialId, ...calls },
          }))}
        />
        <Ranking
          title={`By service, ${label.toLowerCase()}`}
          rows={byService.map(({ serviceId, spentUsdc }) => ({
            id: serviceId,
            name: names.service(serviceId),
            spentUsdc,
            search: { service: serviceId, ...calls },
          }))}
        />
      </div>
    </section>
  )
}

function Part({ to, search, children }: { to: string; search: object; children: ReactNode }) {
  return (
    <>
      {' · '}
      <Link to={to} search={search as never} className="rounded font-medium text-danger hover:underline">
        {children}
      </Link>
    </>
  )
}

type Ranked = {
  readonly id: string
  readonly name: string
  readonly spentUsdc: string
  readonly search: object
}

/** The largest of some sums, each with a link to its calls. */
function Ranking({ title, rows }: { title: string; rows: readonly Ranked[] }) {
  const shown = rows.slice(0, RANKED_MAX)
  const most = shown[0]?.spentUsdc ?? '0'
  return (
    <div>
      <h2 className="mb-2 text-sm text-muted">{title}</h2>
      {shown.length === 0 && <p className="text-sm text-faint">No calls yet.</p>}
      <ol aria-label={title} className="flex flex-col gap-2">
        {shown.map(({ id, name, spentUsdc, search }) => (
          <li key={id} className="text-sm">
            <span className="flex items-baseline justify-between gap-3">
              <Link
                to="/app/calls/{-$id}"
                search={search as never}
                className="min-w-0 truncate rounded font-medium hover:underline"
              >
                {name}
              </Link>
              <Amount usdc={spentUsdc} />
            </span>
            <ShareBar share={Number(most) === 0 ? 0 : shareOf(spentUsdc, most)} className="mt-1 h-1" />
          </li>
        ))}
      </ol>
      {rows.length > RANKED_MAX && (
        <p className="mt-2 text-sm text-faint">and {rows.length - RANKED_MAX} more</p>
      )}
    </div>
  )
}
