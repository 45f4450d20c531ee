import { formatUsdc, usdc } from '@farebox/money'
import {
  EARNING_DAYS_DEFAULT,
  EARNING_DAYS_MAX,
  EARNING_SERVICES_MAX,
  type Earnings,
  type EarningsQuery,
} from '@farebox/wire/withdrawals'
import sql, { empty } from 'sql-template-tag'
import type { Deps } from '../../ports.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { sumWithdrawn } from './store.ts'

/**
 * Returns a provider's earnings: in total, and for the given days by service (highest first, up to 100) and by UTC day.
 * Without days: by service for all time, and for the last 30 days. Earnings are charges less the platform's fee.
 *
 * @param period.from first UTC day, `2026-11-01`
 * @param period.to   last UTC day; default today
 * @returns amounts as decimal strings
 */
export async function readEarnings(
  deps: Pick<Deps, 'db'>,
  wallet: string,
  period: Partial<Pick<EarningsQuery, 'from' | 'to'>> = {},
): Promise<Earnings> {
  const { db } = deps
  const { from, to } = period
  const since = from === undefined ? empty : sql`and day >= ${from}::date`
  const until = to === undefined ? empty : sql`and day <= ${to}::date`
  const lastDays = sql`
    and day >= (now() at time zone 'UTC')::date - ${EARNING_DAYS_DEFAULT - 1}::integer`
  const [balance, withdrawn, byService, byDay, totals] = await Promise.all([
    readBalance(db, wallet),
    sumWithdrawn(db, wallet),
    db.query<{ serviceId: string; calls: number; earned: bigint }>(sql`
      select service_id, sum(calls)::float8 as calls, sum(earned)::bigint as earned from provider_earnings
      where provider = ${wallet} ${since} ${until}
      group by service_id order by earned desc, service_id limit ${EARNING_SERVICES_MAX}`),
    db.query<{ day: string; calls: number; earned: bigint }>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, sum(calls)::float8 as calls, sum(earned)::bigint as earned
      from provider_earnings
      where provider = ${wallet} ${from === undefined ? lastDays : since} ${until}
      group by 1 order by 1 desc limit ${EARNING_DAYS_MAX}`),
    db.query<{ calls: number; earned: bigint }>(sql`
      select coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(earned), 0)::bigint as earned from provider_earnings
      where provider = ${wallet}`),
  ])
  const total = { calls: totals[0]?.calls ?? 0, earned: totals[0]?.earned ?? 0n }
  return {
    total: formatUsdc(usdc(total.earned)),
    summary: {
      totalEarnedUsdc: formatUsdc(usdc(total.earned)),
      totalCalls: total.calls,
      receivableUsdc: formatUsdc(balance.providerReceivable),
      lockedUsdc: formatUsdc(balance.providerLocked),
      withdrawnUsdc: formatUsdc(withdrawn.amount),
      promotionalUsdc: formatUsdc(usdc(balance.providerPromotional + withdrawn.promotional)),
      receivablePromotionalUsdc: formatUsdc(balance.providerPromotional),
    },
    byService: byService.map(row => ({
      serviceId: row.serviceId,
      calls: row.calls,
      earnedUsdc: formatUsdc(usdc(row.earned)),
    })),
    byDay: byDay.map(row => ({ day: row.day, calls: row.calls, earnedUsdc: formatUsdc(usdc(row.earned)) })),
  }
}
