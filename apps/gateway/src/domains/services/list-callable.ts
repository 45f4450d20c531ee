import type { Encoding } from '@farebox/wire/encodings'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { ServiceSummary } from '@farebox/wire/services'
import { getAddress } from 'viem'
import type { Deps } from '../../ports.ts'
import { presentListedPrice } from './present.ts'
import { likeAnywhere, placeholdersIn } from './rules.ts'
import { readCallable, readCallablePage, readCallables, type ServiceRow } from './store.ts'

/** A service that can be called now. Its price is the effective one for callers who state none. */
export type CallableEntry = ServiceSummary & {
  /** `invoke.request` of the manifest; JSON Schemas of body, query and path are under these names where there are any. */
  readonly request: Readonly<Record<string, unknown>>
  /** `invoke.response` of the manifest, likewise. */
  readonly response: Readonly<Record<string, unknown>>
  readonly method: string
  readonly encoding: Encoding
  /** Names in the path of the targets, which every call fills. */
  readonly placeholders: readonly string[]
  /** The wallet that earns, checksummed. */
  readonly ownerAddress: string
  readonly createdAt: Date
}

/**
 * Returns a page of the services that can be called now (active, not suspended, nor their owner, with a healthy
 * target), ordered by the bytes of agentToolName.
 *
 * @param query.text     free text in names or descriptions, case-insensitive; no wildcards
 * @param query.kind     services of this kind only
 * @param query.dialect  LLM services of this dialect only
 * @param query.among    ids and agentToolNames to choose from; null: all
 * @param query.afterKey `nextKey` of the previous page; null for the first
 * @param query.limit    maximum services of a page, at least 1
 * @returns `nextKey` is null on the last page
 */
export async function listCallable(
  deps: Pick<Deps, 'db'>,
  query: {
    readonly text?: string | undefined
    readonly kind?: 'api' | 'llm' | undefined
    readonly dialect?: LlmDialect | undefined
    readonly among?: ReadonlySet<string> | null | undefined
    readonly afterKey: string | null
    readonly limit: number
  },
): Promise<{ services: CallableEntry[]; nextKey: string | null }> {
  const { text = '', kind = null, dialect = null, among = null, afterKey, limit } = query
  const sought = text.trim()
  const rows = await readCallablePage(deps.db, {
    like: sought === '' ? null : likeAnywhere(sought),
    kind,
    dialect,
    among: among === null ? null : [...among],
    afterName: afterKey,
    limit: limit + 1,
  })
  const services = rows.slice(0, limit).map(entryOf)
  const nextKey = rows.length > limit ? (services.at(-1)?.agentToolName ?? null) : null
  return { services, nextKey }
}

/**
 * Returns a callable service, whether or not one of its targets is healthy now.
 *
 * @param reference service id or agentToolName
 * @returns null if there is no such service, or it is inactive, deleted or suspended, or its owner is
 */
export async function readCallableEntry(
  deps: Pick<Deps, 'db'>,
  reference: string,
): Promise<CallableEntry | null> {
  const row = await readCallable(deps.db, reference)
  return row === undefined ? null : entryOf(row)
}

/** Returns those services that can be called and have a healthy target, in the order of the ids. */
export async function readCallableEntries(
  deps: Pick<Deps, 'db'>,
  ids: readonly string[],
): Promise<CallableEntry[]> {
  if (ids.length === 0) return []
  const rows = new Map((await readCallables(deps.db, ids)).map(row => [row.id, row]))
  return ids.flatMap(id => {
    const row = rows.get(id)
    return row === undefined ? [] : [entryOf(row)]
  })
}

function entryOf(row: ServiceRow): CallableEntry {
  const { request, response, method, encoding, createdAt } = row
  const placeholders = placeholdersIn(row.targets)
  const how = { request, response, method, encoding, placeholders }
  return { ...presentListedPrice(row), ...how, createdAt, ownerAddress: getAddress(row.owner) }
}
