import { parseUsdc } from '@farebox/money'
import type { Deps } from '../../ports.ts'
import { createBatchLoader } from '../../runtime/batch-loader.ts'
import { type Job, pruneJob } from '../../runtime/jobs.ts'
import type { ServiceDirectory } from '../services/find-callable.ts'
import { type BreakerTarget, createBreakers } from '../services/targets/breakers.ts'
import { createCallPlaces } from './admission/call-places.ts'
import { createCallLedger } from './admission/commit-calls.ts'
import type { InvocationDeps } from './invoke-service.ts'
import { createLedgerStore } from './log/ledger-store.ts'
import { createProjector } from './log/project-log.ts'
import { createInFlightCalls } from './provider/in-flight-calls.ts'
import { createCallTally } from './records/call-tally.ts'
import { flushRefusals, pruneRefusals } from './records/flush-refusals.ts'
import { flushTally } from './records/flush-tally.ts'
import { pruneAnswers } from './records/prune-answers.ts'
import { createRefusalTally } from './records/refusal-tally.ts'
import { type OwnedCall, readAnswers } from './records/store.ts'
import { keepLease, recoverCalls } from './recovery/recover-calls.ts'
import { releaseUnreported } from './recovery/release-unreported.ts'
import { createPeerWatch } from './recovery/watch-peers.ts'
import { flushTargets, pruneTargets } from './targets/flush-targets.ts'
import { createTargetTally } from './targets/target-tally.ts'

/** Concurrent batches of holds and settlements of one gateway (docs/adr/0002). */
const LANES = 1
/** Lease renewals, and searches for orphaned calls, per lease. */
const RENEWALS_PER_LEASE = 6
/** Replayed answers per statement, and concurrent statements: an answer may have 2 MiB. */
const ANSWERS_AT_ONCE = { keysMax: 16, readsMax: 4 }
/** Interval of searches for overdue usage reports, in ms. */
const RELEASE_EVERY_MS = 5_000
/** Interval of flushes of the call statistics, in ms. */
const FLUSH_EVERY_MS = 5_000

/**
 * Creates the in-memory state of invocation: batches, breakers, calls in flight.
 *
 * @param deps.onSuspect called with a target at which calls fail in a row
 */
export function createInvocations(
  deps: Deps & { directory: ServiceDirectory; onSuspect?: (target: BreakerTarget) => void },
): InvocationDeps {
  const monthlyDefault = parseUsdc(deps.config.SPENDING_LIMIT_USDC)
  const room = {
    placesMax: deps.config.CALLS_WAITING_MAX,
    waitMsMax: deps.config.CALL_WAIT_SECONDS_MAX * 1_000,
  }
  const places = createCallPlaces(deps.config)
  const store = createLedgerStore(deps, { monthlyDefault })
  const projector = createProjector(deps)
  return {
    ...deps,
    calls: createCallLedger({ ...deps, store, onAppended: projector.wake }, { lanes: LANES, room }),
    projector,
    breakers: createBreakers(deps.clock, deps.onSuspect),
    inFlight: createInFlightCalls(deps.clock),
    peers: createPeerWatch(deps, deps.config.LEASE_SECONDS * 1_000),
    places,
    relays: { recordedBytes: 0, abandoned: places.abandoned },
    tally: createCallTally(),
    targets: createTargetTally(deps.clock),
    refusals: createRefusalTally(deps.clock),
    loadAnswer: createBatchLoader(
      (calls: readonly OwnedCall[]) => readAnswers(deps.rawDb, calls),
      ANSWERS_AT_ONCE,
    ),
  }
}

/** Stores the statistics since the last flush. */
export const flushCounts = (deps: InvocationDeps): Promise<unknown> =>
  Promise.all([flushTally(deps), flushTargets(deps), flushRefusals(deps)])

/** Periodic jobs: lease and recovery, overdue usage, call statistics, expired answers. */
export function invocationJobs(deps: InvocationDeps): Job[] {
  const everyMs = (deps.config.LEASE_SECONDS * 1_000) / RENEWALS_PER_LEASE
  return [
    { name: 'keep-lease', everyMs, run: () => keepLease(deps) },
    { name: 'recover-calls', everyMs, run: () => recoverCalls(deps) },
    { name: 'release-unreported', everyMs: RELEASE_EVERY_MS, run: () => releaseUnreported(deps) },
    { name: 'flush-tally', everyMs: FLUSH_EVERY_MS, run: () => flushTally(deps) },
    { name: 'flush-targets', everyMs: FLUSH_EVERY_MS, run: () => flushTargets(deps) },
    { name: 'flush-refusals', everyMs: FLUSH_EVERY_MS, run: () => flushRefusals(deps) },
    pruneJob('prune-answers', signal => pruneAnswers(deps, signal)),
    pruneJob('prune-targets', signal => pruneTargets(deps, signal)),
    pruneJob('prune-refusals', signal => pruneRefusals(deps, signal)),
  ]
}
