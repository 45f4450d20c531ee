import type { WebhookEventType } from '@farebox/wire/webhook-events'
import sql, { raw } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { isOver } from '../../sql/is-over.ts'
import { prepared } from '../../sql/prepared.ts'
import type { Judged, Receiver } from './rules.ts'

/** A webhook as stored. Secrets are encrypted with the id as context. */
export type WebhookRow = Receiver & {
  readonly id: string
  readonly owner: string
  readonly url: string
  readonly origin: string
  readonly events: readonly WebhookEventType[]
  readonly status: 'active' | 'disabled'
  readonly disabledReason: 'owner' | 'gone' | 'failing' | null
  readonly secret: string
  /** Null if there is none, or its overlap has ended. */
  readonly previousSecret: string | null
  readonly previousUntil: Date | null
  readonly pausedUntil: Date | null
  readonly suppressedLastDay: bigint
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Maximum number of webhooks considered in one step. */
const CANDIDATES_MAX = 500

const WEBHOOK = raw(`
  w.id, w.owner, w.url, w.origin, w.events, w.status, w.disabled_reason, w.secret,
  case when w.previous_until > now() then w.previous_secret end as previous_secret,
  case when w.previous_until > now() then w.previous_until end as previous_until,
  w.is_prompt, w.failing_since, w.failures, w.last_success_at,
  nullif(w.paused_until, '-infinity') as paused_until, w.created_at, w.updated_at,
  (select coalesce(sum(s.count), 0)::bigint from webhook_suppressions s
   where s.webhook_id = w.id and s.minute > now() - interval '1 day') as suppressed_last_day`)

/** Serializes the registrations of one owner until the transaction ends. */
export function lockRegistering(tx: Tx, owner: string): Promise<unknown> {
  return tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${owner}`}, 0))`)
}

/** Returns the number of an owner's webhooks. */
export async function countWebhooks(db: Queryable, owner: string): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    sql`select count(*) as count from webhooks where owner = ${owner} and status <> 'deleted'`,
  )
  return Number(row?.count ?? 0)
}

/** Inserts a webhook. */
export async function insertWebhook(
  tx: Tx,
  row: Pick<WebhookRow, 'id' | 'owner' | 'url' | 'origin' | 'events' | 'secret'>,
): Promise<WebhookRow> {
  const rows = await tx.query<WebhookRow>(sql`
    insert into webhooks as w (id, owner, url, origin, events, secret)
    values (${row.id}, ${row.owner}, ${row.url}, ${row.origin}, ${row.events}::text[], ${row.secret})
    returning ${WEBHOOK}`)
  return theOne(rows)
}

/** Returns the webhooks of an owner, newest first. */
export function listWebhookRows(
  db: Queryable,
  query: { owner: string; limit: number },
): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(sql`
    select ${WEBHOOK} from webhooks w where w.owner = ${query.owner} and w.status <> 'deleted'
    order by w.id desc limit ${query.limit}`)
}

/** Key of a webhook. */
export type WebhookKey = { readonly owner: string; readonly id: string }

/** Returns a webhook of this owner. */
export async function findWebhook(db: Queryable, key: WebhookKey): Promise<WebhookRow | undefined> {
  const [row] = await db.query<WebhookRow>(sql`
    select ${WEBHOOK} from webhooks w
    where w.id = ${key.id} and w.owner = ${key.owner} and w.status <> 'deleted'`)
  return row
}

/** Locks a webhook; otherwise as {@link findWebhook}. */
export async function lockWebhook(tx: Tx, key: WebhookKey): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(sql`
    select ${WEBHOOK} from webhooks w
    where w.id = ${key.id} and w.owner = ${key.owner} and w.status <> 'deleted' for no key update`)
  return row
}

/** Writes changed settings of a locked webhook. Enabling it resets its failures. */
export async function writeSettings(
  tx: Tx,
  row: Pick<WebhookRow, 'id' | 'url' | 'origin' | 'events' | 'status' | 'disabledReason'> & {
    isFresh: boolean
  },
): Promise<WebhookRow> {
  const rows = await tx.query<WebhookRow>(sql`
    update webhooks w
    set url = ${row.url}, origin = ${row.origin}, events = ${row.events}::text[], status = ${row.status},
        disabled_reason = ${row.disabledReason}, updated_at = now(),
        is_prompt = w.is_prompt and not ${row.isFresh},
        failing_since = case when ${row.isFresh} then null else w.failing_since end,
        failures = case when ${row.isFresh} then 0 else w.failures end,
        paused_until = case when ${row.isFresh} then '-infinity' else w.paused_until end,
        due_at = case when ${row.isFresh} then now() else w.due_at end
    where w.id = ${row.id} returning ${WEBHOOK}`)
  return theOne(rows)
}

/** Writes a new secret of a locked webhook. The previous one keeps signing during the overlap, if there is one. */
export async function writeSecret(
  tx: Tx,
  rotated: { id: string; secret: string; overlapSeconds: number },
): Promise<WebhookRow> {
  const { id, secret, overlapSeconds } = rotated
  const rows = await tx.query<WebhookRow>(sql`
    update webhooks w
    set previous_secret = case when ${overlapSeconds}::integer > 0 then w.secret end,
        previous_until = case when ${overlapSeconds}::integer > 0
          then now() + make_interval(secs => ${overlapSeconds}::integer) end,
        secret = ${secret}, updated_at = now()
    where w.id = ${id} returning ${WEBHOOK}`)
  return theOne(rows)
}

/** Deletes a webhook of this owner with its secrets. Returns true to exactly one caller. */
export async function writeDeleted(db: Queryable, key: WebhookKey): Promise<boolean> {
  const rows = await db.query(sql`
    update webhooks
    set status = 'deleted', disabled_reason = null, secret = null, previous_secret = null, previous_until = null,
        due_at = 'infinity', updated_at = now()
    where id = ${key.id} and owner = ${key.owner} and status <> 'deleted' returning id`)
  return rows.length > 0
}

/** Makes a locked webhook due immediately, ignoring its failures, on request of its owner. */
export async function wakeNow(tx: Tx, id: string): Promise<WebhookRow> {
  const rows = await tx.query<WebhookRow>(sql`
    update webhooks w set due_at = now(), paused_until = '-infinity' where w.id = ${id} returning ${WEBHOOK}`)
  return theOne(rows)
}

/** Makes webhooks with new events due, unless they are paused. */
export async function takeWakeups(db: Queryable, limit: number): Promise<void> {
  await db.query(sql`
    with
      woken as (
        delete from webhook_wakeups where id in (
          select id from webhook_wakeups order by id limit ${limit} for update skip locked)
        returning webhook_id),
      locked as (
        select id from webhooks where id in (select webhook_id from woken) order by id for no key update)
    update webhooks w set due_at = least(w.due_at, greatest(now(), w.paused_until))
    from locked where w.id = locked.id`)
}

/** Returns true if a webhook may be due or has new events. One statement, for idle gateways. */
export async function isAnyDue(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ due: boolean }>(
    prepared(
      'webhooks_is_any_due',
      sql`
    select exists (select from webhook_wakeups) or exists (select from webhooks where ${dueIn(true)})
      or exists (select from webhooks where ${dueIn(false)}) as due`,
    ),
  )
  return row?.due ?? false
}

/** More than the longest claim. */
const CLAIM_MAX = sql`interval '1 hour'`

/** Returns the condition for a webhook of a lane that is due and not claimed. */
function dueIn(isPrompt: boolean) {
  return sql`status = 'active' and due_at < 'infinity' and is_prompt = ${isPrompt} and due_at <= now()
    and ${isOver(sql`claimed_until`, CLAIM_MAX)}`
}

/** A claimed webhook. */
export type ClaimedWebhook = Omit<WebhookRow, 'suppressedLastDay'>

/**
 * Claims due webhooks, oldest due time first. A claim is exclusive until it expires, as it does if its gateway dies.
 *
 * @param query.isPrompt     lane
 * @param query.turns        turns in flight by receiver (scheme, host, port)
 * @param query.perOriginMax maximum number of concurrent turns of a receiver
 * @param query.claimSeconds longer than any turn
 */
export function claimTurns(
  db: Queryable,
  query: {
    isPrompt: boolean
    turns: ReadonlyMap<string, number>
    perOriginMax: number
    limit: number
    claimSeconds: number
  },
): Promise<ClaimedWebhook[]> {
  const { isPrompt, turns, perOriginMax, limit, claimSeconds } = query
  const isDue = dueIn(isPrompt)
  return db.query<ClaimedWebhook>(sql`
    with
      busy as (
        select * from unnest(${[...turns.keys()]}::text[], ${[...turns.values()]}::integer[]) as b (origin, turns)),
      waiting as (
        select id, origin, due_at from webhooks
        where ${isDue} and origin not in (select origin from busy where turns >= ${perOriginMax})
        order by due_at limit ${CANDIDATES_MAX}),
      ranked as (
        select id, origin, row_number() over (partition by origin order by due_at) as place from waiting),
      admitted as (
        select r.id from ranked r left join busy b on b.origin = r.origin
        where r.place + coalesce(b.turns, 0) <= ${perOriginMax}),
      due as (
        select id from webhooks where id in (select id from admitted) and ${isDue}
        order by due_at limit ${limit} for no key update skip locked)
    update webhooks w
    set due_at = now() + make_interval(secs => ${claimSeconds}),
        claimed_until = now() + make_interval(secs => ${claimSeconds})
    from due where w.id = due.id returning ${WEBHOOK}`)
}

/** Locks a webhook at the end of its turn, in any status. */
export function lockTurn(tx: Tx, id: string): Promise<unknown> {
  return tx.query(sql`select 1 from webhooks where id = ${id} for no key update`)
}

/**
 * Ends the turn of a webhook. It becomes due with its next delivery. Requires a lock by an earlier statement, so that
 * deliveries queued in the meantime are seen.
 *
 * @param judged state of the receiver after the turn; null: unchanged
 */
export function writeTurn(tx: Tx, id: string, judged: Judged | null): Promise<unknown> {
  const nextDue = sql`coalesce((
    select min(next_attempt_at) from webhook_deliveries where webhook_id = ${id} and status = 'pending'), 'infinity')`
  if (judged === null) {
    return tx.query(sql`
      update webhooks set claimed_until = '-infinity', due_at = greatest(${nextDue}, paused_until)
      where id = ${id} and status <> 'deleted'`)
  }
  const { isPrompt, failingSince, failures, lastSuccessAt, pauseSeconds, disabledReason } = judged
  const pausedUntil = sql`case when ${pauseSeconds}::float8 > 0
    then now() + ${pauseSeconds}::float8 * interval '1 second' else '-infinity' end`
  return tx.query(sql`
    update webhooks
    set is_prompt = ${isPrompt}, failing_since = ${failingSince}, failures = ${failures},
        last_success_at = ${lastSuccessAt}, claimed_until = '-infinity', paused_until = ${pausedUntil},
        due_at = greatest(${nextDue}, ${pausedUntil}),
        status = case when status = 'active' and ${disabledReason}::text is not null then 'disabled' else status end,
        disabled_reason = case when status = 'active' then ${disabledReason}::text else disabled_reason end
    where id = ${id} and status <> 'deleted'`)
}

function theOne(rows: readonly WebhookRow[]): WebhookRow {
  const [row] = rows
  if (row === undefined) throw new Error('The webhook is gone.')
  return row
}
