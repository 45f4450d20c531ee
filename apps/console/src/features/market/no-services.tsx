import { useQueries } from '@tanstack/react-query'
import { SearchX, X } from 'lucide-react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { shorten } from '../../ui/values/address.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import {
  kindLabels,
  limitNames,
  type MarketSearch,
  marketQueryOf,
  PRICES,
  type PriceName,
  readMarketSearch,
} from './market-search.ts'

type Change = Partial<MarketSearch>
/** A filter of a search, and the change that removes it. */
type Filter = { readonly label: string; readonly off: Change }

type Values = Required<Omit<MarketSearch, 'sort' | 'page' | 'compare'>>
type FilterName = keyof Values

/** Describes each filter by its value. */
const descriptions: { readonly [Name in FilterName]: (value: Values[Name]) => string } = {
  q: text => `the search “${text}”`,
  tag: tag => `the tag “${tag}”`,
  provider: wallet => `the provider ${shorten(wallet)}`,
  kind: kind => `the kind “${kindLabels[kind]}”`,
  maxCall: usdc => describePrice('maxCall', usdc),
  maxInput: usdc => describePrice('maxInput', usdc),
  maxOutput: usdc => describePrice('maxOutput', usdc),
  minContext: tokens => `context ≥ ${formatCount(tokens)} tokens`,
}
const filterNames = Object.keys(descriptions) as FilterName[]
const EVERYTHING: Change = Object.fromEntries(filterNames.map(name => [name, undefined]))

/** An empty market: which filters leave nothing, and how many services there are without each. */
export function NoServices(props: {
  search: MarketSearch
  /** There are some on pages before. */
  hasOthers: boolean
  onChange: (change: Change) => void
}) {
  const { search, onChange } = props
  if (props.hasOthers)
    return (
      <EmptyState
        icon={<SearchX />}
        title="No more services"
        action={<Button onClick={() => onChange({})}>First page</Button>}
      />
    )
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
  // A limit implies its kind.
  const isKindImplied = limitNames.some(name => search[name] !== undefined)
  return filterNames.flatMap(name => (name === 'kind' && isKindImplied ? [] : filterOf(search, name)))
}

function filterOf<Name extends FilterName>(
  values: { readonly [Of in Name]?: Values[Of] },
  name: Name,
): Filter[] {
  const value = values[name]
  return value === undefined ? [] : [{ label: descriptions[name](value), off: { [name]: undefined } }]
}

function describePrice(name: PriceName, usdc: number): string {
  const { label, unit } = PRICES[name]
  return `${label.toLowerCase()} ≤ ${usdc} USDC / ${unit}`
}
