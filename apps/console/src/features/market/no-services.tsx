import { useQueries } from '@tanstack/react-query'
import { SearchX, X } from 'lucide-react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { shorten } from '../../ui/values/address.tsx'
import { formatCount } from '../../ui/values/measures.tsx'
import { limitNames, type MarketSearch, marketQueryOf, NO_LIMITS, readMarketSearch } from './market-search.ts'

type Change = Partial<MarketSearch>
/** A filter of a search, and the change that removes it. */
type Filter = { readonly label: string; readonly off: Change }

const EVERYTHING: Change = {
  q: undefined,
  tag: undefined,
  provider: undefined,
  kind: undefined,
  ...NO_LIMITS,
}

/** An empty market: which filters leave nothing, and how many services there are without each. */
export function NoServices(props: { search: MarketSearch; onChange: (change: Change) => void }) {
  const { search, onChange } = props
  const filters = filtersOf(search)
  if (filters.length === 0)
    return (
      <EmptyState icon={<SearchX />} title="No services yet">
        Services appear here as soon as they pass a health probe.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<SearchX />}
      title="No matches"
      action={<Button onClick={() => onChange(EVERYTHING)}>Clear filters</Button>}
    >
      {filters.length === 1 ? (
        `No service matches ${filters[0]?.label}.`
      ) : (
        <Without search={search} filters={filters} onChange={onChange} />
      )}
    </EmptyState>
  )
}

function Without(props: {
  search: MarketSearch
  filters: readonly Filter[]
  onChange: (change: Change) => void
}) {
  const { search, filters, onChange } = props
  const counts = useQueries({
    queries: filters.map(({ off }) => {
      const query = {
        ...marketQueryOf(readMarketSearch({ ...search, page: undefined, ...off })),
        pageSize: 1,
      }
      return {
        queryKey: ['market', 'count', query],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          (await api.searchMarket({ query, signal })).pagination.total,
      }
    }),
  })
  return (
    <>
      <p>No service matches all filters. Remove one to see:</p>
      <ul className="mt-3 inline-grid max-w-full grid-cols-[auto_auto] items-center gap-x-3 gap-y-1.5 text-left text-sm">
        {filters.map(({ label, off }, index) => (
          <li key={label} className="contents">
            <Button
              size="sm"
              className="!shrink min-w-0 !justify-start"
              icon={<X aria-hidden className="size-3.5 shrink-0" />}
              onClick={() => onChange(off)}
            >
              <span className="truncate">{label}</span>
            </Button>
            <span className="tabular whitespace-nowrap">{describeCount(counts[index]?.data)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function describeCount(count: number | undefined): string {
  if (count === undefined) return ''
  return `${formatCount(count)} ${count === 1 ? 'service' : 'services'}`
}

function filtersOf(search: MarketSearch): Filter[] {
  const { q, tag, provider, kind, maxCall, maxInput, maxOutput, minContext } = search
  const hasLimit = limitNames.some(name => search[name] !== undefined)
  return [
    ...(q === undefined ? [] : [{ label: `the search “${q}”`, off: { q: undefined } }]),
    ...(tag === undefined ? [] : [{ label: `the tag “${tag}”`, off: { tag: undefined } }]),
    ...(provider === undefined
      ? []
      : [{ label: `the provider ${shorten(provider)}`, off: { provider: undefined } }]),
    // A limit implies its kind.
    ...(kind === undefined || hasLimit
      ? []
      : [{ label: `the kind “${kind === 'llm' ? 'Models' : 'APIs'}”`, off: { kind: undefined } }]),
    ...(maxCall === undefined ? [] : [{ label: `price ≤ ${maxCall} USDC`, off: { maxCall: undefined } }]),
    ...(maxInput === undefined
      ? []
      : [{ label: `input ≤ ${maxInput} USDC / 1M`, off: { maxInput: undefined } }]),
    ...(maxOutput === undefined
      ? []
      : [{ label: `output ≤ ${maxOutput} USDC / 1M`, off: { maxOutput: undefined } }]),
    ...(minContext === undefined
      ? []
      : [{ label: `context ≥ ${formatCount(minContext)} tokens`, off: { minContext: undefined } }]),
  ]
}
