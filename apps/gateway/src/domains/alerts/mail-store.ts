import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'
import { texts } from '../../sql/pg-arrays.ts'
import type { AlertRow } from './alert-store.ts'

/** A mail with the alerts in it. */
export type NewMail = { readonly id: string; readonly owner: string; readonly alertIds: readonly string[] }

/** Returns those of some owners who want alerts by mail and were sent fewer than `dayMax` in the last day. */
export async function findMailed(
  tx: Tx,
  query: { owners: readonly string[]; dayMax: number },
): Promise<string[]> {
  const rows = await tx.query<{ owner: string }>(sql`
    select s.owner from alert_settings s where s.owner = any(${query.owners}) and s.by_email
      and ${query.dayMax} > (
        select count(*) from alert_mails m
        where m.owner = s.owner and m.created_at > now() - interval '1 day')`)
  return rows.map(({ owner }) => owner)
}

/** Stores mails, and in which one each alert is. */
export async function insertMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  const placed = mails.flatMap(({ id, owner, alertIds }) => alertIds.map(alertId => ({ id, owner, alertId })))
  await Promise.all([
    tx.query(sql`
      insert into alert_mails (id, owner)
      select * from unnest(${texts(mails, ({ id }) => id)}::text[], ${texts(mails, ({ owner }) => owner)}::text[])`),
    tx.query(sql`
      update alerts a set mail_id = n.mail_id
      from unnest(
        ${texts(placed, ({ owner }) => owner)}::text[], ${texts(placed, ({ alertId }) => alertId)}::text[],
        ${texts(placed, ({ id }) => id)}::text[]) as n (owner, id, mail_id)
      where a.owner = n.owner and a.id = n.id`),
  ])
}

/** An alert of a mail, with the name of its credential, if it has one. */
export type MailedAlert = AlertRow & { readonly credentialName: string | null }

/** Returns up to `limit` alerts of a mail that was not sent yet, oldest first. */
export function readMail(db: Queryable, query: { mailId: string; limit: number }): Promise<MailedAlert[]> {
  return db.query<MailedAlert>(sql`
    select a.owner, a.id, a.type, a.data, a.mail_id, a.fired_at, c.name as credential_name
    from alert_mails m join alerts a on a.mail_id = m.id
    left join credentials c on c.id = a.data ->> 'credentialId'
    where m.id = ${query.mailId} and not m.is_done order by a.id limit ${query.limit}`)
}

/** Marks a mail as sent or given up. */
export async function endMail(db: Queryable, mailId: string): Promise<void> {
  await db.query(sql`update alert_mails set is_done = true where id = ${mailId}`)
}

/** Marks up to `limit` mails as queued now that wait for longer than `seconds`; returns their ids. */
export async function takeWaiting(tx: Tx, query: { seconds: number; limit: number }): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update alert_mails set queued_at = clock_timestamp() where id in (
      select id from alert_mails
      where not is_done and queued_at < now() - ${query.seconds} * interval '1 second'
      order by queued_at limit ${query.limit} for update skip locked)
    returning id`)
  return rows.map(({ id }) => id)
}

/** Gives up to `limit` mails up that are older than `seconds`. */
export async function giveUpMails(db: Queryable, query: { seconds: number; limit: number }): Promise<void> {
  await db.query(sql`
    update alert_mails set is_done = true where id in (
      select id from alert_mails
      where not is_done and created_at < now() - ${query.seconds} * interval '1 second'
      limit ${query.limit} for update skip locked)`)
}

/** Deletes a batch of old mails. Returns their number. */
export async function deleteOldMails(db: Queryable, query: { days: number; limit: number }): Promise<number> {
  const rows = await db.query(sql`
    delete from alert_mails where id in (
      select id from alert_mails where created_at < now() - make_interval(days => ${query.days})
      order by created_at limit ${query.limit} for update skip locked)
    returning 1`)
  return rows.length
}
