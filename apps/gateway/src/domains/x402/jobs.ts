import type { Deps } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import { readAffordable } from './submit-payment.ts'

/** Interval of reads of the settler's gas, in ms. */
const GAS_EVERY_MS = 60_000

/** Returns the jobs of x402: the gauge of its gas. */
export function x402Jobs(deps: Pick<Deps, 'metrics' | 'log' | 'settler'>): Job[] {
  const { settler } = deps
  if (settler === null) return []
  return [{ name: 'watch-x402-gas', everyMs: GAS_EVERY_MS, run: () => readAffordable({ ...deps, settler }) }]
}
