import type { AnswerOf } from '@farebox/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ChevronsUpDown, SearchX, Store } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { SearchBox } from '../../ui/forms/search-box.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { ModelBadge } from '../../ui/services/model-badge.tsx'
import { ServicePrice } from '../../ui/services/service-price.tsx'

type Found = AnswerOf<'searchMarket'>['services'][number]
type Kind = 'all' | 'api' | 'llm'

const SHOWN = 30
const SKELETONS = 5
const kinds = [
  { value: 'all', label: 'All' },
  { value: 'llm', label: 'Models' },
  { value: 'api', label: 'APIs' },
] as const

/** The chosen service, with a dialog to choose another. */
export function ServicePicker(props: {
  service: { serviceName: string; agentToolName: string; serviceKind: string } | undefined
  isBusy: boolean
  onChoose: (toolName: string) => void
}) {
  const { service, isBusy, onChoose } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex h-12 min-w-0 items-center gap-3 rounded-lg border border-line-strong bg-raised px-3 text-left transition-colors hover:bg-hover"
      >
        <Store aria-hidden className="size-4 shrink-0 text-faint" />
        <span className="flex min-w-0 flex-1 flex-col leading-tight">
          <span className="text-xs text-faint">Service</span>
          {isBusy ? (
            <Skeleton className="mt-0.5 h-4 w-32" />
          ) : (
            <span className="flex items-center gap-2 truncate font-medium">
              {service?.serviceName ?? 'Choose a service or model'}
              {service !== undefined && <ModelBadge {...service} />}
            </span>
          )}
        </span>
        <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-faint" />
      </button>
      {isOpen && (
        <Dialog open onClose={() => setOpen(false)} title="Choose a service" className="!max-w-2xl">
          <ServiceList
            onChoose={toolName => {
              setOpen(false)
              onChoose(toolName)
            }}
          />
        </Dialog>
      )}
    </>
  )
}

/** A searchable list of services. */
export function ServiceList({ onChoose }: { onChoose: (toolName: string) => void }) {
  const [q, setQ] = useState('')
  const [kind, setKind] = useState<Kind>('all')
  const query = { pageSize: SHOWN, ...(q !== '' && { q }), ...(kind !== 'all' && { kind }) }
  const found = useQuery({
    queryKey: ['market', 'search', query],
    queryFn: ({ signal }) => api.searchMarket({ query, signal }),
    placeholderData: keepPreviousData,
  })
  const services = found.data?.services
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchBox
          label="Search services"
          placeholder="Search by what it does, or by name"
          value={q}
          onChange={setQ}
        />
        <Segments label="Kind" options={kinds} value={kind} onChange={setKind} />
      </div>
      {services === undefined && found.error !== null ? (
        <ErrorState error={found.error} onRetry={found.refetch} />
      ) : services?.length === 0 ? (
        <EmptyState
          icon={<SearchX />}
          title={q === '' ? 'No services yet' : 'No matches'}
          action={
            <Link to="/market" className={buttonClass()}>
              Go to the market
            </Link>
          }
        >
          {q === ''
            ? 'Services appear as soon as they pass a health probe.'
            : 'Try fewer words, or the other kind.'}
        </EmptyState>
      ) : (
        <ul
          aria-label="Services"
          aria-busy={services === undefined}
          className={clsx('divide-y rounded-lg border bg-raised', found.isPlaceholderData && 'opacity-60')}
        >
          {services === undefined &&
            Array.from({ length: SKELETONS }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
              <li key={index} className="px-4 py-3">
                <Skeleton className="h-5 w-40" />
                <Skeleton className="mt-1.5 h-4 w-3/4" />
              </li>
            ))}
          {services?.map(service => (
            <Choice key={service.serviceId} service={service} onChoose={onChoose} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Choice({ service, onChoose }: { service: Found; onChoose: (toolName: string) => void }) {
  const { agentToolName, serviceName, summary } = service
  return (
    <li className="first:[&>button]:rounded-t-lg last:[&>button]:rounded-b-lg">
      <button
        type="button"
        onClick={() => onChoose(agentToolName)}
        className="flex w-full items-center gap-4 px-4 py-2.5 text-left transition-colors hover:bg-hover"
      >
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-2">
            <span className="truncate font-medium">{serviceName}</span>
            <ModelBadge {...service} />
          </span>
          <span className="block truncate text-sm text-muted">
            {summary === '' ? agentToolName : summary}
          </span>
        </span>
        <span className="shrink-0 text-right text-sm">
          <ServicePrice {...service} />
        </span>
      </button>
    </li>
  )
}
