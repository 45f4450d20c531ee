import type { Usdc } from '@farebox/money'
import type { Tx } from '../../ports.ts'
import { readBudgetRows } from './budget-store.ts'
import type { BudgetRows } from './draw-budgets.ts'

/**
 * Returns credentials and the policies of owners. To be read while nobody appends to the partitions of these owners.
 *
 * @param input.monthlyDefault monthly cap of owners who have set none, in micro-USDC
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
