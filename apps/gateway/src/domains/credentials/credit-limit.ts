import { formatUsdc, parseUsdc, type Usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { ResetInterval } from '@farebox/wire/intervals'
import type { Deps, Tx } from '../../ports.ts'
import { lockPartitions } from '../ledger/lock-partitions.ts'
import { creditCeiling, policyAt } from './rules.ts'
import { ensurePolicy, lockPolicy } from './store.ts'

/**
 * Checks a credit limit against the owner's spending policy and locks the policy until the end of the transaction.
 * Creates the policy's row if it is missing.
 *
 * @param input.creditLimit micro-USDC; null: no limit of its own, which every policy allows
 * @param input.now         database time
 * @throws GatewayError LIMIT_EXCEEDED with `detail.maxCreditLimitUsdc`
 */
export async function assertWithinPolicy(
  tx: Tx,
  config: Pick<Deps['config'], 'SPENDING_LIMIT_USDC'>,
  input: { owner: string; creditLimit: Usdc | null; interval: ResetInterval; now: Date },
): Promise<void> {
  const { owner, creditLimit, interval, now } = input
  const [, , row] = await Promise.all([
    lockPartitions(tx, [owner]),
    ensurePolicy(tx, owner),
    lockPolicy(tx, owner, 'share'),
  ])
  if (row === undefined) throw new Error('The new spending policy is missing.')
  const ceiling = creditCeiling(policyAt(row, now, parseUsdc(config.SPENDING_LIMIT_USDC)), interval)
  if (creditLimit === null || ceiling === null || creditLimit <= ceiling) return
  const maxCreditLimitUsdc = formatUsdc(ceiling)
  const message = `creditLimit: the owner's spending policy allows at most ${maxCreditLimitUsdc} USDC (reset: ${interval}). Raise it with PUT /api/v1/balance/spending-limit.`
  throw new GatewayError(
    'LIMIT_EXCEEDED',
    { creditLimit: formatUsdc(creditLimit), maxCreditLimitUsdc },
    { message },
  )
}
