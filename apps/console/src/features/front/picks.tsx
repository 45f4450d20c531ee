import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../api.ts'
import { Skeleton } from '../../ui/feedback/states.tsx'
import { ServicePrice } from '../../ui/services/service-price.tsx'
import { Latency, SuccessRate } from '../../ui/values/measures.tsx'

const PICKED = 6
/** Services that fail more often are not called reliable. */
const SUCCESS_MIN = 0.95

/** The most reliable services; nothing until some are. */
export function Picks() {
  const picks = useQuery({
    queryKey: ['market', 'picks'],
    queryFn: ({ signal }) =>
      api.searchMarket({ query: { sort: 'highest_reliability', pageSize: PICKED }, signal }),
    refetchInterval: FIGURES_POLL_INTERVAL_MS,
  })
  const rated = picks.data?.services.filter(
    ({ successRate }) => successRate !== null && successRate >= SUCCESS_MIN,
  )
  if (picks.isError || rated?.length === 0) return null
  return (
    <section aria-labelledby="picks">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="picks" className="text-lg font-semibold">
          Most reliable this week
        </h2>
        <Link to="/market" className="text-sm text-accent underline-offset-2 hover:underline">
          All services
        </Link>
      </div>
      <ul className="mt-4 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {rated === undefined
          ? Array.from({ length: PICKED }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
              <li key={index} className="h-37 rounded-lg border p-4">
                <Skeleton className="h-4 w-2/5" />
                <Skeleton className="mt-3 h-3 w-4/5" />
              </li>
            ))
          : rated.map(service => (
              <li
                key={service.serviceId}
                className="relative flex h-37 flex-col rounded-lg border bg-raised p-4 transition-colors hover:border-line-strong"
              >
                <Link
                  to="/services/$id"
                  params={{ id: service.agentToolName }}
                  className="truncate font-medium after:absolute after:inset-0 after:rounded-lg"
                >
                  {service.serviceName}
                </Link>
                <p className="mt-1 line-clamp-2 text-sm text-muted">{service.summary}</p>
                <p className="mt-auto flex items-center justify-between gap-3 text-sm">
                  <ServicePrice {...service} />
                  <span className="flex gap-3">
                    <Latency ms={service.latencyMs} />
                    <SuccessRate rate={service.successRate} />
                  </span>
                </p>
              </li>
            ))}
      </ul>
    </section>
  )
}
