import type { Db, Statement, Tx } from '../../../src/ports.ts'

/** A node of a plan, as `explain (analyze, format json)` prints it. */
export type PlanNode = {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Runs a statement and returns its plan with the rows that each node had. */
export async function planOf(tx: Tx, { text, values }: Statement): Promise<PlanNode> {
  const [row] = await tx.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>({
    text: `explain (analyze, format json) ${text}`,
    values,
  })
  const [plan] = row?.['QUERY PLAN'] ?? []
  if (plan === undefined) throw new Error('The statement has no plan.')
  return plan.Plan
}

/** Returns the most rows that one node of a plan has joined. */
export function mostRowsOf(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0)) * node['Actual Loops']
  return Math.max(own, ...(node.Plans ?? []).map(mostRowsOf))
}

/**
 * Returns a database that also records the plans of statements in transactions.
 *
 * @param isPlanned which statements to plan; each of them must only read
 * @param setting   run before each of them, such as a preference of the planner
 */
export function recordPlans(
  db: Db,
  isPlanned: (text: string) => boolean,
  setting: Statement,
): { readonly db: Db; readonly plans: PlanNode[] } {
  const plans: PlanNode[] = []
  const planned = (tx: Tx): Tx => ({
    inTransaction: true,
    async query(statement) {
      if (isPlanned(statement.text)) {
        await tx.query(setting)
        plans.push(await planOf(tx, statement))
      }
      return tx.query(statement)
    },
  })
  return { db: { ...db, transaction: run => db.transaction(tx => run(planned(tx))) }, plans }
}
