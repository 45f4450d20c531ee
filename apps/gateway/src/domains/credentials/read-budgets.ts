import type { Usdc } from '@farebox/money'
import type { Tx } from '../../ports.ts'
import { readBudgetRows } from './budget-store.ts'
import type { BudgetRows } from './draw-budgets.ts'

/**
 * Reads credentials and the policies of owners. Their partitions must be locked against appends.
 *
 * @param input.monthlyDefault default monthly cap, in micro-USDC
 */
export async function readBudgets(
  tx: Tx,
  input: { credentialIds: readonly string[]; owners: readonly string[]; monthlyDefault: Usdc },
): Promise<BudgetRows> {
  const { credentials, policies } = await readBudgetRows(tx, input)
  return {
    credentials: new Map(credentials.map(row => [row.id, row])),
    policies: new Map(
      policies.map(({ allowUnlimited, ...row }) => {
        const monthlyLimit = allowUnlimited ? null : (row.monthlyLimit ?? input.monthlyDefault)
        return [row.owner, { ...row, monthlyLimit }]
      }),
    ),
  }
}
