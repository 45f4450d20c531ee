import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { post } from '../../../test/kit/network/http.ts'
import { sendJson } from '../../../test/kit/provider/provider.ts'
import { expectGenuine, type Receiver, startReceiver } from '../../../test/kit/provider/webhook-receiver.ts'
import { until } from '../../../test/kit/until.ts'
import { alertsOf, setAlerts, untilDecided, verifyEmail } from '../../../test/kit/world/alerts.ts'
import { type SoldService, sellService } from '../../../test/kit/world/sold-service.ts'
import { deposit, mint, ownerWith, type Person } from '../../../test/kit/world/world.ts'
import { type MailSink, startMailSink } from '../../dev/mail-sink.ts'
import { fireAlerts } from './fire-alerts.ts'
import { keepAlertMails } from './keep-mails.ts'
import { pruneAlerts } from './prune-alerts.ts'

let on: TestGateway
let sold: SoldService
let sink: MailSink
const receivers: Receiver[] = []

beforeAll(async () => {
  sink = await startMailSink()
  on = await startTestGateway({ env: { SMTP_URL: sink.url, MAIL_FROM: 'no-reply@farebox.example' } })
  sold = await sellService(on)
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
  for (const receiver of receivers) await receiver.stop()
  await sold.upstream.stop()
  await sink.stop()
})

/** Subscribes a wallet to some events. */
async function listen(who: Person, ...events: string[]) {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const { body } = await post<{ secret: string }>(on, '/webhooks', {
    token: who.token,
    body: { url: receiver.url, events },
  })
  return { ...receiver, secret: body.secret }
}

async function calls(credential: { token: string }, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await sold.call(credential)
}

async function failures(credential: { token: string }, count: number): Promise<void> {
  sold.upstream.respondWith((_, response) => sendJson(response, 404, {}))
  await calls(credential, count)
  sold.upstream.respondWith((_, response) => sendJson(response, 200, {}))
}

/** Waits until everything is decided; returns the alerts, oldest first, by what tells them apart. */
async function raised(owner: Person) {
  await untilDecided(on, on)
  return (await alertsOf(on, owner)).toReversed()
}

describe('a budget', () => {
  test('alerts at 80% and 100% of the credit, once each, by webhook and by email', async () => {
    const owner = await ownerWith(on, '5')
    await verifyEmail(on, owner, 'budget@example.com')
    const hook = await listen(owner, 'budget.reached')
    await setAlerts(on, owner, { budgetPercents: [80, 100], byEmail: true })
    const credential = await mint(on, owner, { name: 'Crawler <b>', creditLimit: 0.05 })
    await calls(credential, 3)
    expect(await raised(owner)).toEqual([])
    await calls(credential, 1)
    expect(await raised(owner)).toMatchObject([{ type: 'budget.reached', data: { percent: 80 } }])
    await calls(credential, 4)
    const alerts = await raised(owner)
    const common = { credentialId: credential.id, limit: 'credential_credit', creditLimit: '0.050000' }
    expect(alerts).toMatchObject([
      { isMailed: true, data: { ...common, percent: 80, spentUsdc: '0.040000' } },
      { isMailed: true, data: { ...common, percent: 100, spentUsdc: '0.050000' } },
    ])
    await until('both are delivered', () => hook.received.length === 2)
    for (const got of hook.received) expectGenuine(got, hook.secret)
    expect(hook.received.map(({ payload }) => payload.data).toSorted(byPercent)).toEqual(
      alerts.map(({ data }) => data),
    )
    await until('both are mailed', () => sink.mails('budget@example.com').length === 2)
    const mails = sink.mails('budget@example.com').toReversed()
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Farebox: Crawler <b> has used 80% of its credit',
      'Farebox: Crawler <b> has no credit left',
    ])
    expect(mails[0]?.html).toContain('Crawler &lt;b&gt; has used 80%')
    expect(mails[0]?.text).toContain('0.040000 of 0.050000 USDC spent.')
    expect(mails[0]?.text).toContain('/app/alerts')
  })

  test('of calls alerts when the last one is used, and again after the limit is raised', async () => {
    const owner = await ownerWith(on, '5')
    await setAlerts(on, owner, { budgetPercents: [100] })
    const credential = await mint(on, owner, { maxCalls: 2 })
    await calls(credential, 3)
    expect(await raised(owner)).toMatchObject([
      { isMailed: false, data: { limit: 'credential_calls', percent: 100, callsUsed: 2, maxCalls: 2 } },
    ])
    await on.sql('update credentials set max_calls = 3 where id = $1', [credential.id])
    await calls(credential, 2)
    expect(await raised(owner)).toMatchObject([{ data: { maxCalls: 2 } }, { data: { maxCalls: 3 } }])
  })

  test('counts as used up when a call is refused for want of credit', async () => {
    const owner = await ownerWith(on, '5')
    await setAlerts(on, owner, { budgetPercents: [100] })
    const credential = await mint(on, owner, { creditLimit: 0.025 })
    await calls(credential, 2)
    expect(await raised(owner)).toEqual([])
    await calls(credential, 2)
    await until('it is an alert', async () => (await alertsOf(on, owner)).length > 0)
    expect(await alertsOf(on, owner)).toMatchObject([{ data: { percent: 100, spentUsdc: '0.020000' } }])
  })

  test('does not alert to calls and refusals before it was watched', async () => {
    const owner = await ownerWith(on, '5')
    const [used, refused] = [
      await mint(on, owner, { creditLimit: 0.01 }),
      await mint(on, owner, { creditLimit: 0.015 }),
    ]
    for (const credential of [used, refused]) await calls(credential, 2)
    await until('the refusal is written', async () => {
      const rows = await on.sql('select 1 from call_refusals where credential_id = $1', [refused.id])
      return rows.length > 0
    })
    await listen(owner, 'budget.reached')
    // A later call is decided after both, so that their alerts would be listed.
    const later = await mint(on, owner, { maxCalls: 1 })
    await calls(later, 1)
    expect(await raised(owner)).toMatchObject([
      { data: { percent: 80, credentialId: later.id } },
      { data: { percent: 100, credentialId: later.id } },
    ])
    await calls(refused, 1)
    await until('the new refusal is an alert', async () => (await alertsOf(on, owner)).length > 2)
    expect((await alertsOf(on, owner))[0]).toMatchObject({ data: { percent: 100, credentialId: refused.id } })
  })
})

describe('a balance', () => {
  test("alerts each time it falls below the owner's threshold, not for every call below it", async () => {
    const owner = await ownerWith(on, '2.015')
    const credential = await mint(on, owner)
    await setAlerts(on, owner, { balanceBelowUsdc: '2' })
    await calls(credential, 3)
    expect(await raised(owner)).toMatchObject([
      { type: 'balance.low', data: { balanceUsdc: '1.995000', thresholdUsdc: '2.000000' } },
    ])
    await deposit(on, owner, '0.02')
    await calls(credential, 2)
    expect(await raised(owner)).toMatchObject([
      { data: { balanceUsdc: '1.995000' } },
      { data: { balanceUsdc: '1.995000' } },
    ])
  })

  test('already below a new threshold does not alert until it has been above', async () => {
    const owner = await ownerWith(on, '2')
    const credential = await mint(on, owner)
    await setAlerts(on, owner, { balanceBelowUsdc: '1' })
    await calls(credential, 1)
    expect(await raised(owner)).toEqual([])
    await setAlerts(on, owner, { balanceBelowUsdc: null })
    await calls(credential, 1)
    expect(await raised(owner)).toEqual([])
    await setAlerts(on, owner, { balanceBelowUsdc: '1.985' })
    await calls(credential, 1)
    expect(await raised(owner)).toEqual([])
    await deposit(on, owner, '0.02')
    await calls(credential, 1)
    expect(await raised(owner)).toMatchObject([
      { data: { balanceUsdc: '1.980000', thresholdUsdc: '1.985000' } },
    ])
  })
})

describe('a failure rate', () => {
  test('alerts above the limit from the minimum number of calls, and again only after a return within it', async () => {
    const owner = await ownerWith(on, '2')
    const credential = await mint(on, owner)
    await setAlerts(on, owner, { failureRate: { percent: 50, minCalls: 4 } })
    // Calls of more than an hour ago, which all succeeded, count for nothing.
    await on.sql("insert into alert_calls values ($1, now() - interval '61 minutes', 1000, 0)", [
      owner.account.address.toLowerCase(),
    ])
    await failures(credential, 3)
    expect(await raised(owner)).toEqual([])
    await failures(credential, 2)
    expect(await raised(owner)).toMatchObject([
      { type: 'failure_rate.high', data: { percent: 50, minCalls: 4 } },
    ])
    await failures(credential, 1)
    expect(await raised(owner)).toHaveLength(1)
    await calls(credential, 6)
    expect(await raised(owner)).toHaveLength(1)
    await failures(credential, 1)
    expect(await raised(owner)).toMatchObject([{}, { data: { calls: 13, failures: 7 } }])
  })
})

describe('alert delivery', () => {
  test('uses only the list when webhook and email are off', async () => {
    const owner = await ownerWith(on, '1')
    await verifyEmail(on, owner, 'off@example.com')
    const hook = await listen(owner, 'balance.low', 'invocation.failed')
    await setAlerts(on, owner, { byEmail: false, byWebhook: false })
    const credential = await mint(on, owner)
    await failures(credential, 1)
    await calls(credential, 1)
    expect(await raised(owner)).toMatchObject([{ type: 'balance.low', isMailed: false }])
    await until('the other event is delivered', () => hook.received.length > 0)
    expect(hook.received.map(({ payload }) => payload.type)).toEqual(['invocation.failed'])
    expect(sink.mails('off@example.com')).toEqual([])
  })

  test('mails no wallet that opted out, and at most 24 mails a day', async () => {
    const owner = await ownerWith(on, '1')
    await verifyEmail(on, owner, 'much@example.com')
    await setAlerts(on, owner, { balanceBelowUsdc: '1' })
    const wallet = owner.account.address.toLowerCase()
    await on.sql(
      "insert into alert_mails (id, owner, is_done) select 'aml_' || n, $1, true from generate_series(1, 24) n",
      [wallet],
    )
    const credential = await mint(on, owner)
    await calls(credential, 1)
    expect(await raised(owner)).toMatchObject([{ isMailed: false }])
    await on.sql('delete from alert_mails where owner = $1', [wallet])
    await on.sql('update profiles set notifications = false where wallet = $1', [wallet])
    await setAlerts(on, owner, { balanceBelowUsdc: '0.99' })
    await calls(credential, 1)
    expect(await raised(owner)).toMatchObject([{ isMailed: false }, { isMailed: false }])
  })

  test('retries a mail that a crashed gateway did not send, unless it is a day old', async () => {
    const owner = await ownerWith(on, '1')
    const wallet = owner.account.address.toLowerCase()
    await verifyEmail(on, owner, 'late@example.com')
    const mail = (id: string, age: string) =>
      on.sql(
        'insert into alert_mails (id, owner, created_at, queued_at) values ($1, $2, now() - $3::interval, now() - $3::interval)',
        [id, wallet, age],
      )
    await mail('aml_late', '2 minutes')
    await mail('aml_old', '25 hours')
    for (const id of ['aml_late', 'aml_old'])
      await on.sql(
        'insert into alerts (owner, id, type, data, is_lasting, mail_id) values ($1, \'alrt_\' || $2, \'failure_rate.high\', \'{"calls":9,"failures":9,"percent":5,"minCalls":1}\', false, $2)',
        [wallet, id],
      )
    await keepAlertMails(on.gateway.deps)
    await until('it is mailed', () => sink.mails('late@example.com').length > 0)
    await until('both are done', async () => {
      const waiting = await on.sql('select 1 from alert_mails where owner = $1 and not is_done', [wallet])
      return waiting.length === 0
    })
    expect(sink.mails('late@example.com').map(({ id }) => id)).toEqual(['aml_late@farebox.example'])
  })
})

test('old alerts are deleted after 90 days, except those that must not be raised again', async () => {
  const owner = await ownerWith(on, '1')
  const wallet = owner.account.address.toLowerCase()
  for (const [id, isLasting, days] of [
    ['alrt_1', false, 91],
    ['alrt_2', true, 91],
    ['alrt_3', false, 89],
  ])
    await on.sql(
      'insert into alerts (owner, id, type, data, is_lasting, fired_at) values ($1, $2, \'failure_rate.high\', \'{"calls":9,"failures":9,"percent":5,"minCalls":1}\', $3, now() - make_interval(days => $4))',
      [wallet, id, isLasting, days],
    )
  await on.sql("insert into alert_calls values ($1, now() - interval '3 hours', 1, 1)", [wallet])
  await pruneAlerts(on.gateway.deps, new AbortController().signal)
  expect((await alertsOf(on, owner)).map(({ id }) => id)).toEqual(['alrt_3', 'alrt_2'])
  expect(await on.sql('select 1 from alert_calls where owner = $1', [wallet])).toEqual([])
})

test('the log is not read while no alert is set', async () => {
  const rows = await on.sql<{ owner: string }>('select owner from alert_settings')
  expect(rows.length).toBeGreaterThan(0)
  await on.sql('delete from alert_settings')
  const owner = await ownerWith(on, '1')
  const credential = await mint(on, owner)
  await on.sql('update alert_cursor set positions = array_fill(0::bigint, array[16])')
  const statements: string[] = []
  const db = on.gateway.deps.rawDb
  const counting = {
    ...db,
    transaction: <T>(work: (tx: never) => Promise<T>) =>
      db.transaction(tx =>
        work({
          ...tx,
          query: (query: Parameters<typeof tx.query>[0]) => {
            statements.push(query.text)
            return tx.query(query)
          },
        } as never),
      ),
  }
  await calls(credential, 1)
  await fireAlerts({ ...on.gateway.deps, db: counting as typeof db }, new AbortController().signal)
  expect(statements.filter(text => text.includes('ledger_log'))).toEqual([])
  await untilDecided(on, on)
})

const byPercent = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  Number(one.percent) - Number(other.percent)
