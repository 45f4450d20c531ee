import { getAddress } from 'viem'
import { z } from 'zod'
import type { Deps, QueueTask, Tx } from '../../ports.ts'
import { openCode } from './code-secrecy.ts'
import { findMailDue, forgetCode } from './store.ts'
import { verificationMail } from './verification-mail.ts'

const TASK = 'mail-verification-code'
/** Never reached, as the code expires first. */
const ATTEMPTS_MAX = 50

const job = z.object({ codeId: z.string() })

type MailDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'mailer' | 'publicUrl' | 'secretBox'>

/**
 * Queues the mails of codes. Jobs contain ids only; a job that waits for a retry is replaced and restarts immediately.
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

/** Returns the task that mails a code. */
export function mailCodeTask(deps: MailDeps): QueueTask {
  return {
    name: TASK,
    run: (payload, _attempt, signal) => mailCode(deps, job.parse(payload).codeId, signal),
  }
}

/**
 * Mails a code, unless it was already mailed, or is void, expired or locked. Concurrent runs may send the mail twice.
 *
 * @throws Error when the mail server does not accept it now
 */
async function mailCode(deps: MailDeps, codeId: string, signal: AbortSignal): Promise<void> {
  const { db, clock, mailer, log } = deps
  const due = await findMailDue(db, codeId, new Date(clock.now()))
  if (due === undefined) return
  if (mailer === null) throw new Error('No mail server is configured.')
  const mail = verificationMail({
    code: openCode(deps.secretBox, { codeId, sealed: due.sealedCode }),
    wallet: getAddress(due.wallet),
    gateway: new URL(deps.publicUrl).host,
    expiresAt: due.expiresAt,
  })
  const isTaken = await mailer.send({ ...mail, to: due.email, id: codeId }, signal)
  if (!isTaken) log.warn({ wallet: due.wallet }, 'the mail server refuses mail to the address of this wallet')
  await forgetCode(db, codeId)
}
