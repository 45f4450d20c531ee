import { formatUsdc, minUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Deps } from '../../ports.ts'
import { readCredential } from '../credentials/read-credential.ts'
import { readSpendingPolicy } from '../credentials/read-spending-policy.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { readAvailable } from '../ledger/read-available.ts'

const amount = (description: string) => ({ type: ['string', 'null'], description }) as const

/** Built-in tool that shows agents their remaining budget. */
export const balanceTool = {
  name: 'farebox_balance',
  title: 'What is left to spend',
  description:
    'Returns what your credential can still spend at Farebox, in USDC: its calls and credit, the spending policy of ' +
    'its owner and the balance of its owner. Free of charge.',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: {
    type: 'object',
    properties: {
      spendableUsdc: { type: 'string', description: 'The most that the next call may cost.' },
      callsRemaining: { type: ['integer', 'null'], description: 'Calls left; null: no cap.' },
      credential: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          creditRemainingUsdc: amount('Left of the credit limit; null: no limit.'),
          creditLimitUsdc: amount('Null: no limit.'),
          maxCostPerCallUsdc: amount('Cap on one call; null: no cap.'),
          spentUsdc: { type: 'string' },
          heldUsdc: { type: 'string', description: 'Held for running calls.' },
          resetInterval: { type: 'string', description: 'How often the credit resets.' },
          callsPerMinute: { type: 'integer' },
          expiresAt: { type: ['string', 'null'], description: 'ISO 8601; null: never.' },
        },
      },
      owner: {
        type: 'object',
        properties: {
          availableUsdc: { type: 'string' },
          monthlyRemainingUsdc: amount("Left of this month's spending policy; null: no cap."),
          dailyRemainingUsdc: amount("Left of today's spending policy; null: no cap."),
          perCallLimitUsdc: amount('Null: no cap.'),
        },
      },
    },
    required: ['spendableUsdc', 'callsRemaining', 'credential', 'owner'],
  },
  annotations: { title: 'What is left to spend', readOnlyHint: true, openWorldHint: false },
} as const satisfies Tool

/**
 * Returns the remaining budget of a credential, with its limits.
 *
 * @throws GatewayError CREDENTIAL_NOT_FOUND when it was deleted in the meantime
 */
export async function readRemains(
  deps: Pick<Deps, 'db' | 'config'>,
  agent: Agent,
): Promise<Record<string, unknown>> {
  const [credential, policy, available] = await Promise.all([
    readCredential(deps, { owner: agent.owner, id: agent.credentialId }),
    readSpendingPolicy(deps, agent.owner),
    readAvailable(deps.db, agent.owner),
  ])
  const { creditLimit, maxCostPerCall, spent, held, maxCalls, callsUsed } = credential
  const credit = leftOf(creditLimit, usdc(spent + held))
  const monthly = leftOf(policy.monthlyLimit, policy.monthDrawn)
  const daily = leftOf(policy.dailyLimit, policy.dayDrawn)
  const calls = maxCalls === null ? null : Number(maxCalls > callsUsed ? maxCalls - callsUsed : 0n)
  const caps = [credit, maxCostPerCall, monthly, daily, policy.perCallLimit].filter(cap => cap !== null)
  const spendable = calls === 0 ? ZERO : caps.reduce((least, cap) => minUsdc(least, cap), available)
  return {
    spendableUsdc: formatUsdc(spendable),
    callsRemaining: calls,
    credential: {
      name: credential.name,
      creditRemainingUsdc: formatted(credit),
      creditLimitUsdc: formatted(creditLimit),
      maxCostPerCallUsdc: formatted(maxCostPerCall),
      spentUsdc: formatUsdc(spent),
      heldUsdc: formatUsdc(held),
      resetInterval: credential.resetInterval,
      callsPerMinute: credential.rpm,
      expiresAt: credential.expiresAt?.toISOString() ?? null,
    },
    owner: {
      availableUsdc: formatUsdc(available),
      monthlyRemainingUsdc: formatted(monthly),
      dailyRemainingUsdc: formatted(daily),
      perCallLimitUsdc: formatted(policy.perCallLimit),
    },
  }
}

function leftOf(limit: Usdc | null, drawn: Usdc): Usdc | null {
  if (limit === null) return null
  return limit > drawn ? usdc(limit - drawn) : ZERO
}

function formatted(value: Usdc | null): string | null {
  return value === null ? null : formatUsdc(value)
}
