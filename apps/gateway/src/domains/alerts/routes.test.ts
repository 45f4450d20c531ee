import type { AlertSettings, ShownAlert } from '@farebox/wire/alerts'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PartialGateway, startPartialGateway } from '../../../test/kit/gateway/partial-gateway.ts'
import { refusal, send } from '../../../test/kit/network/http.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { alertRoutes } from './routes.ts'

const SETTINGS = '/alerts/settings'

let on: PartialGateway
let owner: Member

beforeAll(async () => {
  const routes = (app: App, deps: Deps) => {
    alertRoutes(app, deps)
    webhookRoutes(app, deps)
  }
  on = await startPartialGateway({
    routes,
    env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@farebox.example' },
  })
})
afterAll(() => on.stop())
beforeEach(async () => {
  owner = await on.member()
})

type Answer = { settings: AlertSettings; message: string }
const change = (body: unknown) => owner.ask<Answer>('PATCH', SETTINGS, body)
const settings = async () => (await owner.ask<Answer>('GET', SETTINGS)).body.settings
const profile = (email: string, notifications = true) =>
  on.run(sql`
    insert into profiles (wallet, email, notifications) values (${owner.wallet}, ${email}, ${notifications})
    on conflict (wallet) do update set notifications = excluded.notifications`)

describe('settings', () => {
  const off = { budgetPercents: [], balanceBelowUsdc: null, failureRate: null }

  test('are off until they are set, and keep what a change leaves out', async () => {
    const ways = { byEmail: true, byWebhook: true, emailStatus: 'no_address' }
    expect(await settings()).toEqual({ ...off, ...ways, updatedAt: null })
    const changed = await change({ budgetPercents: [100, 80], balanceBelowUsdc: '2.5' })
    expect(changed).toMatchObject({ status: 200, body: { status: 'success' } })
    const first = { budgetPercents: [80, 100], balanceBelowUsdc: '2.500000', failureRate: null, ...ways }
    expect(changed.body.settings).toEqual({ ...first, updatedAt: expect.any(String) })
    await change({ failureRate: { percent: 20, minCalls: 50 }, byEmail: false })
    const second = { ...first, failureRate: { percent: 20, minCalls: 50 }, byEmail: false }
    expect(await settings()).toMatchObject(second)
    await change({ balanceBelowUsdc: null, failureRate: null, budgetPercents: [], byWebhook: false })
    expect(await settings()).toMatchObject({ ...off, byEmail: false, byWebhook: false })
  })

  test('name why no mail is sent', async () => {
    await profile('ada@example.com')
    expect(await settings()).toMatchObject({ emailStatus: 'ready' })
    await profile('ada@example.com', false)
    expect(await settings()).toMatchObject({ emailStatus: 'off_in_profile' })
  })

  test.each([
    ['nothing', {}, 'Must change at least one member.'],
    ['no body', undefined, ''],
    ['another percent', { budgetPercents: [90] }, 'budgetPercents.0: Must be one of 80, 100.'],
    ['too many percents', { budgetPercents: [80, 100, 80] }, 'budgetPercents'],
    ['a threshold of 0', { balanceBelowUsdc: '0' }, 'balanceBelowUsdc: Must be more than 0'],
    ['a threshold that is no amount', { balanceBelowUsdc: '1e3' }, 'balanceBelowUsdc'],
    ['a percent of 0', { failureRate: { percent: 0, minCalls: 1 } }, 'failureRate.percent'],
    ['a percent above 100', { failureRate: { percent: 101, minCalls: 1 } }, 'failureRate.percent'],
    ['half a rate', { failureRate: { percent: 50 } }, 'failureRate.minCalls'],
    ['too many calls', { failureRate: { percent: 5, minCalls: 1_000_001 } }, 'failureRate.minCalls'],
    ['no boolean', { byEmail: 'yes' }, 'byEmail'],
  ])('reject %s and stay unchanged', async (_, body, message) => {
    const answer = await change(body)
    expect(answer).toMatchObject(refusal('INVALID_PAYLOAD', 400))
    expect(answer.body.message).toContain(message)
    expect(await settings()).toMatchObject({ updatedAt: null })
  })

  test('reject an unknown member by name', async () => {
    const answer = await change({ budgetPercent: [80] })
    expect(answer).toMatchObject(refusal('INVALID_REQUEST', 400))
    expect(answer.body.message).toContain('budgetPercents')
  })

  test('are turned on by a webhook that subscribes to an alert, without mail', async () => {
    const url = 'https://example.com/hook'
    const hook = await owner.ask<{ webhook: { id: string } }>('POST', '/webhooks', {
      url,
      events: ['balance.low', 'deposit.credited'],
    })
    expect(await settings()).toMatchObject({ ...off, balanceBelowUsdc: '1.000000', byEmail: false })
    await change({ balanceBelowUsdc: '7' })
    const events = ['balance.low', 'budget.reached', 'failure_rate.high']
    await owner.ask('PATCH', `/webhooks/${hook.body.webhook.id}`, { events })
    const on = { budgetPercents: [80, 100], failureRate: { percent: 50, minCalls: 20 } }
    expect(await settings()).toMatchObject({ ...on, balanceBelowUsdc: '7.000000' })
  })
})

describe('the list', () => {
  const store = (id: string, of = owner) =>
    on.run(sql`
      insert into alerts (owner, id, type, data, is_lasting)
      values (${of.wallet}, ${id}, 'failure_rate.high', '{"calls":9,"failures":8,"percent":5,"minCalls":1}', false)`)

  test("shows this owner's alerts only, newest first, in pages", async () => {
    const other = await on.member()
    await store('alrt_9', other)
    for (const id of ['alrt_1', 'alrt_2', 'alrt_3']) await store(id)
    type Page = { alerts: ShownAlert[]; nextCursor: string | null }
    const { body: first } = await owner.ask<Page>('GET', '/alerts?limit=2')
    expect(first.alerts.map(({ id }) => id)).toEqual(['alrt_3', 'alrt_2'])
    expect(first.alerts[0]).toEqual({
      id: 'alrt_3',
      type: 'failure_rate.high',
      firedAt: expect.any(String),
      isMailed: false,
      data: { walletAddress: owner.address, calls: 9, failures: 8, percent: 5, minCalls: 1 },
    })
    const { body: second } = await owner.ask<Page>('GET', `/alerts?limit=2&cursor=${first.nextCursor}`)
    expect(second.alerts.map(({ id }) => id)).toEqual(['alrt_1'])
    expect(second.nextCursor).toBeNull()
  })

  test('rejects an invalid cursor', async () => {
    expect(await owner.ask('GET', '/alerts?cursor=%22')).toMatchObject(refusal('INVALID_REQUEST', 400))
    expect(await owner.ask('GET', '/alerts?limit=many')).toMatchObject(refusal('INVALID_REQUEST', 400))
  })
})

test.each([
  ['GET', '/alerts', undefined],
  ['GET', SETTINGS, undefined],
  ['PATCH', SETTINGS, { byEmail: true }],
] as const)('%s %s needs a session, of a wallet that is not suspended', async (method, path, body) => {
  const sent = { method, ...(body !== undefined && { body }) }
  expect(await send(on.url, `/api/v1${path}`, sent)).toMatchObject(refusal('UNAUTHORIZED', 401))
  await on.deps.db.query(sql`update wallets set suspended_at = now() where address = ${owner.wallet}`)
  const answer = await send(on.url, `/api/v1${path}`, { ...sent, token: owner.token })
  expect(answer).toMatchObject(refusal('WALLET_SUSPENDED', 403))
})

test('a change must be valid JSON within the size limit', async () => {
  const ask = async (body: string, type: string) => {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': type }
    const answer = await fetch(`${on.url}/api/v1${SETTINGS}`, { method: 'PATCH', headers, body })
    return { status: answer.status, body: (await answer.json()) as object }
  }
  expect(await ask('{"a":', 'application/json')).toMatchObject(refusal('INVALID_REQUEST', 400))
  expect(await ask('a=1', 'text/plain')).toMatchObject(refusal('UNSUPPORTED_MEDIA_TYPE', 415))
  const large = JSON.stringify({ a: 'a'.repeat(1_100_000) })
  expect(await ask(large, 'application/json')).toMatchObject(refusal('PAYLOAD_TOO_LARGE', 413))
})
