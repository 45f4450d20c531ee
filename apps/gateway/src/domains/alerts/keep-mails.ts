import type { Deps } from '../../ports.ts'
import { enqueueMails } from './mail-alerts.ts'
import { giveUpMails, takeWaiting } from './mail-store.ts'

/** Age after which a queued mail that was not sent is queued again, in seconds. */
const REQUEUE_AFTER_SECONDS = 60
/** Age after which a mail is given up: the alert is listed, and old news by then. */
const GIVE_UP_AFTER_SECONDS = 86_400
/** Maximum mails per run; the next run continues. */
const MAILS_MAX = 1_000

/**
 * Queues mails again that were not sent within a minute: a gateway that dies blocks its mails for hours, and after a long
 * outage of the mail server the backoff is too long.
 */
export async function keepAlertMails(deps: Pick<Deps, 'db' | 'jobs'>): Promise<void> {
  await giveUpMails(deps.db, { seconds: GIVE_UP_AFTER_SECONDS, limit: MAILS_MAX })
  await deps.db.transaction(async tx => {
    const mailIds = await takeWaiting(tx, { seconds: REQUEUE_AFTER_SECONDS, limit: MAILS_MAX })
    await enqueueMails(deps, tx, mailIds)
  })
}
