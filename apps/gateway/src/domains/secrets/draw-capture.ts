import { formatUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Tx } from '../../ports.ts'
import { addCapture } from './rules.ts'
import { lockSecret, readClock, writeCaptures } from './store.ts'

/**
 * Counts a capture towards the credit limit of the provider secret that reported it. Locks the secret until the
 * transaction ends; a rollback reverts the capture. Lock order: before credentials, policies and accounts.
 *
 * @param capture.amount micro-USDC; 0 is counted too
 * @throws GatewayError PROVIDER_SECRET_INVALID when the secret was deleted in the meantime; BUDGET_EXHAUSTED with
 * `detail.limit` `provider_secret_credit` and `detail.remainingUsdc`
 */
export async function drawCapture(tx: Tx, capture: { secretId: string; amount: Usdc }): Promise<void> {
  const { secretId, amount } = capture
  const [secret, now] = await Promise.all([lockSecret(tx, secretId), readClock(tx)])
  if (secret?.status !== 'active') throw new GatewayError('PROVIDER_SECRET_INVALID')
  const outcome = addCapture(secret, amount, now)
  if ('remaining' in outcome) {
    throw new GatewayError('BUDGET_EXHAUSTED', {
      limit: 'provider_secret_credit',
      remainingUsdc: formatUsdc(outcome.remaining),
    })
  }
  await writeCaptures(tx, secretId, outcome)
}
