import sql, { empty } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { booleans, texts } from '../../sql/pg-arrays.ts'
import type { Alert } from './rules.ts'

/** An alert as stored; `data` is that of its webhook event, without the wallet. */
export type AlertRow = {
  readonly owner: string
  readonly id: string
  readonly type: Alert['type']
  readonly data: Alert['data']
  readonly mailId: string | null
  readonly firedAt: Date
}

/** An alert with its new id, and the mail that it is in; null: none. */
export type NewAlert = Alert & { readonly id: string }

/** Stores alerts. Returns the ids of those whose key is new. */
export async function insertAlerts(tx: Tx, alerts: readonly NewAlert[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    insert into alerts (owner, id, type, data, once_key, is_lasting)
    select n.owner, n.id, n.type, n.data::json, n.once_key, n.is_lasting from unnest(
      ${texts(alerts, ({ owner }) => owner)}::text[], ${texts(alerts, ({ id }) => id)}::text[],
      ${texts(alerts, ({ type }) => type)}::text[], ${texts(alerts, ({ data }) => JSON.stringify(data))}::text[],
      ${texts(alerts, ({ onceKey }) => onceKey)}::text[],
      ${booleans(alerts, ({ isLasting }) => isLasting)}::boolean[]) as n (owner, id, type, data, once_key, is_lasting)
    on conflict do nothing returning id`)
  return new Set(rows.map(({ id }) => id))
}

/** Returns the alerts of an owner below an id, newest first. */
export function listAlertRows(
  db: Queryable,
  query: { owner: string; before: string | null; limit: number },
): Promise<AlertRow[]> {
  const { owner, before, limit } = query
  return db.query<AlertRow>(sql`
    select owner, id, type, data, mail_id, fired_at from alerts where owner = ${owner}
      ${before === null ? empty : sql`and id < ${before}`}
    order by id desc limit ${limit}`)
}

/** Deletes a batch of old alerts, except those whose key must not come again. Returns their number. */
export async function deleteOldAlerts(
  db: Queryable,
  query: { days: number; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    delete from alerts where (owner, id) in (
      select owner, id from alerts
      where not is_lasting and fired_at < now() - make_interval(days => ${query.days})
      order by fired_at limit ${query.limit} for update skip locked)
    returning 1`)
  return rows.length
}
