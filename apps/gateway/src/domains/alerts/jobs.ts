import type { Deps, QueueTask } from '../../ports.ts'
import { type Job, pruneJob } from '../../runtime/jobs.ts'
import { fireAlerts } from './fire-alerts.ts'
import { keepAlertMails } from './keep-mails.ts'
import { mailAlertsTask } from './mail-alerts.ts'
import { pruneAlerts } from './prune-alerts.ts'

/** Interval of looks at the log, in ms; one statement on a few small rows if nothing is new. */
const FIRE_EVERY_MS = 2_000
const KEEP_EVERY_MS = 30_000

/** Returns the queue tasks of the alerts domain. */
export const alertTasks = (deps: Pick<Deps, 'db' | 'log' | 'mailer' | 'publicUrl'>): QueueTask[] => [
  mailAlertsTask(deps),
]

/** Returns the jobs of the alerts domain; `deps.db` without projection. */
export function alertJobs(
  deps: Pick<Deps, 'db' | 'ids' | 'jobs' | 'mailer' | 'config' | 'clock' | 'metrics'>,
): Job[] {
  return [
    { name: 'fire-alerts', everyMs: FIRE_EVERY_MS, run: signal => fireAlerts(deps, signal) },
    { name: 'keep-alert-mails', everyMs: KEEP_EVERY_MS, run: () => keepAlertMails(deps) },
    pruneJob('prune-alerts', signal => pruneAlerts(deps, signal)),
  ]
}
