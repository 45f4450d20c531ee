import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../../api.ts'
import { PeriodPicker } from '../../../ui/charts/period-picker.tsx'
import { queryOfPeriod } from '../../../ui/charts/periods.ts'
import { ErrorState, Notice } from '../../../ui/feedback/states.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { PageHead } from '../../../ui/layout/page.tsx'
import { formatTime } from '../../../ui/values/format-time.ts'
import { useOwnServices } from '../queries.ts'
import { FailuresCard } from './failures-card.tsx'
import { PriceChanges } from './price-changes.tsx'
import { TrafficCharts } from './traffic-charts.tsx'
import { TrafficFigures } from './traffic-figures.tsx'
import { readTrafficSearch, type TrafficSearch } from './traffic-search.ts'
import { CallersCard, ServicesCard, TargetsCard } from './traffic-tables.tsx'

const ALL = 'all'
const REFRESH_MS = 30_000

/** Calls to the provider's services: how many, by how many, how they ended, how long they took and what they earned. */
export function TrafficPage() {
  const search: TrafficSearch = useSearch({ from: '/provider/traffic' })
  const { service, ...period } = search
  const navigate = useNavigate()
  const own = useOwnServices().data?.pages.flatMap(page => page.services) ?? []
  const traffic = useQuery({
    queryKey: ['traffic', search],
    queryFn: ({ signal }) => {
      const query = {
        ...queryOfPeriod(period, Date.now()),
        ...(service !== undefined && { serviceId: service }),
      }
      return api.readTraffic({ query, signal })
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const go = (next: TrafficSearch) =>
    navigate({
      to: '/provider/traffic' as string,
      search: readTrafficSearch(next) as never,
      replace: true,
      resetScroll: false,
    })
  const { data, error } = traffic
  return (
    <>
      <PageHead
        title="Traffic"
        description="Outcomes, latency and earnings of calls to your services. Times are in UTC."
      />
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <PeriodPicker
          search={period}
          onChange={next => go(service === undefined ? next : { ...next, service })}
        />
        <Select
          size="sm"
          label="Service"
          className="max-w-full min-w-44"
          options={[
            { value: ALL, label: 'All services' },
            ...own.map(({ serviceId, serviceName }) => ({ value: serviceId, label: serviceName })),
          ]}
          value={own.find(each => each.serviceId === service)?.serviceId ?? ALL}
          onChange={value => go(value === ALL ? period : { ...period, service: value })}
        />
      </div>
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={traffic.refetch} />
      ) : (
        <div className="flex flex-col gap-5">
          {data?.countedFrom != null && (
            <Notice tone="info">
              This period has too many calls to sum. Only calls since {formatTime(data.countedFrom)} are
              included.
            </Notice>
          )}
          <TrafficFigures traffic={data} />
          <TrafficCharts traffic={data} />
          <FailuresCard traffic={data} />
          <ServicesCard traffic={data} services={own} />
          <CallersCard traffic={data} />
          <TargetsCard traffic={data} services={own} />
          <PriceChanges services={own} />
        </div>
      )}
    </>
  )
}
