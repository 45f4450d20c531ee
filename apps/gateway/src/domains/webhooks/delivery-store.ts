import type { DeliveryError, DeliveryStatus } from '@farebox/wire/webhooks'
import sql, { empty, raw } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'

/** A delivery as stored. `body` is the request body. */
export type DeliveryRow = {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly failures: number
  readonly responseStatus: number | null
  readonly error: DeliveryError | null
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  readonly nextAttemptAt: Date
}

const DELIVERY = raw(`
  d.id, d.type, d.body, d.status, d.attempts, d.failures, d.response_status, d.error,
  d.created_at, d.last_attempt_at, d.next_attempt_at`)

/** An event to queue; `data` is JSON text. */
export type NewEvent = {
  readonly id: string
  readonly owner: string
  readonly type: string
  readonly data: string
  readonly onceKey: string | null
  readonly perMinute: number
  /** Number of further events of the same owner and type that are counted but not queued. */
  readonly leftOut: number
}

/** Queues events for the subscribed webhooks; see the migration. */
export function queueEvents(
  tx: Tx,
  queued: { events: readonly NewEvent[]; waitingMax: number },
): Promise<unknown> {
  const { events, waitingMax } = queued
  return tx.query({
    name: 'webhooks_announce',
    text: `select announce_events($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[],
             $7::integer[], $8)`,
    values: [
      events.map(event => event.id),
      events.map(event => event.owner),
      events.map(event => event.type),
      events.map(event => event.data),
      events.map(event => event.onceKey),
      events.map(event => event.perMinute),
      events.map(event => event.leftOut),
      waitingMax,
    ],
  })
}

/** Queues a delivery of one webhook. */
export async function insertDelivery(
  tx: Tx,
  delivery: { webhookId: string; id: string; type: string; body: string },
): Promise<DeliveryRow> {
  const { webhookId, id, type, body } = delivery
  const [row] = await tx.query<DeliveryRow>(sql`
    insert into webhook_deliveries as d (webhook_id, id, type, body)
    values (${webhookId}, ${id}, ${type}, ${body}) returning ${DELIVERY}`)
  if (row === undefined) throw new Error('The delivery was not inserted.')
  return row
}

/** Returns the deliveries of a webhook below an id, newest first. */
export function listDeliveryRows(
  db: Queryable,
  query: { webhookId: string; status: DeliveryStatus | undefined; before: string | null; limit: number },
): Promise<DeliveryRow[]> {
  const { webhookId, status, before, limit } = query
  return db.query<DeliveryRow>(sql`
    select ${DELIVERY} from webhook_deliveries d where d.webhook_id = ${webhookId}
      ${status === undefined ? empty : sql`and d.status = ${status}`}
      ${before === null ? empty : sql`and d.id < ${before}`}
    order by d.id desc limit ${limit}`)
}

/** Restarts the retry schedule of a delivery in any status; returns undefined if it does not exist. */
export async function requeue(
  tx: Tx,
  delivery: { webhookId: string; id: string },
): Promise<DeliveryRow | undefined> {
  const [row] = await tx.query<DeliveryRow>(sql`
    update webhook_deliveries d set status = 'pending', failures = 0, next_attempt_at = now()
    where d.webhook_id = ${delivery.webhookId} and d.id = ${delivery.id} returning ${DELIVERY}`)
  return row
}

/** Returns the due deliveries of a webhook, oldest due time first. */
export function readDue(
  db: Queryable,
  query: { webhookId: string; limit: number },
): Promise<Pick<DeliveryRow, 'id' | 'body' | 'failures'>[]> {
  return db.query(sql`
    select d.id, d.body, d.failures from webhook_deliveries d
    where d.webhook_id = ${query.webhookId} and d.status = 'pending' and d.next_attempt_at <= now()
    order by d.next_attempt_at limit ${query.limit}`)
}

/** Result of an attempt. `retrySeconds` is the time until the next one; null: none. */
export type Attempted = {
  readonly id: string
  readonly status: DeliveryStatus
  readonly failures: number
  readonly responseStatus: number | null
  readonly error: DeliveryError | null
  readonly retrySeconds: number | null
}

/** Writes the results of attempts. */
export function writeAttempts(tx: Tx, webhookId: string, attempted: readonly Attempted[]): Promise<unknown> {
  return tx.query(sql`
    update webhook_deliveries d
    set attempts = d.attempts + 1, status = n.status, failures = n.failures, response_status = n.response_status,
        error = n.error, last_attempt_at = now(),
        next_attempt_at = now() + coalesce(n.retry_seconds, 0) * interval '1 second'
    from unnest(
      ${attempted.map(one => one.id)}::text[], ${attempted.map(one => one.status)}::text[],
      ${attempted.map(one => one.failures)}::integer[], ${attempted.map(one => one.responseStatus)}::smallint[],
      ${attempted.map(one => one.error)}::text[], ${attempted.map(one => one.retrySeconds)}::float8[]
    ) as n (id, status, failures, response_status, error, retry_seconds)
    where d.webhook_id = ${webhookId} and d.id = n.id`)
}

/** Deletes a batch of old deliveries, and of those of deleted webhooks. Returns their number. */
export async function deleteOldDeliveries(
  db: Queryable,
  query: { days: number; limit: number },
): Promise<number> {
  const rows = await db.query<{ id: string }>(sql`
    delete from webhook_deliveries where (webhook_id, id) in (
      (select webhook_id, id from webhook_deliveries
       where created_at < now() - make_interval(days => ${query.days}) order by created_at limit ${query.limit})
      union
      (select d.webhook_id, d.id from webhooks w join webhook_deliveries d on d.webhook_id = w.id
       where w.status = 'deleted' limit ${query.limit}))
    returning id`)
  return rows.length
}

/** Deletes a batch of a webhook's deliveries beyond the newest ones. Returns their number. */
export async function deleteExcessDeliveries(
  db: Queryable,
  query: { keptMax: number; limit: number },
): Promise<number> {
  const rows = await db.query<{ id: string }>(sql`
    delete from webhook_deliveries where (webhook_id, id) in (
      select e.webhook_id, e.id from webhooks w cross join lateral (
        select d.webhook_id, d.id from webhook_deliveries d
        where d.webhook_id = w.id order by d.id desc offset ${query.keptMax}) as e
      where e.id is not null limit ${query.limit})
    returning id`)
  return rows.length
}

/** Deletes outdated counts of suppressed events, and deleted webhooks without deliveries. */
export async function deleteRemains(db: Queryable): Promise<void> {
  await db.query(sql`delete from webhook_suppressions where minute < now() - interval '1 day'`)
  await db.query(sql`
    delete from webhooks w where w.status = 'deleted' and w.updated_at < now() - interval '1 hour'
      and not exists (select 1 from webhook_deliveries d where d.webhook_id = w.id)`)
}
