import { GatewayError } from '@farebox/wire/errors'
import type { Tx } from '../../ports.ts'
import { WRITES_PER_HOUR } from './rules.ts'
import { countRecentWrites } from './store.ts'

const HOUR_SECONDS = 3_600

/**
 * Checks a wallet's writes of the last hour, over all gateways, against their limit.
 *
 * @throws GatewayError RATE_LIMITED when the limit is reached
 */
export async function assertMayWrite(
  tx: Tx,
  of: { wallet: string; table: 'topics' | 'replies' },
): Promise<void> {
  const perHour = WRITES_PER_HOUR[of.table]
  const { count, oldestAgeSeconds } = await countRecentWrites(tx, of)
  if (count < perHour) return
  throw new GatewayError(
    'RATE_LIMITED',
    { policy: `forum-${of.table}`, perHour },
    { retryAfterSeconds: Math.max(1, Math.ceil(HOUR_SECONDS - oldestAgeSeconds)) },
  )
}
