import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { api, queryClient } from './api.ts'
import { consoleConfig } from './console-config.ts'
import type { Snippet } from './ui/code-block.tsx'
import { isEmbeddings } from './ui/services/embeddings.ts'
import { exampleArguments, payloadOf } from './ui/services/payload-shape.ts'
import { mcpSnippet } from './ui/services/service-snippets.ts'
import { useIsHydrated } from './ui/state/use-is-hydrated.ts'

type Service = AnswerOf<'readMarketService'>['service']
type Listed = AnswerOf<'searchMarket'>['services'][number]

/** Results of a search by name among which the service is looked for. */
const LIVE_AMONG = 20

/** Reserves the width of a typical origin in the prerendered page. */
const SOME_ORIGIN = 'https://gateway.example'

/** Services among which a cheap one is looked for. */
const CHEAP_AMONG = 100

/** Services for a first call; null if there is none. */
type Callable = {
  /** The free service that visitors may call, or else the cheapest trusted API. */
  readonly service: Service | null
  /** Name of the cheapest trusted model. */
  readonly model: string | null
  readonly isLive: boolean
}

/** Reserves the room of a typical call in the prerendered page, and until the market has been read. */
const SOME_CALL = { serviceId: 'any', costUsdc: '0.010000', payload: '{"body":{}}' }

/**
 * Returns code that makes a first call with several clients, and the free service that visitors may call; `isKnown` is
 * false until the market has been read.
 */
export function useFirstCalls(): { snippets: Snippet[]; live: Service | null; isKnown: boolean } {
  const isHydrated = useIsHydrated()
  const callable = useFirstServices()
  const origin = isHydrated ? window.location.origin : SOME_ORIGIN
  return {
    snippets: firstCalls(origin, callable),
    live: callable?.isLive === true ? callable.service : null,
    isKnown: callable !== undefined,
  }
}

/** Returns the services for a first call; undefined until they are known. */
export function useFirstServices(): Callable | undefined {
  const { data, isError } = useQuery({
    queryKey: ['market', 'first-call'],
    queryFn: async ({ signal }): Promise<Callable> => {
      const [live, found, model] = await Promise.all([
        findLive(signal),
        findTrusted('api', signal),
        findTrusted('llm', signal),
      ])
      const id = (live ?? found)?.serviceId
      return {
        service: id === undefined ? null : (await api.readMarketService({ path: { id }, signal })).service,
        model: model?.agentToolName ?? null,
        isLive: live !== undefined,
      }
    },
  })
  return isError ? { service: null, model: null, isLive: false } : data
}

/**
 * Finds the cheapest service that calls of other wallets have rated or whose server is verified: anyone may register a
 * free one. A model is one that chats.
 */
async function findTrusted(kind: 'api' | 'llm', signal: AbortSignal): Promise<Listed | undefined> {
  const query = { kind, sort: 'lowest_price', pageSize: CHEAP_AMONG } as const
  const { services } = await api.searchMarket({ query, signal })
  return services.find(
    service => (service.successRate !== null || service.targetVerified) && !isEmbeddings(service),
  )
}

/** Finds the operator's free service, if it can be called now. */
async function findLive(signal: AbortSignal): Promise<Listed | undefined> {
  const { liveService } = await queryClient.fetchQuery(consoleConfig)
  if (liveService === null) return undefined
  const { services } = await api.searchMarket({
    query: { q: liveService, kind: 'api', pageSize: LIVE_AMONG },
    signal,
  })
  return services.find(
    ({ agentToolName, pricing }) =>
      agentToolName === liveService && 'amount' in pricing && Number(pricing.amount) === 0,
  )
}

/** Returns snippets of a first call with several clients. `origin` is that of this gateway. */
function firstCalls(origin: string, callable: Callable | undefined): Snippet[] {
  const { service, model } = callable ?? { service: undefined, model: null }
  const snippets: Snippet[] = []
  if (service !== null) snippets.push({ label: 'curl', code: curlOf(origin, service) })
  if (model !== null) snippets.push({ label: 'OpenAI SDK', code: openAiOf(origin, model) })
  return [...snippets, { label: 'MCP', code: mcpSnippet(origin) }]
}

function curlOf(origin: string, service: Service | undefined): string {
  const { serviceId, costUsdc, payload } = service === undefined ? SOME_CALL : callOf(service)
  return `curl ${origin}/api/v1/agent/invoke \\
  -H 'X-Credential: agt_...' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "serviceId": "${serviceId}",
    "costUsdc": "${costUsdc}",
    "payload": ${payload.replaceAll("'", "'\\''")}
  }'`
}

function callOf(service: Service): typeof SOME_CALL {
  const { agentToolName: serviceId, pricing } = service
  const costUsdc = 'amount' in pricing ? pricing.amount : ''
  return { serviceId, costUsdc, payload: JSON.stringify(payloadOf(service, exampleArguments(service))) }
}

const openAiOf = (origin: string, model: string) => `import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: 'agt_...', // your credential
})

const answer = await openai.chat.completions.create({
  model: '${model}', // any model in the market
  messages: [{ role: 'user', content: 'Who pays the ferryman?' }],
})`
