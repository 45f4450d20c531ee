import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Usdc } from '@farebox/money'
import type { Encoding } from '@farebox/wire/encodings'
import type { Deps } from '../../ports.ts'
import { createBoundedCache } from '../../runtime/bounded-cache.ts'
import { createFlights } from '../../runtime/cached.ts'
import { byKey } from '../../sql/by-key.ts'
import type { SigningSecret } from '../../upstream-ports.ts'
import { type PriceState, pricingInForce } from './pricing/price-notice-rules.ts'
import type { FixedPricing, TokenPricing } from './pricing/pricing-rules.ts'
import { fixedParameters, namesOf } from './request-shape.ts'
import { placeholdersIn } from './rules.ts'
import {
  compilePayloadSchema,
  type PayloadCheck,
  PayloadSchemaError,
  type SchemaIssue,
} from './schema/payload-schema.ts'
import { openServiceSecret } from './signing-secret.ts'
import { readCallable, type ServiceRow } from './store.ts'
import type { Target } from './targets/choose-targets.ts'
import { createSecretFilters } from './targets/sent-secrets.ts'
import { openHeaders } from './targets/upstream-headers.ts'

export type { SchemaIssue } from './schema/payload-schema.ts'

/** TTL of a cached service, in ms. The hold checks its version in any case. */
const FRESH_MS = 2_000
/** References (ids and names) in memory. */
const REFERENCES_KEPT_MAX = 20_000
/** Services with compiled schemas and decrypted headers in memory. */
const COMPILED_KEPT_MAX = 10_000

/**
 * Current prices of a call. `price` is for callers who state a price, `listedPrice` for others: lower during a notice.
 */
export type CallPricing = (FixedPricing & { readonly listedPrice: Usdc }) | TokenPricing

/** A service as needed by a call. */
export type CallableService = {
  readonly id: string
  /** Changes with every change by the provider or an admin. */
  readonly version: bigint
  readonly agentToolName: string
  readonly serviceName: string
  /** Wallet of the owner, which earns; in lower case. */
  readonly provider: string
  readonly pricing: CallPricing
  readonly method: string
  readonly targets: readonly Target[]
  readonly encoding: Encoding
  /** Content type of `text` bodies; null: text/plain in UTF-8. */
  readonly contentType: string | null
  /** Names in the paths of the targets, which every call fills. */
  readonly placeholders: readonly string[]
  /** Names of the query schema. */
  readonly queryNames: readonly string[]
  /** Names of parameters that only the provider sets, in lower case. */
  readonly fixedParameters: readonly string[]
  /** Checks `payload.body` against the schema of the manifest; null when it fits or there is none. */
  readonly validateRequest: (body: unknown) => readonly SchemaIssue[] | null
  /** Checks the parameters of the query likewise. */
  readonly validateQuery: (query: unknown) => readonly SchemaIssue[] | null
  /** Checks the values for the path likewise. */
  readonly validatePath: (path: unknown) => readonly SchemaIssue[] | null
  /** Checks a provider's result likewise. */
  readonly validateResponse: (body: unknown) => readonly SchemaIssue[] | null
  /** Time to a whole answer, or to the head of a stream, in ms. */
  readonly timeoutMs: number
  /** Time that a stream may bring nothing, in ms. */
  readonly streamIdleTimeoutMs: number
  /** Time that a stream may take after its head, in ms. */
  readonly streamMaxMs: number
  /** Sent to the targets, never shown; names in lower case. */
  readonly upstreamHeaders: Readonly<Record<string, string>>
  /** Removes what is secret of these headers and of the targets' URLs from a text of the provider. */
  readonly withoutSecrets: (text: string) => string
  /** Signs requests to the targets; null: the gateway's own key does. */
  readonly signingSecret: SigningSecret | null
}

/** Finds services to call, mostly in memory. */
export type ServiceDirectory = {
  /**
   * @param reference service id or agentToolName
   * @returns null if there is no such service, or it is inactive, deleted or suspended, or its owner is
   */
  find(reference: string): Promise<CallableService | null>
  /** Makes the next `find` read the database. */
  forget(serviceId: string): void
  /** Likewise for all services of a provider. @param provider lower-case wallet */
  forgetProvider(provider: string): void
}

/** Parts of a service that change only with its version or its signing secret. */
type Compiled = Pick<
  CallableService,
  | 'version'
  | 'validateRequest'
  | 'validateQuery'
  | 'validatePath'
  | 'validateResponse'
  | 'upstreamHeaders'
  | 'withoutSecrets'
  | 'signingSecret'
>

/** Creates a directory for this process. Concurrent reads of one service share a query. */
export function createServiceDirectory(deps: Pick<Deps, 'db' | 'secretBox' | 'clock'>): ServiceDirectory {
  const found = createBoundedCache<string, { service: CallableService; until: number }>(REFERENCES_KEPT_MAX)
  const compiled = createBoundedCache<string, Compiled>(COMPILED_KEPT_MAX)
  const filterOf = createSecretFilters()
  const flights = createFlights<string, CallableService | null>()
  let forgotten = 0

  const compile = async (row: ServiceRow): Promise<Compiled> => {
    const before = compiled.get(row.id)
    const secretId = row.signingSecret?.id
    if (before?.version === row.version && before.signingSecret?.id === secretId) return before
    const upstreamHeaders = openHeaders(deps.secretBox, row)
    const now = {
      version: row.version,
      validateRequest: await compileStored(row.request.body, 'payload.body'),
      validateQuery: await compileStored(row.request.query, 'payload.query'),
      validatePath: await compileStored(row.request.path, 'payload.path'),
      validateResponse: await compileStored(row.response.body, 'result'),
      upstreamHeaders,
      withoutSecrets: filterOf({ headers: upstreamHeaders, urls: row.targets.map(({ url }) => url) }),
      signingSecret: openServiceSecret(deps.secretBox, row),
    }
    compiled.set(row.id, now)
    return now
  }

  const load = async (reference: string): Promise<CallableService | null> => {
    const epoch = forgotten
    const row = await readCallable(byKey(deps.db), reference)
    if (row === undefined) return null
    const service = { ...callableOf(row), ...(await compile(row)) }
    // Read before a change was announced: valid for this caller, not for the next.
    if (epoch === forgotten) {
      // The database decides when a notice is over.
      const freshMs = Math.min(FRESH_MS, row.notice?.leftMs ?? FRESH_MS)
      const entry = { service, until: deps.clock.now() + freshMs }
      for (const key of new Set([reference, row.id, row.agentToolName])) found.set(key, entry)
    }
    return service
  }

  const forgetAll = (isMeant: (service: CallableService) => boolean) => {
    forgotten += 1
    flights.forget()
    for (const [key, { service }] of found) if (isMeant(service)) found.delete(key)
  }

  return {
    async find(reference) {
      const entry = found.get(reference)
      if (entry !== undefined) {
        const left = entry.until - deps.clock.now()
        if (left > 0 && left <= FRESH_MS) return entry.service
      }
      return flights.join(reference, load)
    },
    forget: serviceId => forgetAll(({ id }) => id === serviceId),
    forgetProvider: provider => forgetAll(service => service.provider === provider),
  }
}

/**
 * Compiles a schema of a stored manifest, in a turn of the event loop of its own: it takes up to 100 ms. Manifests of
 * earlier versions may hold what is refused today: such a schema asks for nothing.
 */
async function compileStored(schema: unknown, root: string): Promise<PayloadCheck> {
  if (schema !== undefined) await nextTurn()
  try {
    return compilePayloadSchema(schema, root)
  } catch (error) {
    if (!(error instanceof PayloadSchemaError)) throw error
    return () => null
  }
}

function callableOf(row: ServiceRow) {
  const { id, agentToolName, serviceName, owner, method, timeoutMs, encoding, contentType } = row
  const { streamIdleTimeoutMs, streamMaxMs } = row
  const targets = row.targets.map(({ url, weight, isHealthy }) => ({ url, weight, isHealthy }))
  return {
    id,
    agentToolName,
    serviceName,
    provider: owner,
    pricing: callPricing(row),
    method,
    targets,
    timeoutMs,
    streamIdleTimeoutMs,
    streamMaxMs,
    encoding,
    contentType,
    placeholders: placeholdersIn(targets),
    queryNames: namesOf(row.request.query),
    fixedParameters: fixedParameters(row),
  }
}

function callPricing(state: PriceState): CallPricing {
  const inForce = pricingInForce(state)
  if (inForce.model === 'token_metered') return inForce
  const { price: listedPrice } = inForce
  return state.pricing.model === 'fixed' ? { ...state.pricing, listedPrice } : { ...inForce, listedPrice }
}
