import type { Job } from '../../jobs.ts'
import type { Deps, QueueTask } from '../../ports.ts'
import { keepMails } from './keep-mails.ts'
import { mailCodeTask } from './mail-code.ts'

const KEEP_EVERY_MS = 30_000

/** What the profiles domain does of what was queued. */
export function profileTasks(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'mailer' | 'publicUrl' | 'secretBox'>,
): QueueTask[] {
  return [mailCodeTask(deps)]
}

/** What the profiles domain does by itself. */
export function profileJobs(deps: Pick<Deps, 'db' | 'clock' | 'jobs'>): Job[] {
  return [{ name: 'keep-mails', everyMs: KEEP_EVERY_MS, run: () => keepMails(deps) }]
}
