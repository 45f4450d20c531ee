import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { ServiceError } from '../../service-error.tsx'
import { Skeleton } from '../../ui/feedback/states.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { isEmbeddings, withInput } from '../../ui/services/embeddings.ts'
import { Chat } from './chat.tsx'
import { CredentialBar } from './credential-bar.tsx'
import { FixedCall } from './fixed-call.tsx'
import type { Model, PricedApi } from './service-kinds.ts'
import { ServiceList, ServicePicker } from './service-picker.tsx'

/** Calls any service and shows its cost. */
export function PlaygroundPage() {
  const { service: id } = useSearch({ from: '/playground' })
  const navigate = useNavigate({ from: '/playground' })
  const choose = (service: string) => navigate({ search: { service }, resetScroll: false })
  const read = useQuery({
    queryKey: ['market', 'service', id],
    queryFn: ({ signal }) => api.readMarketService({ path: { id: id ?? '' }, signal }),
    enabled: id !== undefined,
    // Do not change the service while it is being tried.
    refetchOnWindowFocus: false,
  })
  const service = read.data?.service
  return (
    <div className="flex flex-1 flex-col py-6">
      <PageHead
        title="Playground"
        description="Calls here are real and charged to your balance at the usual prices."
      />
      <div className="mb-5 grid gap-3 sm:grid-cols-[minmax(0,1fr)_auto]">
        <ServicePicker service={service} isBusy={id !== undefined && read.isPending} onChoose={choose} />
        <CredentialBar />
      </div>
      {id === undefined && <ServiceList onChoose={choose} />}
      {id !== undefined && service === undefined && read.error !== null && (
        <ServiceError id={id} error={read.error} onRetry={read.refetch} to="/playground" />
      )}
      {id !== undefined && service === undefined && read.error === null && (
        <div aria-busy="true" className="grid gap-6 lg:grid-cols-2">
          <Skeleton className="h-112" />
          <Skeleton className="h-112 max-lg:hidden" />
        </div>
      )}
      {service !== undefined &&
        (service.serviceKind === 'llm' && !isEmbeddings(service) ? (
          <Chat key={service.serviceId} model={service as Model} />
        ) : (
          <FixedCall
            key={service.serviceId}
            service={(isEmbeddings(service) ? withInput(service) : service) as PricedApi | Model}
            onPriceChanged={() => read.refetch()}
          />
        ))}
    </div>
  )
}
