import type { AnswerOf } from '@farebox/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useDeferredValue } from 'react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../api.ts'
import { Sparkline } from '../../ui/charts/sparkline.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { ModelBadge } from '../../ui/services/model-badge.tsx'
import { ServicePrice } from '../../ui/services/service-price.tsx'
import { Pagination } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { Latency, SuccessRate } from '../../ui/values/measures.tsx'
import { CompareBar, CompareBox } from './compare-choice.tsx'
import { MarketFilters } from './market-filters.tsx'
import { COMPARED_MAX, type MarketSearch, marketQueryOf, readMarketSearch } from './market-search.ts'
import { NoServices } from './no-services.tsx'

type Service = AnswerOf<'searchMarket'>['services'][number]

const PAGE_SIZE = 25
const TAGS_SHOWN = 14

const columnsOf = (
  compare: readonly string[],
  onCompare: (name: string) => void,
): readonly Column<Service>[] => [
  {
    id: 'service',
    head: 'Service',
    className: 'max-w-0 w-1/2 min-w-40 md:min-w-48',
    cell: service => (
      <Named
        service={service}
        isChosen={compare.includes(service.agentToolName)}
        isFull={compare.length >= COMPARED_MAX}
        onCompare={() => onCompare(service.agentToolName)}
      />
    ),
  },
  {
    id: 'price',
    head: 'Price',
    cell: service => (
      <>
        <ServicePrice {...service} />
        {service.successRate !== null && (
          <span className="flex gap-2 text-xs md:hidden">
            <SuccessRate rate={service.successRate} />
            <Latency ms={service.latencyMs} />
          </span>
        )}
      </>
    ),
  },
  {
    id: 'success',
    head: 'Success',
    isNumber: true,
    isExtra: true,
    cell: ({ successRate }) => <SuccessRate rate={successRate} />,
  },
  {
    id: 'latency',
    head: 'Latency',
    isNumber: true,
    isExtra: true,
    cell: ({ latencyMs }) => <Latency ms={latencyMs} />,
  },
  {
    id: 'trend',
    head: 'Latency, 7 days',
    isExtra: true,
    cell: ({ days }) => (
      <Sparkline values={days.flatMap(({ latencyMs }) => latencyMs ?? [])} className="block h-6 w-24" />
    ),
  },
]

/** A service with its name, summary, and for a model the box that compares it. */
function Named(props: { service: Service; isChosen: boolean; isFull: boolean; onCompare: () => void }) {
  const { agentToolName, serviceName, summary, serviceKind } = props.service
  const isModel = serviceKind === 'llm'
  return (
    <div className="flex items-start gap-x-2 gap-y-1 max-md:flex-col">
      <div className="max-w-full min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <Link
            to="/services/$id"
            params={{ id: agentToolName }}
            className="line-clamp-2 max-w-full text-base font-medium break-words underline-offset-2 hover:underline"
          >
            {serviceName}
          </Link>
          <ModelBadge {...props.service} />
        </p>
        <p className="truncate text-muted">{summary === '' ? agentToolName : summary}</p>
      </div>
      {isModel && (
        <CompareBox
          name={serviceName}
          isChosen={props.isChosen}
          isFull={props.isFull}
          onChange={props.onCompare}
        />
      )}
    </div>
  )
}

/** Returns the page of services that a search finds; the choice of models to compare changes nothing. */
function useFound(search: MarketSearch) {
  const asked = marketQueryOf(useDeferredValue(search))
  return useQuery({
    queryKey: ['market', 'search', asked],
    queryFn: ({ signal }) => api.searchMarket({ query: { ...asked, pageSize: PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: FIGURES_POLL_INTERVAL_MS,
  })
}

/** The list of callable services. */
export function MarketPage() {
  const search = useSearch({ from: '/market' })
  const navigate = useNavigate({ from: '/market' })
  const look = (change: Partial<MarketSearch>) =>
    navigate({
      to: '/market',
      // Two fields may change before either is in `search`.
      search: (before: MarketSearch) => readMarketSearch({ ...before, page: undefined, ...change }),
      replace: true,
      resetScroll: false,
    })
  const { tag, page = 1, compare = [] }: MarketSearch = search
  const toggle = (name: string) =>
    navigate({
      // Two boxes may be ticked before either is in `search`.
      search: ({ compare: chosen = [], ...before }: MarketSearch) => ({
        ...before,
        compare: chosen.includes(name) ? chosen.filter(each => each !== name) : [...chosen, name],
      }),
      replace: true,
      resetScroll: false,
    })
  const found = useFound(search)
  return (
    <div className="py-8">
      <PageHead
        title="Market"
        description="APIs and models that you can call with one credential. Success and latency are of the last seven days."
      />
      <MarketFilters search={search} onChange={look} />
      <Tags chosen={tag} onChoose={next => look({ tag: next })} />
      <div
        className={clsx(
          'overflow-hidden rounded-lg border bg-raised transition-opacity',
          found.isPlaceholderData && 'opacity-60',
        )}
      >
        <Table
          label="Services"
          columns={columnsOf(compare, toggle)}
          rows={found.data?.services}
          rowKey={({ serviceId }) => serviceId}
          onRow={({ agentToolName }) => navigate({ to: '/services/$id', params: { id: agentToolName } })}
          error={found.error}
          onRetry={found.refetch}
          empty={
            <NoServices search={search} hasOthers={found.data?.pagination.total !== 0} onChange={look} />
          }
        />
      </div>
      {found.data !== undefined && found.data.pagination.total > 0 && (
        <Pagination
          noun="services"
          page={page}
          pageSize={PAGE_SIZE}
          total={found.data.pagination.total}
          onChange={next => navigate({ to: '/market', search: { ...search, page: next } })}
        />
      )}
      <CompareBar
        names={compare}
        onClear={() => navigate({ search: { ...search, compare: [] }, replace: true })}
      />
    </div>
  )
}

function Tags({
  chosen,
  onChoose,
}: {
  chosen: string | undefined
  onChoose: (tag: string | undefined) => void
}) {
  const { data } = useQuery({
    queryKey: ['market', 'tags'],
    queryFn: ({ signal }) => api.listMarketTags({ signal }),
    staleTime: 60_000,
  })
  const reported = (data?.tags ?? []).slice(0, TAGS_SHOWN).map(({ tag }) => tag)
  const shown = chosen === undefined || reported.includes(chosen) ? reported : [chosen, ...reported]
  return (
    <fieldset aria-label="Tags" className="mb-4 flex min-h-7 min-w-0 gap-1.5 overflow-x-auto">
      {shown.map(tag => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === chosen}
          onClick={() => onChoose(tag === chosen ? undefined : tag)}
          className="h-7 shrink-0 rounded-full border border-line-strong px-3 text-sm text-muted transition-colors hover:text-text aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {tag}
        </button>
      ))}
    </fieldset>
  )
}
