import type { Address } from 'viem'
import { getAddress } from 'viem'
import { z } from 'zod'
import type { Deps, QueueTask, Tx } from '../../ports.ts'
import { mailAddresses } from '../profiles/mail-addresses.ts'
import { alertMail } from './alert-mail.ts'
import type { NewAlert } from './alert-store.ts'
import { endMail, findMailed, insertMails, type NewMail, readMail } from './mail-store.ts'

const TASK = 'mail-alerts'
/** Never reached: a mail is given up after a day. */
const ATTEMPTS_MAX = 50
/** Maximum mails of alerts to an owner per day; further alerts are listed only. */
const MAILS_PER_DAY_MAX = 24
/** Maximum alerts in a mail. */
const ALERTS_PER_MAIL_MAX = 50

const job = z.object({ mailId: z.string() })

type MailDeps = Pick<Deps, 'db' | 'log' | 'mailer' | 'publicUrl'>

/** Queues one mail for each owner of some alerts who wants them by mail and has a verified address. */
export async function queueAlertMails(
  deps: Pick<Deps, 'ids' | 'jobs' | 'mailer'>,
  tx: Tx,
  alerts: readonly NewAlert[],
): Promise<void> {
  if (deps.mailer === null || alerts.length === 0) return
  const groups = Map.groupBy(alerts, ({ owner }) => owner)
  const wanting = await findMailed(tx, { owners: [...groups.keys()], dayMax: MAILS_PER_DAY_MAX })
  const addresses = await mailAddresses(tx, wanting)
  const mails = [...addresses.keys()].map(
    (owner): NewMail => ({
      id: deps.ids.next('aml'),
      owner,
      alertIds: (groups.get(owner) ?? []).slice(0, ALERTS_PER_MAIL_MAX).map(({ id }) => id),
    }),
  )
  if (mails.length === 0) return
  await insertMails(tx, mails)
  await enqueueMails(
    deps,
    tx,
    mails.map(({ id }) => id),
  )
}

/** Queues mails that are stored. A job that waits for a retry is replaced and restarts immediately. */
export function enqueueMails(deps: Pick<Deps, 'jobs'>, tx: Tx, mailIds: readonly string[]): Promise<void> {
  return deps.jobs.enqueue(
    tx,
    mailIds.map(mailId => ({
      task: TASK,
      payload: { mailId },
      key: `${TASK} ${mailId}`,
      attemptsMax: ATTEMPTS_MAX,
    })),
  )
}

/** Returns the task that mails alerts. */
export function mailAlertsTask(deps: MailDeps): QueueTask {
  return {
    name: TASK,
    run: (payload, _attempt, signal) => mailAlerts(deps, job.parse(payload).mailId, signal),
  }
}

/**
 * Sends a mail of alerts to the current address of their owner, unless it was sent or given up. Concurrent runs may send
 * it twice, under the same id.
 *
 * @throws Error when the mail server does not accept it now
 */
async function mailAlerts(deps: MailDeps, mailId: string, signal: AbortSignal): Promise<void> {
  const { db, mailer, log } = deps
  const alerts = await readMail(db, { mailId, limit: ALERTS_PER_MAIL_MAX })
  const owner = alerts[0]?.owner
  if (owner === undefined) return
  if (mailer === null) throw new Error('No mail server is configured.')
  const to = (await mailAddresses(db, [owner])).get(owner)
  if (to !== undefined) {
    const mail = alertMail({ alerts, wallet: getAddress(owner as Address), gatewayUrl: deps.publicUrl })
    const isTaken = await mailer.send({ ...mail, to, id: mailId }, signal)
    if (!isTaken) log.warn({ wallet: owner }, 'the mail server refuses mail to the address of this wallet')
  }
  await endMail(db, mailId)
}
