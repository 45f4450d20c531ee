import type { AnswerOf } from '@farebox/client'
import { parseUsdc, ZERO } from '@farebox/money'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn, Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { api } from '../../../api.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { DayChart } from '../../../ui/charts/day-chart.tsx'
import { type DaySpan, daySpans, firstOf } from '../../../ui/charts/days.ts'
import { describeError, EmptyState, ErrorState, Skeleton } from '../../../ui/feedback/states.tsx'
import { toast } from '../../../ui/feedback/toast.tsx'
import { Card, PageHead, Stat } from '../../../ui/layout/page.tsx'
import { Segments } from '../../../ui/layout/segments.tsx'
import { Stats } from '../../../ui/layout/stats.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { ShareBar } from '../../../ui/values/share-bar.tsx'
import { shareOf } from '../../../ui/values/shares.ts'
import { useOwnServices } from '../queries.ts'
import { ServiceLink, withNames } from '../service/service-names.tsx'
import { PayoutForecast } from './payout-forecast.tsx'

type Earnings = AnswerOf<'readEarnings'>

const CHART_HEIGHT = 240
const REFRESH_MS = 30_000

/** Earnings by day and by service, and when they can be paid out. */
export function EarningsPage() {
  const [span, setSpan] = useState<DaySpan>('30')
  const from = firstOf(Number(span), Date.now())
  const earnings = useQuery({
    queryKey: ['earnings', 'from', from],
    queryFn: ({ signal }) => api.readEarnings({ query: { from }, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const { data } = earnings
  return (
    <>
      <PageHead
        title="Earnings"
        description="Income from paid calls, minus the platform fee. Days are in UTC."
        actions={
          <Link to="/provider/withdraw" className={buttonClass({ variant: 'primary' })}>
            Withdraw
          </Link>
        }
      />
      {earnings.error !== null && data === undefined ? (
        <ErrorState error={earnings.error} onRetry={earnings.refetch} />
      ) : (
        <div className="flex flex-col gap-5">
          <Card>
            <Stats>
              <Figure label="Total earned" usdc={data?.summary.totalEarnedUsdc} />
              <Figure label="Available" usdc={data?.summary.receivableUsdc} />
              <Figure label="In withdrawal" usdc={data?.summary.lockedUsdc} />
              <Figure label="Withdrawn" usdc={data?.summary.withdrawnUsdc} />
              {data !== undefined && parseUsdc(data.summary.promotionalUsdc) > ZERO && (
                <Figure label="From vouchers" usdc={data.summary.promotionalUsdc} />
              )}
            </Stats>
          </Card>
          <Card
            title={<Title earnings={data} />}
            actions={
              <span className="flex flex-wrap items-center gap-2">
                <Segments label="Time" options={daySpans} value={span} onChange={setSpan} />
                <Csv by="day" from={from} />
              </span>
            }
          >
            <div style={{ minHeight: CHART_HEIGHT }} className="flex flex-col justify-center">
              {data === undefined ? (
                <Skeleton className="h-60" />
              ) : data.byDay.length === 0 ? (
                <EmptyState icon={<ChartColumn />} title="Nothing earned in this period">
                  Paid calls appear here within seconds.
                </EmptyState>
              ) : (
                <ByDay earnings={data} days={Number(span)} />
              )}
            </div>
          </Card>
          <Card title="By service" actions={<Csv by="service" from={from} />} isFlush>
            <ByService earnings={data} />
          </Card>
          <PayoutForecast />
        </div>
      )}
    </>
  )
}

function Figure({ label, usdc }: { label: string; usdc: string | undefined }) {
  return (
    <Stat label={label}>
      {usdc === undefined ? <Skeleton className="mt-1 h-6 w-28" /> : <Amount usdc={usdc} />}
    </Stat>
  )
}

function Title({ earnings }: { earnings: Earnings | undefined }) {
  const calls = earnings?.byDay.reduce((sum, day) => sum + day.calls, 0) ?? 0
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      By day
      {earnings === undefined && <Skeleton className="h-4 w-20" />}
      {calls > 0 && (
        <span className="text-sm font-normal text-muted tabular">{formatCount(calls)} paid calls</span>
      )}
    </span>
  )
}

function ByDay({ earnings, days }: { earnings: Earnings; days: number }) {
  const amounts = useMemo(
    () => earnings.byDay.map(({ day, earnedUsdc }) => ({ day, usdc: earnedUsdc })),
    [earnings],
  )
  return <DayChart name="Earned" amounts={amounts} days={days} height={CHART_HEIGHT} />
}

type Row = Earnings['byService'][number] & { readonly name: string; readonly share: number }

function ByService({ earnings }: { earnings: Earnings | undefined }) {
  const list = useOwnServices()
  const services = list.data?.pages.flatMap(page => page.services) ?? []
  const most = earnings?.byService[0]?.earnedUsdc ?? '0.000000'
  const rows = withNames(earnings?.byService, services)?.map(row => ({
    ...row,
    share: Number(most) === 0 ? 0 : shareOf(row.earnedUsdc, most),
  }))
  return (
    <Table
      label="Earnings by service"
      columns={columns}
      rows={rows}
      rowKey={({ serviceId }) => serviceId}
      empty="No service earned in this period."
    />
  )
}

const columns: readonly Column<Row>[] = [
  { id: 'name', head: 'Service', isName: true, cell: row => <ServiceLink row={row} /> },
  {
    id: 'share',
    head: <span className="sr-only">Compared with the best</span>,
    isExtra: true,
    className: 'w-2/5',
    cell: ({ share }) => <ShareBar share={share} />,
  },
  { id: 'calls', head: 'Paid calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  {
    id: 'earned',
    head: 'Earned',
    amount: ({ earnedUsdc }) => earnedUsdc,
  },
]

/** Downloads the earnings by day or by service as CSV. */
function Csv({ by, from }: { by: 'day' | 'service'; from: string }) {
  const saving = useMutation({
    async mutationFn() {
      const answer = await api.raw('readEarnings', {
        query: { from, by },
        headers: { accept: 'text/csv' },
      })
      saveFile(await answer.blob(), `farebox-earnings-by-${by}-${from}.csv`)
    },
    onError: error => toast.failed(describeError(error)),
  })
  return (
    <Button
      size="sm"
      isBusy={saving.isPending}
      icon={<Download aria-hidden className="size-3.5" />}
      aria-label={`Download ${by === 'day' ? 'days' : 'services'} as CSV`}
      onClick={() => saving.mutate()}
    >
      CSV
    </Button>
  )
}
