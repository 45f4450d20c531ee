import { parseUsdc } from '@farebox/money'
import type { Job } from '../../jobs.ts'
import type { Deps } from '../../ports.ts'
import { createBreakers } from '../services/breakers.ts'
import type { ServiceDirectory } from '../services/find-callable.ts'
import { createCallLedger } from './commit-calls.ts'
import type { InvocationDeps } from './invoke-service.ts'
import { keepLease, recoverCalls } from './recover-calls.ts'
import { releaseUnreported } from './release-unreported.ts'
import { createCallsUnderWay } from './under-way.ts'

/** Batches of holds and settlements that one gateway has under way at once (docs/adr/0002). */
const LANES = 1
/** How many times the lease is renewed, and orphans are looked for, within one lease. */
const RENEWALS_PER_LEASE = 3
/** Pause between two looks for calls whose usage was not reported in time, in ms. */
const RELEASE_EVERY_MS = 5_000

/** Puts together what invocation keeps in memory: the batches, the breakers, the calls under way. */
export function createInvocations(deps: Deps & { directory: ServiceDirectory }): InvocationDeps {
  const monthlyDefault = parseUsdc(deps.config.SPENDING_LIMIT_USDC)
  return {
    ...deps,
    calls: createCallLedger(deps, { monthlyDefault, lanes: LANES }),
    breakers: createBreakers(deps.clock),
    underWay: createCallsUnderWay(deps.clock),
    relays: { recordedBytes: 0, abandoned: 0 },
  }
}

/** Lease and recovery, in step with the lease; and the end of waiting for usage. */
export function invocationJobs(deps: InvocationDeps): Job[] {
  const everyMs = (deps.config.LEASE_SECONDS * 1_000) / RENEWALS_PER_LEASE
  return [
    { name: 'keep-lease', everyMs, run: () => keepLease(deps) },
    { name: 'recover-calls', everyMs, run: () => recoverCalls(deps) },
    { name: 'release-unreported', everyMs: RELEASE_EVERY_MS, run: () => releaseUnreported(deps) },
  ]
}
