import { formatUsdc } from '@farebox/money'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { SearchBox } from '../../ui/forms/search-box.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { useTyped } from '../../ui/forms/use-typed.ts'
import { Segments } from '../../ui/layout/segments.tsx'
import { Address } from '../../ui/values/address.tsx'
import { readAmount } from '../../ui/values/read-amount.ts'
import {
  kindLabels,
  type LimitName,
  limitNames,
  type MarketSearch,
  type MarketSort,
  NO_LIMITS,
  PRICES,
  priceNames,
} from './market-search.ts'

const sorts: { value: MarketSort; label: string }[] = [
  { value: 'best_match', label: 'Best match' },
  { value: 'newest', label: 'Newest' },
  { value: 'lowest_price', label: 'Lowest price' },
  { value: 'fastest', label: 'Fastest' },
  { value: 'highest_reliability', label: 'Most reliable' },
]
const kinds = [
  { value: 'all', label: 'All' },
  { value: 'api', label: kindLabels.api },
  { value: 'llm', label: kindLabels.llm },
] as const
const CONTEXTS = [8_000, 32_000, 128_000, 200_000, 1_000_000]
const ANY = 'any'

type Change = (change: Partial<MarketSearch>) => void

/** Search, kind and order of the market, and limits of prices and context for the kind that is chosen. */
export function MarketFilters({ search, onChange }: { search: MarketSearch; onChange: Change }) {
  const { q, kind } = search
  const sort = search.sort ?? (q === undefined ? 'newest' : 'best_match')
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search services"
          placeholder="Search by what it does, or by name"
          value={q ?? ''}
          onChange={text => onChange({ q: text === '' ? undefined : text, sort: undefined })}
        />
        <Segments
          label="Kind"
          options={kinds}
          value={kind ?? 'all'}
          onChange={value => onChange(value === 'all' ? { kind: undefined, ...NO_LIMITS } : { kind: value })}
        />
        <Select
          label="Order"
          size="sm"
          className="ml-auto w-40"
          options={sorts}
          value={sort}
          onChange={value => onChange({ sort: value })}
        />
      </div>
      <Limits search={search} onChange={onChange} />
      {search.provider !== undefined && (
        <ProviderChip provider={search.provider} onRemove={() => onChange({ provider: undefined })} />
      )}
    </>
  )
}

/** The filter by provider, with the button that removes it. */
function ProviderChip({ provider, onRemove }: { provider: string; onRemove: () => void }) {
  return (
    <div className="mb-3 flex">
      <span className="inline-flex h-7 items-center gap-1 rounded-full border border-accent bg-accent-soft pr-1 pl-3 text-sm text-accent">
        Provider
        <Address value={provider} hasCopy={false} />
        <IconButton label="Remove provider filter" className="!size-6 !rounded-full" onClick={onRemove}>
          <X aria-hidden />
        </IconButton>
      </span>
    </div>
  )
}

function Limits({ search, onChange }: { search: MarketSearch; onChange: Change }) {
  const { kind, minContext } = search
  // A limit chooses the kind that it is for.
  const limit = (name: LimitName, value: number | undefined) => onChange({ [name]: value })
  return (
    <fieldset aria-label="Limits" className="mb-3 grid grid-cols-2 items-start gap-2 sm:flex sm:flex-wrap">
      {priceNames.map(
        name =>
          (kind ?? PRICES[name].kind) === PRICES[name].kind && (
            <PriceLimit
              key={name}
              {...PRICES[name]}
              value={search[name]}
              onChange={value => limit(name, value)}
            />
          ),
      )}
      {kind !== 'api' && (
        <Select
          label="Context at least"
          size="sm"
          className={clsx(minContext === undefined && 'text-muted')}
          options={contextsOf(minContext)}
          value={minContext === undefined ? ANY : String(minContext)}
          onChange={value => limit('minContext', value === ANY ? undefined : Number(value))}
        />
      )}
      {limitNames.some(name => search[name] !== undefined) && (
        <Button
          size="sm"
          variant="ghost"
          className="h-8 max-sm:justify-self-start"
          icon={<X aria-hidden className="size-3.5" />}
          onClick={() => onChange(NO_LIMITS)}
        >
          Clear limits
        </Button>
      )}
    </fieldset>
  )
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Returns the choices of a context; one that an address names is among them. */
function contextsOf(chosen: number | undefined) {
  const sizes = [...new Set([...CONTEXTS, ...(chosen === undefined ? [] : [chosen])])].sort((a, b) => a - b)
  return [
    { value: ANY, label: 'Any context' },
    ...sizes.map(size => ({ value: String(size), label: `Context ≥ ${compact.format(size)}` })),
  ]
}

function PriceLimit(props: {
  label: string
  unit: string
  /** Accessible name. */
  meaning: string
  value: number | undefined
  onChange: (value: number | undefined) => void
}) {
  const { label, unit, meaning } = props
  const id = useId()
  const { text, setText, error } = useTyped(props.value, { read, write, onChange: props.onChange })
  return (
    <div className="min-w-0">
      <label
        title={meaning}
        className={clsx(
          'flex h-8 items-center gap-1.5 rounded-md border bg-raised px-2.5 text-sm whitespace-nowrap text-muted',
          error === null ? 'border-line-strong hover:border-faint' : 'border-danger',
          'has-focus-visible:outline-2 has-focus-visible:outline-accent',
        )}
      >
        <span aria-hidden>{label} ≤</span>
        <input
          aria-label={meaning}
          aria-invalid={error !== null}
          aria-describedby={error === null ? undefined : id}
          inputMode="decimal"
          autoComplete="off"
          placeholder="any"
          className="w-12 min-w-0 grow bg-transparent text-text tabular !outline-none placeholder:text-faint"
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <span aria-hidden className="text-faint">
          / {unit}
        </span>
      </label>
      {error !== null && (
        <p id={id} role="alert" className="mt-1 text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

const write = (usdc: number | undefined) => (usdc === undefined ? '' : String(usdc))

function read(text: string): { value: number | undefined } | { error: string } {
  const typed = readAmount(text)
  if (typed === null) return { value: undefined }
  return 'error' in typed ? typed : { value: Number(formatUsdc(typed.amount)) }
}
