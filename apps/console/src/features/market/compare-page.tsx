import type { AnswerOf } from '@farebox/client'
import { useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft, Scale, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass, IconButton } from '../../ui/button.tsx'
import { EmptyState, Skeleton } from '../../ui/feedback/states.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { apiOf, isEmbeddings } from '../../ui/services/embeddings.ts'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { formatDay } from '../../ui/values/format-time.ts'
import { Latency, SuccessRate, Throughput } from '../../ui/values/measures.tsx'
import type { CompareSearch } from './market-search.ts'
import { UptimeBars } from './uptime-bars.tsx'

type Service = AnswerOf<'readMarketService'>['service']
type Model = Extract<Service, { serviceKind: 'llm' }>
type Row = {
  readonly head: string
  readonly cell: (model: Model) => ReactNode
  /** The lower, the better; the lowest is marked. */
  readonly rank?: (model: Model) => number | null
}

const cached = (usdc: string | null) => (usdc === null ? 'as input' : <Amount usdc={usdc} />)

const tokens = (count: number | null) => (count === null ? '–' : `${formatCount(count)} tokens`)

/** Returns a row without values for models of embeddings, which have no output. */
const ofOutput = ({ head, cell, rank }: Row): Row => ({
  head,
  cell: model => (isEmbeddings(model) ? '–' : cell(model)),
  rank: model => (isEmbeddings(model) ? null : (rank?.(model) ?? null)),
})

const rows: readonly Row[] = [
  {
    head: 'Input, 1M tokens',
    cell: ({ inputPricePer1MTokensUsdc: usdc }) => <Amount usdc={usdc} />,
    rank: ({ inputPricePer1MTokensUsdc: usdc }) => Number(usdc),
  },
  ofOutput({
    head: 'Output, 1M tokens',
    cell: ({ outputPricePer1MTokensUsdc: usdc }) => <Amount usdc={usdc} />,
    rank: ({ outputPricePer1MTokensUsdc: usdc }) => Number(usdc),
  }),
  { head: 'Cache read, 1M', cell: ({ cacheReadPricePer1M }) => cached(cacheReadPricePer1M) },
  { head: 'Cache write, 1M', cell: ({ cacheWritePricePer1M }) => cached(cacheWritePricePer1M) },
  ofOutput({
    head: '1,000 in and 500 out, at most',
    cell: ({ typicalPriceUsdc: usdc }) => <Amount usdc={usdc} />,
    rank: ({ typicalPriceUsdc: usdc }) => Number(usdc),
  }),
  { head: 'Input', cell: ({ inputModalities }) => inputModalities?.join(', ') ?? '–' },
  { head: 'Context', cell: ({ contextTokens }) => tokens(contextTokens) },
  ofOutput({
    head: 'Output by default',
    cell: ({ defaultMaxOutputTokens }) => tokens(defaultMaxOutputTokens),
  }),
  {
    head: 'Latency, 7 days',
    cell: ({ latencyMs }) => <Latency ms={latencyMs} />,
    rank: ({ latencyMs }) => latencyMs,
  },
  {
    head: 'Throughput, 7 days',
    cell: ({ tokensPerSecond }) => <Throughput tokensPerSecond={tokensPerSecond} />,
    rank: ({ tokensPerSecond }) => (tokensPerSecond === null ? null : -tokensPerSecond),
  },
  {
    head: 'Success, 7 days',
    cell: ({ successRate }) => <SuccessRate rate={successRate} />,
    rank: ({ successRate }) => (successRate === null ? null : -successRate),
  },
  { head: 'Calls answered, 30 days', cell: ({ days }) => <UptimeBars days={days} /> },
  { head: 'API', cell: apiOf },
  { head: 'Family', cell: ({ modelFamily }) => modelFamily ?? '–' },
  { head: 'Verified server', cell: ({ targetVerified }) => (targetVerified ? 'Yes' : 'No') },
  { head: 'Provider', cell: ({ provider }) => <span className="break-words">{provider}</span> },
  { head: 'Offered since', cell: ({ createdAt }) => formatDay(createdAt) },
]

/** Up to four models side by side; their names are in the address. */
export function ComparePage() {
  const { ids = [] }: CompareSearch = useSearch({ from: '/models/compare' })
  const navigate = useNavigate({ from: '/models/compare' })
  const read = useQueries({
    queries: ids.map(id => ({
      queryKey: ['market', 'service', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.readMarketService({ path: { id }, signal }),
      refetchInterval: FIGURES_POLL_INTERVAL_MS,
    })),
  })
  const models = read.map(({ data }) => (data?.service.serviceKind === 'llm' ? data.service : undefined))
  // Told of together: each alone would move the page once.
  const absent = read.some(({ isPending }) => isPending) ? [] : ids.filter((_, index) => !models[index])
  const shown = ids.flatMap((id, index) => (absent.includes(id) ? [] : [{ id, model: models[index] }]))
  const remove = (id: string) => navigate({ search: { ids: ids.filter(each => each !== id) } })
  return (
    <div className="py-8">
      <Link
        to="/market"
        search={{ kind: 'llm', compare: ids }}
        className="mb-4 inline-flex items-center gap-1 text-sm text-muted hover:text-text"
      >
        <ArrowLeft aria-hidden className="size-4" /> Choose models
      </Link>
      <PageHead
        title="Compare models"
        description="Prices and performance. The best value of each row is marked."
      />
      {absent.length > 0 && (
        <p role="status" className="mb-4 text-sm text-muted">
          Unknown model: {absent.join(', ')}.
        </p>
      )}
      {shown.length === 0 ? (
        <EmptyState
          icon={<Scale />}
          title="No models chosen"
          action={
            <Link to="/market" search={{ kind: 'llm' }} className={buttonClass()}>
              Choose models
            </Link>
          }
        >
          Select up to four models in the market.
        </EmptyState>
      ) : (
        <Comparison shown={shown} onRemove={remove} />
      )}
    </div>
  )
}

type Shown = readonly { readonly id: string; readonly model: Model | undefined }[]

/** The rows of a phone, by number of models: two fit, and more scroll. */
const phoneRows = [
  '',
  'max-sm:grid-cols-1',
  'max-sm:grid-cols-2',
  'max-sm:grid-cols-[repeat(3,10rem)]',
  'max-sm:grid-cols-[repeat(4,10rem)]',
]
/** The least width on larger screens, of 10 rem for each column. */
const widths = ['', 'sm:min-w-80', 'sm:min-w-120', 'sm:min-w-160', 'sm:min-w-200']

/** A table of models, with the label of each row beside its values, or above them on a phone. */
function Comparison({ shown, onRemove }: { shown: Shown; onRemove: (id: string) => void }) {
  const line = clsx('max-sm:grid', phoneRows[shown.length])
  return (
    <section
      aria-label="Compared models"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border bg-raised"
    >
      <table
        aria-label="Compared models"
        className={clsx(
          'w-full border-separate border-spacing-0 text-sm max-sm:block max-sm:[&>*]:block sm:table-fixed',
          widths[shown.length],
        )}
      >
        <thead>
          <tr className={clsx('align-top', line)}>
            <td className="sticky left-0 z-10 w-40 border-b bg-subtle max-sm:hidden" />
            {shown.map(({ id, model }) => (
              <th
                key={id}
                scope="col"
                className="min-w-0 border-b bg-subtle px-4 py-3 text-left font-normal max-sm:px-3"
              >
                <Head id={id} model={model} onRemove={() => onRemove(id)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&>tr:last-child>*]:border-b-0">
          {rows.map(row => {
            const best = bestOf(row, shown)
            return (
              <tr key={row.head} className={line}>
                <th
                  scope="row"
                  className="px-4 text-left font-normal text-muted max-sm:col-span-full max-sm:px-3 max-sm:pt-2 max-sm:text-xs sm:sticky sm:left-0 sm:z-10 sm:border-b sm:bg-raised sm:py-2.5"
                >
                  <span className="max-sm:sticky max-sm:left-3">{row.head}</span>
                </th>
                {shown.map(({ id, model }) => (
                  <td key={id} className="min-w-0 border-b px-4 py-2.5 tabular max-sm:px-3 max-sm:pt-0.5">
                    {model === undefined ? (
                      <Skeleton className="h-5 w-20" />
                    ) : best !== null && row.rank?.(model) === best ? (
                      <span className="inline-flex flex-wrap items-center gap-x-2">
                        {row.cell(model)} <Badge tone="good">Best</Badge>
                      </span>
                    ) : (
                      row.cell(model)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Returns the lowest rank of a row; null if it says nothing about the models beside each other. */
function bestOf({ rank }: Row, shown: Shown): number | null {
  if (rank === undefined) return null
  const ranks = shown.flatMap(({ model }) => (model === undefined ? [] : (rank(model) ?? [])))
  const best = Math.min(...ranks)
  return ranks.some(each => each !== best) ? best : null
}

function Head({ id, model, onRemove }: { id: string; model: Model | undefined; onRemove: () => void }) {
  return (
    <div className="flex items-start justify-between gap-2">
      <div className="min-w-0">
        {model === undefined ? (
          <Skeleton className="h-5.25 w-24" />
        ) : (
          <Link
            to="/services/$id"
            params={{ id: model.agentToolName }}
            className="text-base font-medium underline-offset-2 hover:underline"
          >
            {model.serviceName}
          </Link>
        )}
        <p className="mt-1 flex h-6 items-center">
          {model !== undefined &&
            (model.runtimeAvailable ? (
              <Badge tone="good">Available</Badge>
            ) : (
              <Badge tone="bad">Unavailable</Badge>
            ))}
        </p>
      </div>
      <IconButton label={`Remove ${model?.serviceName ?? id}`} onClick={onRemove}>
        <X />
      </IconButton>
    </div>
  )
}
