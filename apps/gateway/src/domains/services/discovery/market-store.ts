import { DAYS_SHOWN, TAGS_SHOWN_MAX } from '@farebox/wire/market'
import sql from 'sql-template-tag'
import type { Queryable } from '../../../ports.ts'
import { isCallable } from '../store.ts'

/** Returns the tags of callable services, most used first, with their number of services. */
export async function readTags(db: Queryable): Promise<{ tag: string; services: number }[]> {
  const rows = await db.query<{ tag: string; services: bigint }>(sql`
    select tag, count(*) as services from service_search s, unnest(s.tags) as tag
    where s.is_listed group by tag order by count(*) desc, tag limit ${TAGS_SHOWN_MAX}`)
  return rows.map(({ tag, services }) => ({ tag, services: Number(services) }))
}

/** Returns the number of callable services, and of calls of the last days. */
export async function readTotals(db: Queryable): Promise<{ services: number; calls: number }> {
  const [row] = await db.query<{ services: bigint; calls: bigint }>(sql`
    select (select count(*) from service_search found join services s on s.id = found.service_id
            where found.is_listed and ${isCallable}) as services,
      (select coalesce(sum(good + bad), 0)::bigint from service_calls
        where day > (now() at time zone 'utc')::date - ${DAYS_SHOWN}::int) as calls`)
  return { services: Number(row?.services ?? 0), calls: Number(row?.calls ?? 0) }
}

/** Returns the typical price of a call of a service, in micro-USDC. */
export async function readTypicalPrice(db: Queryable, serviceId: string): Promise<bigint> {
  const [row] = await db.query<{ price: bigint }>(sql`
    select typical_price as price from service_search where service_id = ${serviceId}`)
  if (row === undefined) throw new Error(`Service ${serviceId} is not searchable.`)
  return row.price
}
