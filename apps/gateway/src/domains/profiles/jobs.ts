import type { Deps, QueueTask } from '../../ports.ts'
import type { Job } from '../../runtime/jobs.ts'
import { keepMails } from './keep-mails.ts'
import { mailCodeTask } from './mail-code.ts'

const KEEP_EVERY_MS = 30_000

/** Returns the queue tasks of the profiles domain. */
export function profileTasks(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'mailer' | 'publicUrl' | 'secretBox'>,
): QueueTask[] {
  return [mailCodeTask(deps)]
}

/** Returns the jobs of the profiles domain. */
export function profileJobs(deps: Pick<Deps, 'db' | 'clock' | 'jobs'>): Job[] {
  return [{ name: 'keep-mails', everyMs: KEEP_EVERY_MS, run: () => keepMails(deps) }]
}
