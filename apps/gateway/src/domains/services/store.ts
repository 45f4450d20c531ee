import type { Encoding } from '@farebox/wire/encodings'
import type { HealthCheck } from '@farebox/wire/health-check'
import type { RegisterServiceBody } from '@farebox/wire/manifest'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { SignatureAlgorithm } from '@farebox/wire/signing-secrets'
import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Address } from 'viem'
import type { Queryable, Tx } from '../../ports.ts'
import { type SealedSecret, sealedSecretOf } from '../signing/current-secret.ts'
import { type noticeOf, type PriceState, writePricing } from './pricing/price-notice-rules.ts'
import type { Pricing } from './pricing/pricing-rules.ts'
import { columnsOf, type PricingColumns, priceStateOf, pricingColumns } from './pricing/pricing-store.ts'
import { isReference, isReferredTo } from './tool-name-store.ts'

/** A stored target. */
export type TargetRow = {
  readonly url: string
  readonly weight: number
  /** Path of its probes at its origin; null: that of the health check. */
  readonly healthPath: string | null
  readonly isHealthy: boolean
  readonly streak: number
  readonly lastProbedAt: Date | null
}

/** Members of a service that its provider sets. */
export type ServiceManifest = {
  readonly agentToolName: string
  readonly serviceName: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly pricing: Pricing
  readonly method: RegisterServiceBody['invoke']['method']
  readonly timeoutMs: number
  readonly streamIdleTimeoutMs: number
  readonly streamMaxMs: number
  readonly encoding: Encoding
  /** Content type of `text` bodies; null: text/plain in UTF-8. */
  readonly contentType: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly response: Readonly<Record<string, unknown>>
  readonly healthCheck: HealthCheck | null
  /** Encrypted; null without any. */
  readonly upstreamHeaders: string | null
  /** Signature algorithm of requests to the targets. */
  readonly signature: SignatureAlgorithm
  readonly providerProfile: Readonly<Record<string, unknown>> | null
  readonly payoutAccount: unknown
  readonly governance: Readonly<Record<string, unknown>> | null
  readonly isActive: boolean
}

/** A stored service. */
export type ServiceRow = ServiceManifest &
  PriceState & {
    readonly id: string
    readonly version: bigint
    readonly owner: Address
    readonly suspendedAt: Date | null
    readonly suspensionReason: string | null
    readonly deletedAt: Date | null
    readonly createdAt: Date
    readonly updatedAt: Date
    /** True if every target names the owner; see prove-targets.ts. */
    readonly targetsVerified: boolean
    /** The owner's current signing secret; null unless `signature` requires it. */
    readonly signingSecret: SealedSecret | null
    readonly targets: readonly TargetRow[]
  }

type TargetJson = Omit<TargetRow, 'lastProbedAt'> & { readonly lastProbedAt: string | null }

/** SQL: encrypted secret that signs requests to `services s` now; null if the gateway's key does. */
export const signingSecretColumn = sql`
  case s.signature when 'hmac-sha256' then ${sealedSecretOf(sql`s.owner`)} end as signing_secret`

const columns = sql`
  s.id, s.version, s.owner, s.agent_tool_name, s.service_name, s.summary,
  s.description, s.tags, ${pricingColumns}, s.method, s.timeout_ms,
  s.stream_idle_timeout_ms, s.stream_max_ms, s.encoding, s.content_type, s.request, s.response,
  s.health_check, s.upstream_headers,
  s.provider_profile, s.payout_account, s.governance,
  s.is_active, s.suspended_at, s.suspension_reason, s.deleted_at,
  s.created_at, s.updated_at, s.targets_verified,
  s.signature, ${signingSecretColumn},
  (select coalesce(json_agg(json_build_object(
       'url', t.url, 'weight', t.weight, 'healthPath', t.health_path, 'isHealthy', t.is_healthy, 'streak', t.streak,
       'lastProbedAt', t.last_probed_at) order by t.position), '[]')
     from service_targets t where t.service_id = s.id) as targets`

/** SQL condition: `services s` is public: not deleted, and neither it nor its owner suspended. */
const isPublic = sql`s.deleted_at is null and s.suspended_at is null
  and exists (select from wallets w where w.address = s.owner and w.suspended_at is null)`

/** SQL condition: callers can find `services s`. */
export const isCallable = sql`s.is_active and ${isPublic}`

/** SQL condition: `services s` has a healthy target. */
export const isHealthy = sql`exists (select from service_targets t where t.service_id = s.id and t.is_healthy)`

/** `like` is a LIKE pattern over names and descriptions. */
const matching = (like: string | null) =>
  like === null
    ? empty
    : sql`and (s.service_name ilike ${like} or s.agent_tool_name ilike ${like} or s.summary ilike ${like}
               or s.description ilike ${like})`

async function select(db: Queryable, rest: Sql): Promise<ServiceRow[]> {
  type Raw = Omit<ServiceRow, 'targets' | keyof PriceState> &
    PricingColumns & { targets: readonly TargetJson[] }
  const rows = await db.query<Raw>(sql`select ${columns} from services s ${rest}`)
  return rows.map(row => ({
    ...row,
    ...priceStateOf(row),
    targets: row.targets.map(target => ({
      ...target,
      lastProbedAt: target.lastProbedAt === null ? null : new Date(target.lastProbedAt),
    })),
  }))
}

/** Returns a referenced service in any state. */
export async function readService(db: Queryable, reference: string): Promise<ServiceRow | undefined> {
  if (!isReference(reference)) return undefined
  const [row] = await select(db, sql`where ${isReferredTo(reference)}`)
  return row
}

/** Returns a referenced service if it is public, or the viewer's own. */
export async function readShown(
  db: Queryable,
  reference: string,
  viewer: Address | null = null,
): Promise<ServiceRow | undefined> {
  if (!isReference(reference)) return undefined
  const [row] = await select(
    db,
    sql`where ${isReferredTo(reference)} and (s.owner = ${viewer}::text or ${isPublic})`,
  )
  return row
}

/** Returns the id of a referenced service. */
export async function readServiceId(db: Queryable, reference: string): Promise<string | null> {
  if (!isReference(reference)) return null
  const [row] = await db.query<{ id: string }>(
    sql`select s.id from services s where ${isReferredTo(reference)}`,
  )
  return row?.id ?? null
}

/** Returns the references that match no service, or a deleted one. */
export async function readUnknownReferences(db: Queryable, references: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ reference: string }>(sql`
    select r.reference from unnest(${references}::text[]) r (reference)
    where not exists (
      select from services s where ${isReferredTo(raw('r.reference'))} and s.deleted_at is null)`)
  return rows.map(({ reference }) => reference)
}

/** Returns a referenced service if it can be called. */
export async function readCallable(db: Queryable, reference: string): Promise<ServiceRow | undefined> {
  if (!isReference(reference)) return undefined
  const [row] = await select(db, sql`where ${isReferredTo(reference)} and ${isCallable}`)
  return row
}

/** Locks an owner's referenced service against other changes and returns it. */
export async function lockService(
  tx: Tx,
  query: { reference: string; owner: Address },
): Promise<ServiceRow | undefined> {
  if (!isReference(query.reference)) return undefined
  const isOwn = sql`${isReferredTo(query.reference)} and s.owner = ${query.owner}`
  const [row] = await select(tx, sql`where ${isOwn} for update`)
  return row
}

/** Returns an owner's services below an id, newest first, without deleted ones. */
export function readServicesOf(
  db: Queryable,
  query: { owner: Address; beforeId: string | null; limit: number },
): Promise<ServiceRow[]> {
  return select(
    db,
    sql`where s.owner = ${query.owner} and s.deleted_at is null
          and (${query.beforeId}::text is null or s.id < ${query.beforeId})
        order by s.id desc limit ${query.limit}`,
  )
}

/** Returns those services that can be called and have a healthy target. */
export function readCallables(db: Queryable, ids: readonly string[]): Promise<ServiceRow[]> {
  return select(db, sql`where s.id = any(${ids}::text[]) and ${isCallable} and ${isHealthy}`)
}

/** Parameters of {@link readCallablePage}. */
export type CallablePage = {
  readonly like: string | null
  readonly kind: 'api' | 'llm' | null
  readonly dialect: LlmDialect | null
  readonly among: readonly string[] | null
  readonly afterName: string | null
  readonly limit: number
}

/** Returns callable services with a healthy target after a name, ordered by the bytes of agentToolName. */
export function readCallablePage(db: Queryable, query: CallablePage): Promise<ServiceRow[]> {
  const { like, kind, dialect, among, afterName, limit } = query
  return select(
    db,
    sql`where ${isCallable} and ${isHealthy} ${matching(like)}
          ${kind === null ? empty : sql`and s.service_kind = ${kind}`}
          ${dialect === null ? empty : sql`and s.llm_dialect = ${dialect}`}
          ${among === null ? empty : sql`and (s.id = any(${among}::text[]) or s.agent_tool_name = any(${among}::text[]))`}
          ${afterName === null ? empty : sql`and s.agent_tool_name collate "C" > ${afterName}`}
        order by s.agent_tool_name collate "C" limit ${limit}`,
  )
}

/** Returns the number of an owner's services, without deleted ones. */
export async function countServicesOf(db: Queryable, owner: Address): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    sql`select count(*) as count from services where owner = ${owner} and deleted_at is null`,
  )
  return Number(row?.count ?? 0n)
}

const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))

/** Inserts a service without its targets. */
export async function insertService(
  tx: Tx,
  service: ServiceManifest & { id: string; owner: Address },
): Promise<void> {
  const paid = columnsOf(service.pricing)
  await tx.query(sql`
    insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
      price_model, price, input_price, output_price, default_max_output_tokens, max_auto_hold, hold_buffer_bps,
      llm_dialect, output_limit_field, upstream_model, model_family, input_modalities, media_tokens, context_tokens, cache_read_price,
      cache_write_price, method, timeout_ms, stream_idle_timeout_ms, stream_max_ms, encoding, content_type, request,
      response, health_check, upstream_headers, signature, provider_profile, payout_account, governance, is_active)
    values (${service.id}, ${service.owner}, ${service.agentToolName}, ${service.serviceName}, ${service.summary},
      ${service.description}, ${service.tags}::text[], ${paid.serviceKind}, ${service.pricing.model},
      ${paid.price}, ${paid.inputPrice}, ${paid.outputPrice}, ${paid.defaultMaxOutputTokens}, ${paid.maxAutoHold},
      ${paid.holdBufferBps}, ${paid.dialect}, ${paid.outputLimitField}, ${paid.upstreamModel}, ${paid.modelFamily}, ${paid.inputModalities}::text[],
      ${paid.mediaTokens}, ${paid.contextTokens}, ${paid.cacheReadPrice},
      ${paid.cacheWritePrice}, ${service.method}, ${service.timeoutMs}, ${service.streamIdleTimeoutMs}, ${service.streamMaxMs}, ${service.encoding}, ${service.contentType}, ${json(service.request)}::jsonb,
      ${json(service.response)}::jsonb, ${json(service.healthCheck)}::jsonb, ${service.upstreamHeaders}, ${service.signature}, ${json(service.providerProfile)}::jsonb,
      ${json(service.payoutAccount)}::jsonb, ${json(service.governance)}::jsonb, ${service.isActive})`)
}

/**
 * Writes the provider's members of a locked service, without targets. Its kind stays.
 *
 * @param service.notice effective terms until the pricing takes effect; a new one takes `noticeSeconds`
 */
export async function writeManifest(
  tx: Tx,
  id: string,
  service: ServiceManifest & {
    readonly notice: ReturnType<typeof noticeOf>
    readonly noticeSeconds: number
  },
): Promise<void> {
  const { notice, noticeSeconds } = service
  const anew = sql`clock_timestamp() + ${noticeSeconds}::float8 * interval '1 second'`
  const endsAt = notice === null ? sql`null` : notice.keepsEnd ? sql`notice_ends_at` : anew
  const paid = columnsOf(service.pricing)
  await tx.query(sql`
    update services set agent_tool_name = ${service.agentToolName}, service_name = ${service.serviceName},
      summary = ${service.summary}, description = ${service.description}, tags = ${service.tags}::text[],
      price = ${paid.price}, input_price = ${paid.inputPrice}, output_price = ${paid.outputPrice},
      default_max_output_tokens = ${paid.defaultMaxOutputTokens}, max_auto_hold = ${paid.maxAutoHold},
      hold_buffer_bps = ${paid.holdBufferBps}, llm_dialect = ${paid.dialect},
      output_limit_field = ${paid.outputLimitField}, upstream_model = ${paid.upstreamModel}, model_family = ${paid.modelFamily},
      input_modalities = ${paid.inputModalities}::text[],
      media_tokens = ${paid.mediaTokens}, context_tokens = ${paid.contextTokens}, cache_read_price = ${paid.cacheReadPrice},
      cache_write_price = ${paid.cacheWritePrice}, method = ${service.method}, timeout_ms = ${service.timeoutMs},
      stream_idle_timeout_ms = ${service.streamIdleTimeoutMs}, stream_max_ms = ${service.streamMaxMs}, encoding = ${service.encoding}, content_type = ${service.contentType},
      request = ${json(service.request)}::jsonb, response = ${json(service.response)}::jsonb,
      health_check = ${json(service.healthCheck)}::jsonb, upstream_headers = ${service.upstreamHeaders}, signature = ${service.signature}, provider_profile = ${json(service.providerProfile)}::jsonb,
      payout_account = ${json(service.payoutAccount)}::jsonb, governance = ${json(service.governance)}::jsonb,
      is_active = ${service.isActive}, notice_ends_at = ${endsAt}, notice_pricing = ${notice === null ? null : writePricing(notice.pricing)}::jsonb
    where id = ${id}`)
}

/** Deletes a locked service: keeps the row, removes the secret. */
export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`
    update services set deleted_at = now(), is_active = false, upstream_headers = null where id = ${id}`)
}

/** Returns tool names of an owner's services that are signed with its secret and not deleted. */
export async function readSignedBySecret(db: Queryable, owner: Address, limit: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select agent_tool_name as name from services
    where owner = ${owner} and signature = 'hmac-sha256' and deleted_at is null order by id limit ${limit}`)
  return rows.map(({ name }) => name)
}
