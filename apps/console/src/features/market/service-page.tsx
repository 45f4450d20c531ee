import type { AnswerOf } from '@farebox/client'
import { placeholderOf } from '@farebox/wire/page-texts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../api.ts'
import { ServiceError } from '../../service-error.tsx'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Skeleton } from '../../ui/feedback/states.tsx'
import { Card, Facts, PageHead, Stat } from '../../ui/layout/page.tsx'
import { apiOf, isEmbeddings } from '../../ui/services/embeddings.ts'
import { formatStream } from '../../ui/services/format-stream.ts'
import { ModelBadge } from '../../ui/services/model-badge.tsx'
import { describeBody } from '../../ui/services/payload-shape.ts'
import { CachePrices, ScheduledPrice, ServicePrice } from '../../ui/services/service-price.tsx'
import { useIsHydrated } from '../../ui/state/use-is-hydrated.ts'
import { Id } from '../../ui/values/address.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount, formatLimit, formatMs } from '../../ui/values/format-measures.ts'
import { formatDay } from '../../ui/values/format-time.ts'
import { Latency, SuccessRate, Throughput } from '../../ui/values/measures.tsx'
import { useSnippets } from '../../use-snippets.ts'
import { HealthCard } from './health-card.tsx'
import { ServiceCharts } from './service-charts.tsx'
import { SnippetCredential } from './snippet-credential.tsx'
import { sumOf, UptimeBars } from './uptime-bars.tsx'

type Service = AnswerOf<'readMarketService'>['service']

const descriptionClass = 'max-w-2xl break-words whitespace-pre-line text-muted'
const columnsClass = 'grid gap-6 lg:grid-cols-[minmax(0,1fr)_19rem]'
const asideClass = 'flex flex-col gap-6 max-lg:contents'

/** A service as callers see it. */
export function ServicePage() {
  const { id } = useParams({ from: '/services/$id' })
  const isHydrated = useIsHydrated()
  const shown = useQuery({
    queryKey: ['market', 'service', id],
    queryFn: ({ signal }) => api.readMarketService({ path: { id }, signal }),
    refetchInterval: FIGURES_POLL_INTERVAL_MS,
  })
  return (
    <div className="py-8">
      <Link to="/market" className="mb-4 inline-flex items-center gap-1 text-sm text-muted hover:text-text">
        <ArrowLeft aria-hidden className="size-4" /> Market
      </Link>
      {shown.data !== undefined ? (
        <Sheet service={shown.data.service} />
      ) : shown.error !== null ? (
        <ServiceError id={id} error={shown.error} onRetry={shown.refetch} to="/services/$id" />
      ) : !isHydrated ? (
        <Prerendered />
      ) : (
        <Unread>
          <Skeleton className="h-7 w-64" />
          <Skeleton className="mt-3 mb-6 h-4 w-96 max-w-full" />
        </Unread>
      )}
    </div>
  )
}

/** The first texts of a service, which the gateway puts into the prerendered page. */
function Prerendered() {
  return (
    <Unread>
      <PageHead title={placeholderOf('serviceName')} description={placeholderOf('summary')} />
      <p className={`${descriptionClass} mb-6 empty:hidden`}>{placeholderOf('description')}</p>
    </Unread>
  )
}

/** A service that is being read, below its head: what holds for every service, where it stays. */
function Unread({ children }: { children: ReactNode }) {
  return (
    <div aria-busy="true">
      {children}
      <div className={columnsClass}>
        <Skeleton className="h-96" />
        <aside className={asideClass}>
          <PriceCard>
            <Skeleton className="h-7 w-32" />
          </PriceCard>
        </aside>
      </div>
    </div>
  )
}

function Sheet({ service }: { service: Service }) {
  const { agentToolName, serviceName, summary, description } = service
  const snippets = useSnippets(service)
  return (
    <>
      <PageHead
        title={serviceName}
        description={summary}
        aside={
          <>
            <ModelBadge {...service} />
            {service.targetVerified && <Badge tone="good">Verified server</Badge>}
            {service.runtimeAvailable ? (
              <Badge tone="good">Available</Badge>
            ) : (
              <Badge tone="bad">Unavailable</Badge>
            )}
          </>
        }
        actions={
          <>
            {service.serviceKind === 'llm' && (
              <Link to="/market" search={{ kind: 'llm', compare: [agentToolName] }} className={buttonClass()}>
                Compare
              </Link>
            )}
            <Link
              to={'/playground' as string}
              search={{ service: agentToolName } as never}
              className={buttonClass({ variant: 'primary' })}
            >
              Try it
            </Link>
          </>
        }
      />
      <div className={columnsClass}>
        <div className="flex min-w-0 flex-col gap-6">
          {description !== '' && description !== summary && <p className={descriptionClass}>{description}</p>}
          <section aria-labelledby="call">
            <h2 id="call" className="mb-2 text-base font-medium">
              Call it
            </h2>
            <SnippetCredential />
            <CodeBlock label={`Code that calls ${serviceName}`} snippets={snippets} />
          </section>
          <Schemas service={service} />
          <ServiceCharts days={service.days} />
          <HealthCard id={service.serviceId} />
        </div>
        <Aside service={service} />
      </div>
    </>
  )
}

function Aside({ service }: { service: Service }) {
  const { agentToolName, tags } = service
  return (
    <aside className={asideClass}>
      <PriceCard>
        <p className="text-lg">
          <ServicePrice {...service} />
        </p>
        {service.serviceKind === 'llm' && <CachePrices {...service} />}
        <ScheduledPrice {...service} />
        {service.serviceKind === 'llm' && (
          <Facts
            items={[
              [
                isEmbeddings(service) ? '1,000 tokens' : '1,000 in and 500 out',
                <span key="typical">
                  up to <Amount usdc={service.typicalPriceUsdc} />
                </span>,
              ],
              [
                'Automatic hold',
                <span key="hold">
                  up to <Amount usdc={service.maxAutoHoldUsdc} />
                </span>,
              ],
            ]}
          />
        )}
      </PriceCard>
      <Reliability service={service} />
      <Card title="Facts">
        <Facts
          items={[
            [
              'Tool name',
              <span key="name" className="inline-flex max-w-full items-center gap-0.5">
                <code className="truncate font-mono text-sm">{agentToolName}</code>
                <CopyButton
                  text={agentToolName}
                  label="Copy tool name"
                  className="-my-1 size-6 [&>svg]:size-3.5"
                />
              </span>,
            ],
            [
              'Provider',
              <Provider key="provider" name={service.provider} wallet={service.providerAddress} />,
            ],
            ['Offered since', formatDay(service.createdAt)],
            ['Service ID', <Id key="id" value={service.serviceId} />],
            ...wireFacts(service),
            ['Response timeout', formatLimit(service.timeoutMs)],
            [
              'Tags',
              <span key="tags" className="flex flex-wrap gap-1">
                {tags.length === 0 && '–'}
                {tags.map(tag => (
                  <TagLink key={tag} tag={tag} />
                ))}
              </span>,
            ],
          ]}
        />
      </Card>
    </aside>
  )
}

function TagLink({ tag }: { tag: string }) {
  return (
    <Link to="/market" search={{ tag }} className="max-w-full rounded hover:opacity-80 [&>span]:max-w-full">
      <Badge>
        <span className="truncate" title={tag}>
          {tag}
        </span>
      </Badge>
    </Link>
  )
}

/** Prices, and how every call is paid. */
function PriceCard({ children }: { children: ReactNode }) {
  return (
    <Card title="Price" className="max-lg:order-first">
      <div className="flex flex-col gap-3">
        {children}
        <p className="text-sm text-muted">
          The most that a call can cost is held before the call. What it did cost is charged once it succeeds;
          the rest is released.
        </p>
      </div>
    </Card>
  )
}

/** The name of a provider, with a link to its services. */
function Provider({ name, wallet }: { name: string; wallet: string | undefined }) {
  if (wallet === undefined) return <span className="break-words">{name}</span>
  return (
    <Link
      to="/market"
      search={{ provider: wallet }}
      title={`All services of ${wallet}`}
      className="break-words underline underline-offset-2 hover:text-text"
    >
      {name}
    </Link>
  )
}

/** Success, latency and, of a model, throughput of the last week, and of 30 days. */
function Reliability({ service }: { service: Service }) {
  const { days, successRate, latencyMs, tokensPerSecond, serviceKind } = service
  const { latencyMs: mean } = sumOf(days)
  return (
    <Card title="Uptime and latency">
      <dl className="mb-4 grid grid-cols-2 gap-4">
        <Stat label="Success, 7 days">
          {successRate === null ? <Unrated /> : <SuccessRate rate={successRate} />}
        </Stat>
        <Stat
          label="Latency, 7 days"
          note={mean === null ? undefined : `${formatMs(Math.round(mean))} in ${days.length} days`}
        >
          {successRate === null ? <Unrated /> : <Latency ms={latencyMs} />}
        </Stat>
        {serviceKind === 'llm' && !isEmbeddings(service) && (
          <Stat label="Throughput, 7 days" className="col-span-2">
            {successRate === null ? <Unrated /> : <Throughput tokensPerSecond={tokensPerSecond} />}
          </Stat>
        )}
      </dl>
      <UptimeBars days={days} />
    </Card>
  )
}

/** Stands for the figures of a service that the gateway does not rate: other calls do not count. */
function Unrated() {
  return (
    <span
      className="flex min-h-8 items-center text-sm font-normal text-muted"
      title="At least five calls, paid by other wallets at the current price or above"
    >
      Too few paid calls
    </span>
  )
}

/** How a call of a service is sent: for a model its API, for others method and body. */
function wireFacts(service: Service): (readonly [string, string])[] {
  if (service.serviceKind === 'llm') {
    const { modelFamily, contextTokens, defaultMaxOutputTokens, inputModalities } = service
    return [
      ['API', apiOf(service)],
      ...(modelFamily === null ? [] : [['Family', modelFamily] as const]),
      ...(inputModalities === null ? [] : [['Input', inputModalities.join(', ')] as const]),
      ...(contextTokens === null ? [] : [['Context', `${formatCount(contextTokens)} tokens`] as const]),
      ...(isEmbeddings(service)
        ? []
        : ([
            ['Output by default', `${formatCount(defaultMaxOutputTokens)} tokens`],
            ['Streams', formatStream(service)],
          ] as const)),
    ]
  }
  const body = describeBody(service)
  return [['Method', service.method], ...(body === null ? [] : [['Body', body] as const])]
}

function Schemas({ service: { request, response } }: { service: Service }) {
  const reported = [
    { label: 'Request', code: request },
    { label: 'Response', code: response },
  ].filter(({ code }) => Object.keys(code).length > 0)
  if (reported.length === 0) return null
  return (
    <section aria-labelledby="schemas">
      <h2 id="schemas" className="mb-2 text-base font-medium">
        Schemas
      </h2>
      <CodeBlock
        label="Schemas"
        snippets={reported.map(({ label, code }) => ({ label, code: JSON.stringify(code, null, 2) }))}
      />
    </section>
  )
}
