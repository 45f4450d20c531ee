import { GatewayError } from '@farebox/client/errors'
import { placeholderOf } from '@farebox/wire/page-texts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Store } from 'lucide-react'
import { lazy, Suspense, useDeferredValue } from 'react'
import { api } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../../ui/layout/page.tsx'
import { Stats } from '../../../ui/layout/stats.tsx'
import { Tabs } from '../../../ui/layout/tabs.tsx'
import { loadCode } from '../../../ui/state/reachability.ts'
import { useIsHydrated } from '../../../ui/state/use-is-hydrated.ts'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { Latency, SuccessRate } from '../../../ui/values/measures.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { earningsQuery, ratedQuery } from '../queries.ts'
import { HealthChart } from './health-chart.tsx'
import { PriceCard } from './price-card.tsx'
import { ServiceActions } from './service-actions.tsx'
import { ServiceFacts } from './service-facts.tsx'
import { type Service, stateOf } from './service-labels.ts'
import { TargetsCard } from './targets-card.tsx'

const POLL_INTERVAL_MS = 5_000

/** Loaded when its tab is opened. */
const ServiceSettings = lazy(async () => ({
  default: (await loadCode(() => import('./service-settings.tsx'))).ServiceSettings,
}))

const toServices = <Link to="/provider">Services</Link>

/** A service as its provider sees it: health, earnings and settings. */
export function ServicePage() {
  const { id } = useParams({ from: '/provider/$id' })
  const isHydrated = useIsHydrated()
  const read = useQuery({
    queryKey: ['services', 'one', id],
    queryFn: ({ signal }) => api.readService({ path: { id }, signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  // A page is drawn in small steps: all at once, it would block the browser.
  const isDrawn = useDeferredValue(read.data !== undefined)
  if (isDrawn && read.data !== undefined) {
    const { service } = read.data
    return 'invoke' in service ? <Own service={service} /> : <NotYours id={id} />
  }
  if (read.error instanceof GatewayError && read.error.code === 'SERVICE_NOT_FOUND')
    return (
      <EmptyState
        isPage
        icon={<Store />}
        title="Unknown service"
        action={
          <Link to="/provider" className={buttonClass()}>
            Your services
          </Link>
        }
      >
        It may have been deleted or belong to another wallet.
      </EmptyState>
    )
  if (read.error !== null) return <ErrorState isPage error={read.error} onRetry={read.refetch} />
  return isHydrated ? <Waiting /> : <Prerendered />
}

function Own({ service }: { service: Service }) {
  const search = useSearch({ from: '/provider/$id' })
  const navigate = useNavigate()
  const { label, tone, hint } = stateOf(service)
  const { tab = 'overview' } = search
  return (
    <>
      <PageHead
        title={service.serviceName}
        parent={toServices}
        aside={
          <span title={hint}>
            <Badge tone={tone}>{label}</Badge>
          </span>
        }
        description={service.summary}
        actions={<ServiceActions service={service} />}
      />
      {service.status === 'suspended' && (
        <Notice tone="bad" className="mb-5">
          The operator of this gateway has suspended this service
          {service.suspension !== null && (
            <>
              {' '}
              <TimeAgo iso={service.suspension.suspendedAt} />
            </>
          )}
          . It is not listed and cannot be changed.{' '}
          {service.suspension?.reason != null && <>Reason: “{service.suspension.reason}” </>}
          To contact the operator, use the feedback button below.
        </Notice>
      )}
      {service.status === 'deleted' && (
        <Notice className="mb-5">This service is deleted. Its earnings are kept.</Notice>
      )}
      <Tabs
        label="Sections of this page"
        value={tab}
        onChange={next =>
          navigate({
            to: '/provider/$id',
            params: { id: service.serviceId },
            search: next === 'overview' ? {} : { tab: next },
            replace: true,
            resetScroll: false,
          })
        }
        tabs={[
          { id: 'overview', label: 'Overview', content: <Overview service={service} isNew={search.new} /> },
          {
            id: 'settings',
            label: 'Settings',
            content: (
              <Suspense fallback={<Skeleton className="h-96" />}>
                <ServiceSettings key={service.serviceId} service={service} />
              </Suspense>
            ),
          },
        ]}
      />
    </>
  )
}

function Overview({ service, isNew = false }: { service: Service; isNew?: boolean | undefined }) {
  const { serviceId, status } = service
  const canChange = status === 'active' || status === 'inactive'
  return (
    <div className="flex flex-col gap-5">
      <Figures serviceId={serviceId} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <TargetsCard service={service} isNew={isNew} />
          <HealthChart serviceId={serviceId} />
        </div>
        <aside className="flex min-w-0 flex-col gap-5">
          <PriceCard service={service} canChange={canChange} />
          <ServiceFacts service={service} />
        </aside>
      </div>
    </div>
  )
}

function Figures({ serviceId }: { serviceId: string }) {
  const { data: earnings } = useQuery(earningsQuery)
  const rated = useQuery({ ...ratedQuery(serviceId), retry: false })
  const earned = earnings?.byService.find(each => each.serviceId === serviceId)
  const waiting = <Skeleton className="mt-1 h-6 w-20" />
  return (
    <Card>
      <Stats>
        <Stat label="Earned">{earnings ? <Amount usdc={earned?.earnedUsdc ?? '0.000000'} /> : waiting}</Stat>
        <Stat label="Paid calls">{earnings ? formatCount(earned?.calls ?? 0) : waiting}</Stat>
        <Stat label="Success, 7 days">
          {rated.isPending ? (
            waiting
          ) : (
            <span className="[&>span]:font-semibold">
              <SuccessRate rate={rated.data?.service.successRate ?? null} />
            </span>
          )}
        </Stat>
        <Stat label="Latency, 7 days">
          {rated.isPending ? waiting : <Latency ms={rated.data?.service.latencyMs ?? null} />}
        </Stat>
      </Stats>
    </Card>
  )
}

function NotYours({ id }: { id: string }) {
  return (
    <EmptyState
      isPage
      icon={<Store />}
      title="This is not your service"
      action={
        <Link to="/services/$id" params={{ id }} className={buttonClass({ variant: 'primary' })}>
          Show it in the market
        </Link>
      }
    >
      It belongs to another wallet. Sign in with that wallet to change it.
    </EmptyState>
  )
}

/** The first texts of a service, which the gateway puts into the prerendered page. */
function Prerendered() {
  return (
    <>
      <PageHead
        title={placeholderOf('serviceName')}
        parent={toServices}
        description={placeholderOf('summary')}
      />
      <Skeleton className="h-96" />
    </>
  )
}

function Waiting() {
  return (
    <>
      <Skeleton className="mb-3 h-6 w-52" />
      <Skeleton className="mb-6 h-4 w-32" />
      <Skeleton className="h-24" />
      <Skeleton className="mt-5 h-72" />
    </>
  )
}
