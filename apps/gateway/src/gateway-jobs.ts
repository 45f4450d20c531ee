import { tlsServersOf } from './adapters/certificates.ts'
import { pruneClientRates } from './adapters/client-rates.ts'
import { alertJobs, alertTasks } from './domains/alerts/jobs.ts'
import { purgeExpired } from './domains/auth/purge-expired.ts'
import type { AgentGuard } from './domains/credentials/require-agent.ts'
import { depositJobs } from './domains/deposits/jobs.ts'
import { healthJobs } from './domains/health/jobs.ts'
import { invocationJobs } from './domains/invocation/create-invocations.ts'
import type { InvocationDeps } from './domains/invocation/invoke-service.ts'
import { confirmDatabase } from './domains/ledger/database/confirm-database.ts'
import type { UnsettledRange } from './domains/ledger/find-gone-blocks.ts'
import { proofJobs } from './domains/ledger/jobs.ts'
import { pruneChecks } from './domains/ledger/reconcile/prune-checks.ts'
import { reconcileRecent } from './domains/ledger/reconcile/reconcile-recent.ts'
import { pruneOauth } from './domains/oauth/prune-oauth.ts'
import { profileJobs, profileTasks } from './domains/profiles/jobs.ts'
import { discoveryJobs } from './domains/services/discovery/discovery-jobs.ts'
import { pruneSigningSecrets } from './domains/signing/prune-signing-secrets.ts'
import { webhookJobs } from './domains/webhooks/jobs.ts'
import { completeByEvents } from './domains/withdrawals/complete-by-event.ts'
import { withdrawalJobs } from './domains/withdrawals/jobs.ts'
import { raiseReorganised } from './domains/withdrawals/raise-reorganised.ts'
import { x402Jobs } from './domains/x402/jobs.ts'
import type { QueueTask, WithdrawnEvent } from './ports.ts'
import { type Job, pruneJob } from './runtime/jobs.ts'
import { certificateJobs } from './runtime/watch-certificates.ts'
import { pruneGivenUp } from './sql/prune-given-up.ts'

const PURGE_INTERVAL_MS = 60_000
/** Interval of checks whether the books are due for reconciliation. */
const RECONCILE_LOOK_MS = 5_000
/** Maximum share of time for reconciliation: while the books are in doubt, each check reads all of them. */
const RECONCILE_SHARE_MAX = 0.25

/** Returns the repeating work of a gateway. */
export function gatewayJobs(deps: InvocationDeps & { readonly agents: AgentGuard }): Job[] {
  const everySeconds = deps.config.RECONCILE_INTERVAL_SECONDS
  const checkBooks = async (pauseSeconds: number) => {
    const outcome = await reconcileRecent(deps, { everySeconds: pauseSeconds })
    if (outcome !== null) await confirmDatabase(deps, outcome)
  }
  const listener = {
    onWithdrawn: (events: readonly WithdrawnEvent[]) => completeByEvents(deps, events),
    onRead: (range: UnsettledRange) => raiseReorganised(deps, range),
    onCaughtUp: () => checkBooks(0),
  }
  return [
    ...invocationJobs(deps),
    ...depositJobs(deps, listener),
    ...withdrawalJobs(deps),
    ...healthJobs(deps),
    ...discoveryJobs(deps),
    ...webhookJobs(deps),
    ...alertJobs(deps),
    ...profileJobs(deps),
    ...proofJobs(deps),
    ...x402Jobs(deps),
    ...certificateJobs(tlsServersOf(deps.config), deps),
    pruneJob('purge-auth', () => purgeExpired(deps), PURGE_INTERVAL_MS),
    pruneJob('prune-checks', signal => pruneChecks(deps, signal)),
    pruneJob('prune-client-rates', () => pruneClientRates(deps)),
    pruneJob('prune-signing-secrets', () => pruneSigningSecrets(deps)),
    pruneJob('prune-oauth', () => pruneOauth(deps)),
    pruneJob('prune-queue', signal => pruneGivenUp(deps, signal)),
    {
      name: 'reconcile',
      everyMs: Math.min(everySeconds * 1_000, RECONCILE_LOOK_MS),
      shareMax: RECONCILE_SHARE_MAX,
      run: () => checkBooks(everySeconds),
    },
  ]
}

/** Tasks of queued jobs, by name. */
export function queueTasks(deps: InvocationDeps): QueueTask[] {
  return [...profileTasks(deps), ...alertTasks(deps)]
}
