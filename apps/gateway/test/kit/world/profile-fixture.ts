import type { ChallengeAnswer } from '@farebox/wire/auth'
import type { MeAnswer, ProfileAnswer } from '@farebox/wire/profiles'
import { startJobQueue } from '../../../src/adapters/job-queue.ts'
import { type MailSink, startMailSink } from '../../../src/dev/mail-sink.ts'
import { profileTasks } from '../../../src/domains/profiles/jobs.ts'
import { startTestChain } from '../chain/test-chain.ts'
import { type PartialGateway, startPartialGateway } from '../gateway/partial-gateway.ts'
import { type Answer, type Sent, send } from '../network/http.ts'
import { silent } from '../silent-log.ts'
import { until } from '../until.ts'
import { newWallet, type Signer, sessionFor } from './wallets.ts'

/** The members of an error that tests read. */
export type Refusal = { readonly code: string; readonly detail: Readonly<Record<string, unknown>> }
type Output<Body> = Promise<Answer<Body & Refusal>>

/** A gateway with a mail server in this process. */
export type ProfileFixture = Awaited<ReturnType<typeof startProfileFixture>>
/** A wallet with a profile. */
export type ProfileOwner = Awaited<ReturnType<ProfileFixture['owner']>>

/**
 * Starts chain, database, gateway and mail server for one test file.
 *
 * @param options.env      settings that differ from those of development mode
 * @param options.hasQueue whether the mail queue runs; otherwise `startQueue` starts it
 */
export async function startProfileFixture(
  options: { env?: Record<string, string>; hasQueue?: boolean } = {},
) {
  const chain = await startTestChain()
  let sink: MailSink = await startMailSink()
  const smtpUrl = sink.url
  const gateway = await startPartialGateway({
    chain: chain.adapter,
    env: { SMTP_URL: smtpUrl, MAIL_FROM: 'Farebox <no-reply@farebox.example>', ...options.env },
  })
  const queues: { stop(): Promise<void> }[] = []
  const startQueue = async () => {
    const { deps, databaseUrl: connectionString } = gateway
    const tasks = profileTasks(deps)
    queues.push(await startJobQueue({ connectionString, log: silent, metrics: deps.metrics, tasks }))
  }
  if (options.hasQueue !== false) await startQueue()

  const stopQueues = async () => {
    await Promise.all(queues.splice(0).map(queue => queue.stop()))
  }
  const mailsTo = (email: string) => sink.mails(email)
  return {
    gateway,
    startQueue,
    stopQueues,
    mailsTo,
    /** Waits for `count` mails to an address; returns the code of the newest. */
    async codeFor(email: string, count = 1): Promise<string> {
      await until(`${count} mails to ${email}`, () => mailsTo(email).length >= count)
      return /^\d{6}/.exec(mailsTo(email)[0]?.subject ?? '')?.[0] ?? 'no code'
    },
    closeMailServer: () => sink.stop(),
    /** Restarts the mail server with empty mailboxes. */
    async openMailServer() {
      sink = await startMailSink(Number(new URL(smtpUrl).port))
    },
    owner: (account?: Signer) => profileOwner(gateway, account ?? newWallet()),
    async stop() {
      await stopQueues()
      await gateway.stop()
      await Promise.all([sink.stop(), chain.stop()])
    },
  }
}

/** Returns the profile calls of a wallet. Each call has a new session, so that clocks may jump. */
async function profileOwner(gateway: PartialGateway, account: Signer) {
  async function call<Body>(path: string, sent: Sent = {}): Output<Body> {
    const token = await sessionFor(gateway.deps, account.address)
    return send<Body & Refusal>(gateway.url, `/api/v1/auth${path}`, { token, ...sent })
  }
  async function signedChallenge() {
    const { body } = await call<ChallengeAnswer>('/me/profile/challenge', { method: 'POST' })
    const message = body.challenge
    return { message, signature: await account.signMessage({ message }) }
  }
  const put = (body: unknown) => call<MeAnswer>('/me/profile', { method: 'PUT', body })
  await call('/me')

  return {
    account,
    wallet: account.address.toLowerCase(),
    call,
    signedChallenge,
    /** Sends an update. */
    put,
    /** Requests and signs a challenge, then sends an update with it. */
    update: async (change: object) => put({ ...(await signedChallenge()), ...change }),
    me: async () => (await call<MeAnswer>('/me')).body,
    verify: (email: string, code: string) =>
      call<ProfileAnswer>('/email/verify-code', { method: 'POST', body: { email, code } }),
    resend: (email: string) => call<MeAnswer>('/email/resend-code', { method: 'POST', body: { email } }),
  }
}

/** Returns codes that differ from the right one. */
export function wrongCodes(code: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0'),
  )
}
