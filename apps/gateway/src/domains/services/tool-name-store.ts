import sql, { type Sql } from 'sql-template-tag'
import type { Tx } from '../../ports.ts'

/** Formats of ids and names; other text never reaches the database. */
export const isReference = (text: string) => /^[a-z0-9_-]{1,64}$/.test(text)

/** Former names of a service that still resolve. */
const FORMER_NAMES_MAX = 3
/** SQL condition: the service of a former name in `tool_names n` left it at least 30 days ago. */
const isGivenUp = sql`coalesce(n.left_at < now() - interval '30 days', false)`
/** SQL condition: the name in `tool_names n` is the current one of its service, or one of its last former ones. */
const isRecent = sql`(
  select count(*) from tool_names newer
  where newer.service_id = n.service_id and newer.left_at > n.left_at) < ${FORMER_NAMES_MAX}`

/** SQL: by service id, by name, or by a former name that still resolves. */
export const isReferredTo = (reference: string | Sql) =>
  sql`s.id = coalesce((
    select n.service_id from tool_names n
    where n.name = ${reference} and not ${isGivenUp} and ${isRecent}), ${reference})`

/** Names of paths beside `/services/:id`: such a service could not be read by its name. */
const PATHS: ReadonlySet<string> = new Set(['discover', 'registration-guide', 'parse-curl', 'parse-openapi'])

/**
 * SQL condition: a live credential has `n.name` in its allow-list; a new service of that name would be allowed instead.
 */
const isAllowed = sql`exists (
  select from credentials c
  where c.allowed_services is not null and c.allowed_services @> array[n.name] and c.status = 'active')`

/**
 * Sets the tool name of a service. Its last three former names keep resolving for 30 days. No other service gets a
 * former name within 30 days, nor while an allow-list has it.
 *
 * @returns false if another service has the name, or it is one of our paths
 */
export async function claimToolName(tx: Tx, name: string, serviceId: string): Promise<boolean> {
  if (PATHS.has(name)) return false
  await tx.query(sql`
    delete from tool_names n
    where (n.name = ${name} or n.service_id = ${serviceId}) and ${isGivenUp} and not ${isAllowed}`)
  await tx.query(sql`
    update tool_names set left_at = clock_timestamp()
    where service_id = ${serviceId} and left_at is null and name <> ${name}`)
  const claimed = await tx.query(sql`
    insert into tool_names as n (name, service_id) values (${name}, ${serviceId})
    on conflict (name) do update set left_at = null where n.service_id = excluded.service_id
    returning 1`)
  return claimed.length > 0
}

/** Returns the number of names that a service left within 30 days. */
export async function countLeftNames(tx: Tx, serviceId: string): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>(sql`
    select count(*) as count from tool_names n
    where n.service_id = ${serviceId} and n.left_at is not null and not ${isGivenUp}`)
  return Number(row?.count ?? 0n)
}
