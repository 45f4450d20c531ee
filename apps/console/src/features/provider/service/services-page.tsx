import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus, Store } from 'lucide-react'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { EmptyState, Skeleton } from '../../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../../ui/layout/page.tsx'
import { Stats } from '../../../ui/layout/stats.tsx'
import { ScheduledPrice, ServicePrice } from '../../../ui/services/service-price.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { SuccessRate } from '../../../ui/values/measures.tsx'
import { earningsQuery, ratedQuery, useOwnServices } from '../queries.ts'
import { ProviderSteps } from './first-steps.tsx'
import { byUrgency, needsAttention, type Service, stateOf } from './service-labels.ts'

type Row = {
  readonly service: Service
  readonly calls: number
  readonly earnedUsdc: string
}

const NOTHING = '0.000000'

type Earnings = AnswerOf<'readEarnings'>

/** The provider's services with their state and earnings. */
export function ServicesPage() {
  const navigate = useNavigate()
  const list = useOwnServices()
  const services = list.data?.pages.flatMap(page => page.services)
  const { data: earnings, isPending: isSumming } = useQuery(earningsQuery)
  const isPending = list.isPending || isSumming
  const rows = services?.toSorted(byUrgency).map((service): Row => {
    const earned = earnings?.byService.find(({ serviceId }) => serviceId === service.serviceId)
    return { service, calls: earned?.calls ?? 0, earnedUsdc: earned?.earnedUsdc ?? NOTHING }
  })
  const register = (
    <Link to="/provider/new" className={buttonClass({ variant: 'primary' })}>
      <Plus aria-hidden className="size-4" />
      Register a service
    </Link>
  )
  const isNew = services !== undefined && earnings !== undefined && earnings.summary.totalCalls === 0
  return (
    <>
      <PageHead
        title="Services"
        description="The services you offer to agents. You can withdraw the earnings of a call as soon as it ends."
        actions={register}
      />
      <div className="flex flex-col gap-5">
        <Totals services={services} earnings={earnings} />
        {/* The steps, which depend on both, would move the table down. */}
        {isPending && <Skeleton className="h-96" />}
        {services !== undefined && earnings !== undefined && (
          <ProviderSteps services={services} earnings={earnings} />
        )}
        {!isPending && !(isNew && services.length === 0) && (
          <Card isFlush>
            <Table
              label="Services"
              columns={columns}
              rows={rows}
              rowKey={({ service }) => service.serviceId}
              onRow={({ service }) => navigate({ to: '/provider/$id', params: { id: service.serviceId } })}
              error={list.error}
              onRetry={list.refetch}
              empty={
                <EmptyState icon={<Store />} title="No services yet">
                  Registered services appear here with their health and earnings.
                </EmptyState>
              }
            />
            <LoadMore list={list} />
          </Card>
        )}
      </div>
    </>
  )
}

function Totals(props: { services: readonly Service[] | undefined; earnings: Earnings | undefined }) {
  const { services, earnings } = props
  return (
    <Card>
      <Stats>
        <Stat label="Available">
          {earnings ? (
            <Amount usdc={earnings.summary.receivableUsdc} />
          ) : (
            <Skeleton className="mt-1 h-6 w-28" />
          )}
        </Stat>
        <Stat label="Total earned">
          {earnings ? (
            <Amount usdc={earnings.summary.totalEarnedUsdc} />
          ) : (
            <Skeleton className="mt-1 h-6 w-28" />
          )}
        </Stat>
        <Stat label="Paid calls">
          {earnings ? formatCount(earnings.summary.totalCalls) : <Skeleton className="mt-1 h-6 w-16" />}
        </Stat>
        <Stat label="Services available">
          {services ? (
            `${services.filter(({ runtimeAvailable }) => runtimeAvailable).length} of ${services.length}`
          ) : (
            <Skeleton className="mt-1 h-6 w-16" />
          )}
        </Stat>
      </Stats>
    </Card>
  )
}

/** Read for each row, where its column is shown: `md` of Tailwind. */
function Rated({ service: { serviceId } }: Pick<Row, 'service'>) {
  const enabled = window.matchMedia('(min-width: 48rem)').matches
  const { data } = useQuery({ ...ratedQuery(serviceId), retry: false, enabled })
  return <SuccessRate rate={data?.service.successRate ?? null} />
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    head: 'Service',
    isName: true,
    cell: ({ service }) => (
      <span className="flex flex-col">
        <Link
          to="/provider/$id"
          params={{ id: service.serviceId }}
          className="font-medium hover:underline"
          onClick={event => event.stopPropagation()}
        >
          {service.serviceName}
        </Link>
        <code className="font-mono text-xs break-all text-faint">{service.agentToolName}</code>
      </span>
    ),
  },
  {
    id: 'health',
    head: 'Health',
    cell: ({ service }) => {
      const { label, tone, hint } = stateOf(service)
      const { healthyTargets, totalTargets } = service.health
      return (
        <span className="flex flex-col gap-0.5" title={hint}>
          <span className="flex items-center gap-2 whitespace-nowrap">
            <Badge tone={tone}>{label}</Badge>
            {service.status === 'active' && totalTargets > 1 && (
              <span className="text-xs text-faint tabular max-md:hidden">
                {healthyTargets} of {totalTargets} targets
              </span>
            )}
          </span>
          {needsAttention(service) && (
            <span className="max-w-64 min-w-28 text-xs wrap-anywhere text-muted">{hint}</span>
          )}
        </span>
      )
    },
  },
  {
    id: 'price',
    head: 'Price',
    isExtra: true,
    cell: ({ service }) => (
      <div className="max-w-60">
        <ServicePrice {...service} />
        <ScheduledPrice {...service} />
      </div>
    ),
  },
  { id: 'calls', head: 'Paid calls', isNumber: true, isExtra: true, cell: ({ calls }) => formatCount(calls) },
  {
    id: 'rate',
    head: 'Success, 7 days',
    isNumber: true,
    isExtra: true,
    cell: ({ service }) => <Rated service={service} />,
  },
  {
    id: 'earned',
    head: 'Earned',
    amount: ({ earnedUsdc }) => earnedUsdc,
  },
]
