import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMailSink } from '../../src/dev/mail-sink.ts'
import { lockRows } from '../kit/database/row-locks.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { post } from '../kit/network/http.ts'
import { startReceiver } from '../kit/provider/webhook-receiver.ts'
import { until } from '../kit/until.ts'
import { alertsOf, setAlerts, untilDecided, verifyEmail } from '../kit/world/alerts.ts'
import { type Fixture, startFixture } from './fixture.ts'

let fixture: Fixture
const sink = await startMailSink()
const receiver = await startReceiver()

beforeAll(async () => {
  fixture = await startFixture({ SMTP_URL: sink.url, MAIL_FROM: 'no-reply@farebox.example' })
})
afterAll(async () => {
  await fixture.stop()
  await Promise.all([receiver.stop(), sink.stop()])
})

test('SIGKILL during and after raising an alert: it is raised, delivered and mailed once', async () => {
  const { on } = fixture
  const payer = await fixture.payer()
  const wallet = payer.owner.account.address.toLowerCase()
  await verifyEmail(on, payer.owner, 'ada@example.com')
  await post(on, '/webhooks', {
    token: payer.owner.token,
    body: { url: receiver.url, events: ['balance.low'] },
  })
  await setAlerts(on, payer.owner, { balanceBelowUsdc: '1', byEmail: true })
  await untilDecided(on)
  // The alert and its mail are stored, its announcement waits, and the cursor is not moved yet.
  const lock = await lockRows(on.database.url, 'select 1 from webhooks where owner = $1 for update', [wallet])
  expect((await fixture.call(payer, 'falls')).status).toBe(200)
  await untilBlocked(on, 1)
  await on.kill9()
  await lock.release()
  await on.restart()
  await untilDecided(on)
  expect(await alertsOf(on, payer.owner)).toMatchObject([{ type: 'balance.low', isMailed: true }])
  await until('it is delivered', () => receiver.received.length === 1)
  await until('it is mailed', () => sink.mails('ada@example.com').length === 1)
  await on.kill9()
  await on.restart()
  expect((await fixture.call(payer, 'stays below')).status).toBe(200)
  await untilDecided(on)
  expect(await alertsOf(on, payer.owner)).toHaveLength(1)
  expect(receiver.received).toHaveLength(1)
  expect(sink.mails('ada@example.com')).toHaveLength(1)
  await on.assertBooks()
})
