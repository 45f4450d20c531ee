import { getAddress } from 'viem'
import { z } from 'zod'
import type { Deps, QueueTask, Tx } from '../../ports.ts'
import { openCode } from './code-secrecy.ts'
import { findMailDue, forgetCode } from './store.ts'
import { verificationMail } from './verification-mail.ts'

const TASK = 'mail-verification-code'
/** By far more than fit into the life of a code: its end is what ends the attempts. */
const ATTEMPTS_MAX = 50

const job = z.object({ codeId: z.string() })

type MailDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'mailer' | 'publicUrl' | 'secretBox'>

/**
 * Queues the mails of codes. The jobs hold ids only; a job that waits for a second attempt is replaced and starts
 * anew at once.
 */
export function queueCodeMails(deps: Pick<Deps, 'jobs'>, tx: Tx, codeIds: readonly string[]): Promise<void> {
  return deps.jobs.enqueue(
    tx,
    codeIds.map(codeId => ({
      task: TASK,
      payload: { codeId },
      key: `${TASK} ${codeId}`,
      attemptsMax: ATTEMPTS_MAX,
    })),
  )
}

/** The task that mails a code. */
export function mailCodeTask(deps: MailDeps): QueueTask {
  return {
    name: TASK,
    run: (payload, _attempt, signal) => mailCode(deps, job.parse(payload).codeId, signal),
  }
}

/**
 * Mails a code, unless that has been done or is no longer wanted: a void, expired or locked code is passed over. Run
 * twice at once it may go out twice, as two copies of one mail.
 *
 * @throws Error when the mail server does not take it now
 */
async function mailCode(deps: MailDeps, codeId: string, signal: AbortSignal): Promise<void> {
  const { db, clock, mailer, log } = deps
  const due = await findMailDue(db, codeId, new Date(clock.now()))
  if (due === undefined) return
  if (mailer === null) throw new Error('No mail server is configured.')
  const mail = verificationMail({
    code: openCode(deps.secretBox, { codeId, sealed: due.sealed_code }),
    wallet: getAddress(due.wallet),
    gateway: new URL(deps.publicUrl).host,
    expiresAt: due.expires_at,
  })
  const isTaken = await mailer.send({ ...mail, to: due.email, id: codeId }, signal)
  if (!isTaken) log.warn({ wallet: due.wallet }, 'the mail server refuses mail to the address of this wallet')
  await forgetCode(db, codeId)
}
