import { parseUsdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { writeTogether } from '../../write-part.ts'
import { lockBudgets, type Rate } from './draw-budgets.ts'
import type { Agent } from './require-agent.ts'

/**
 * Counts a request that is no call against the rate of its credential, in the database and so for all gateways.
 *
 * @throws GatewayError CREDENTIAL_INVALID, CREDENTIAL_INACTIVE, WALLET_SUSPENDED, RATE_LIMITED
 */
export function countRequest(deps: Pick<Deps, 'db' | 'config'>, agent: Agent): Promise<Rate> {
  const monthlyDefault = parseUsdc(deps.config.SPENDING_LIMIT_USDC)
  return deps.db.transaction(async tx => {
    const budgets = await lockBudgets(tx, { credentials: [agent], monthlyDefault })
    const rate = budgets.countRequest(agent.credentialId, agent.tokenDigest)
    await tx.query(writeTogether(budgets.writes()))
    return rate
  })
}
