import { SMTPServer } from 'smtp-server'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../../../test/kit/until.ts'
import { type ProfileFixture, startProfileFixture } from '../../../test/kit/world/profile-fixture.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import type { CamelCase } from '../../ports.ts'
import { profileTasks } from './jobs.ts'
import { keepMails } from './keep-mails.ts'

const MINUTE_MS = 60_000

let fixture: ProfileFixture
/** An address of this test only. */
let email: string

beforeAll(async () => {
  fixture = await startProfileFixture({ hasQueue: false, env: { MAILS_PER_ADDRESS: '3' } })
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  email = `ada.${crypto.randomUUID()}@example.com`
  for (const table of ['graphile_worker._private_jobs', 'mail_counts', 'profiles'])
    await fixture.gateway.run({ text: `delete from ${table}`, values: [] })
})
afterEach(() => fixture.stopQueues())

const query = <Row extends CamelCase<Row>>(text: ReturnType<typeof sql>) =>
  fixture.gateway.deps.db.query<Row>(text)

async function waitingJobs() {
  return query<{ attempts: number; payload: { codeId: string } }>(
    sql`select attempts, payload from graphile_worker._private_jobs order by id`,
  )
}

/** Runs the mail task as the queue would. */
async function mail(codeId: string | undefined): Promise<void> {
  const [task] = profileTasks(fixture.gateway.deps)
  await task?.run({ codeId }, { number: 1, max: 50 }, new AbortController().signal)
}

test('retries a mail while the mail server is down, without delaying the update', async () => {
  await fixture.closeMailServer()
  await fixture.startQueue()
  const owner = await fixture.owner()
  expect((await owner.update({ username: 'Ada', email })).status).toBe(200)
  await until('an attempt has failed', async () => (await waitingJobs()).some(job => job.attempts > 0))
  await fixture.openMailServer()
  expect((await owner.verify(email, await fixture.codeFor(email))).status).toBe(200)
  await until('the queue is empty', async () => (await waitingJobs()).length === 0)
})

test('mails the current one of several codes only, however late', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  await owner.resend(email)
  await owner.update({ email: 'other@example.com' })
  await fixture.startQueue()
  const code = await fixture.codeFor('other@example.com')
  await until('the queue is empty', async () => (await waitingJobs()).length === 0)
  expect(fixture.mailsTo(email)).toEqual([])
  expect((await owner.verify('other@example.com', code)).status).toBe(200)
})

test('mails no code that was cancelled, removed or has expired', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  await owner.update({ email: null })
  await owner.update({ email: 'late@example.com' })
  const jobs = await waitingJobs()
  fixture.gateway.advance(10 * MINUTE_MS)
  for (const { payload } of jobs) await mail(payload.codeId)
  expect([fixture.mailsTo(email), fixture.mailsTo('late@example.com')]).toEqual([[], []])
})

test('mails once when a job is repeated', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  const [job] = await waitingJobs()
  await mail(job?.payload.codeId)
  await mail(job?.payload.codeId)
  expect(fixture.mailsTo(email)).toHaveLength(1)
  expect(fixture.mailsTo(email)[0]?.id).toBe(`${job?.payload.codeId}@farebox.example`)
})

test('queues no mail for a rejected update', async () => {
  const owner = await fixture.owner()
  const proof = await owner.signedChallenge()
  const username = newWallet().address
  expect((await owner.put({ ...proof, email, username })).status).toBe(400)
  expect(await waitingJobs()).toEqual([])
  expect(await query(sql`select 1 from mail_counts`)).toEqual([])
})

test('another gateway takes over the mail of a dead one within minutes', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  // Simulates a gateway that was killed while it sent the mail.
  await query(
    sql`update graphile_worker._private_jobs set attempts = 1, locked_at = now(), locked_by = 'gone'`,
  )
  await fixture.startQueue()
  expect(await keepMails(fixture.gateway.deps)).toMatchObject({ requeued: 0 })
  fixture.gateway.advance(MINUTE_MS)
  expect(await keepMails(fixture.gateway.deps)).toMatchObject({ requeued: 1 })
  expect(await keepMails(fixture.gateway.deps)).toMatchObject({ requeued: 0 })
  expect((await owner.verify(email, await fixture.codeFor(email))).status).toBe(200)
})

test('deletes expired unsent mails and the counts of past days', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  fixture.gateway.advance(10 * MINUTE_MS)
  expect(await keepMails(fixture.gateway.deps)).toEqual({ requeued: 0, forgotten: 1, counts: 0 })
  fixture.gateway.advance(2 * 1_440 * MINUTE_MS)
  expect(await keepMails(fixture.gateway.deps)).toEqual({ requeued: 0, forgotten: 0, counts: 1 })
})

test('stores no readable code in any table, job or column', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  const dump = await everything()
  expect(dump).toContain(email)
  const [job] = await waitingJobs()
  await mail(job?.payload.codeId)
  const code = await fixture.codeFor(email)
  for (const text of [dump, await everything()]) {
    expect(text).not.toMatch(new RegExp(`(?<![0-9a-z.])${code}(?![0-9a-z])`))
  }
})

/** Returns every row of every table as text, with times cut, as their fractions also have six digits. */
async function everything(): Promise<string> {
  const tables = await query<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'graphile_worker')`)
  const rows = await Promise.all(
    tables.map(({ name }) =>
      fixture.gateway.deps.db.query<{ row: string }>({
        text: `select t::text as row from ${name} t`,
        values: [],
      }),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => row.replaceAll(/\d\d:\d\d:\d\d[.\d]*/g, ''))
    .join('\n')
}

test('limits mails per mailbox and day over all wallets; the next wallet gets an error', async () => {
  const spellings = ['victim@example.com', 'vic.tim@example.com', 'Victim+1@EXAMPLE.com']
  for (const email of spellings) {
    expect((await (await fixture.owner()).update({ email })).body.pendingEmail).toBe(email)
  }
  const late = await fixture.owner()
  const refused = await late.update({ username: 'Late', email: 'victim+2@example.com' })
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED'])
  expect(refused.body).toMatchObject({ message: expect.stringContaining('3 codes today') })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  const { username, pendingEmail, emailVerificationSendsRemaining } = await late.me()
  expect([username === 'Late', pendingEmail, emailVerificationSendsRemaining]).toEqual([false, null, 5])

  await fixture.startQueue()
  await until('the queue is empty', async () => (await waitingJobs()).length === 0)
  expect(spellings.map(email => fixture.mailsTo(email).length)).toEqual([1, 1, 1])

  // Another mailbox still gets mails today, and the same one again tomorrow.
  await late.update({ email: 'somebody@example.com' })
  await fixture.codeFor('somebody@example.com')
  fixture.gateway.advance(1_440 * MINUTE_MS)
  await late.update({ email: 'victim+2@example.com' })
  await fixture.codeFor('victim+2@example.com')
})

test('rejects a resend past the limit of an address, and keeps the previous code valid', async () => {
  const owner = await fixture.owner()
  await owner.update({ email })
  await owner.resend(email)
  await owner.resend(email)
  const refused = await owner.resend(email)
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED'])
  await fixture.startQueue()
  expect((await owner.verify(email, await fixture.codeFor(email))).status).toBe(200)
})

test('does not retry a mail that the server rejects permanently', async () => {
  await fixture.closeMailServer()
  let offers = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onRcptTo(_address, _session, done) {
      offers += 1
      done(Object.assign(new Error('No such mailbox.'), { responseCode: 550 }))
    },
  })
  const { SMTP_URL = '' } = fixture.gateway.deps.config
  await new Promise<void>(listening => server.listen(Number(new URL(SMTP_URL).port), '127.0.0.1', listening))
  await fixture.startQueue()
  await (await fixture.owner()).update({ email })
  await until('it was refused', async () => offers > 0 && (await waitingJobs()).length === 0)
  fixture.gateway.advance(MINUTE_MS)
  expect(await keepMails(fixture.gateway.deps)).toMatchObject({ requeued: 0 })
  expect(offers).toBe(1)
  await new Promise<void>(closed => server.close(closed))
  await fixture.openMailServer()
})
