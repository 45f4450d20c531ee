import { type Usdc, usdc, ZERO } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'
import { FEES, LOSSES } from './rules.ts'

/** Earnings of the platform, in micro-USDC. */
export type PlatformFunds = {
  /** Fees that are not paid out, those in open withdrawals included. */
  readonly fees: Usdc
  /** Part of the fees that is in open withdrawals. */
  readonly locked: Usdc
  /** Losses, which fees make up for. */
  readonly losses: Usdc
}

/** Returns the fees and losses of the platform. */
export async function readPlatformFunds(db: Queryable): Promise<PlatformFunds> {
  const rows = await db.query<{ id: string; posted: bigint; reserved: bigint }>(
    sql`select id, posted, reserved from accounts where id in (${FEES}, ${LOSSES})`,
  )
  const of = (id: string) => rows.find(row => row.id === id)
  const [fees, losses] = [of(FEES), of(LOSSES)]
  return {
    fees: usdc(fees?.posted ?? ZERO),
    locked: usdc(fees?.reserved ?? ZERO),
    losses: usdc(-(losses?.posted ?? ZERO)),
  }
}
