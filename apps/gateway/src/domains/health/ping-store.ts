import sql from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'

/** Rate limit window of pings for a service or host; `now` is the database time under the lock. */
export type PingWindow = { readonly key: string; readonly window: Buffer; readonly now: Date }

/** Locks windows in the order of their keys; missing ones start empty. */
export function lockPingWindows(tx: Tx, keys: readonly string[]): Promise<PingWindow[]> {
  return tx.query<PingWindow>(sql`
    insert into ping_windows as w (key) select key from unnest(${keys}::text[]) as n (key) order by key
    on conflict (key) do update set used_at = w.used_at
    returning key, rate_window as window, clock_timestamp() as now`)
}

/** Writes locked windows. */
export async function writePingWindows(
  tx: Tx,
  windows: readonly { key: string; window: Buffer }[],
): Promise<void> {
  const encoded = windows.map(({ window }) => window.toString('hex'))
  await tx.query(sql`
    update ping_windows w set rate_window = decode(n.rate_window, 'hex'), used_at = now()
    from unnest(${windows.map(({ key }) => key)}::text[], ${encoded}::text[]) as n (key, rate_window)
    where w.key = n.key`)
}

/** Deletes a batch of windows without a ping in the last minute. Returns their number. */
export async function deletePingWindows(db: Queryable, query: { limit: number }): Promise<number> {
  const rows = await db.query(sql`
    delete from ping_windows where key in (
      select key from ping_windows where used_at < now() - interval '2 minutes'
      order by used_at limit ${query.limit} for update skip locked)
    returning 1`)
  return rows.length
}
