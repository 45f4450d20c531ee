import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Pair, startPair } from '../../../test/kit/gateway/gateway-pair.ts'
import type { TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { type Answer, get, post, send } from '../../../test/kit/network/http.ts'
import { holdAnswers } from '../../../test/kit/provider/hold-answers.ts'
import { sendJson } from '../../../test/kit/provider/provider.ts'
import { until } from '../../../test/kit/until.ts'
import { PRICE_USDC } from '../../../test/kit/world/sold-service.ts'
import { newWallet, signIn } from '../../../test/kit/world/wallets.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../../../test/kit/world/world.ts'

const admin = newWallet()
const otherAdmin = newWallet()
const CALLERS = 16

let pair: Pair
let boss: string

beforeAll(async () => {
  pair = await startPair({ ADMIN_WALLETS: `${admin.address}, ${otherAdmin.address}` })
  boss = await signIn(pair.one.url, admin)
})
afterAll(() => pair.stop())
beforeEach(() => pair.upstream.respondWith((_, response) => sendJson(response, 200, { done: true })))
afterEach(() => pair.one.assertBooks())

type Act = {
  readonly service: Record<string, unknown>
  readonly wallet: Record<string, unknown>
  readonly code: string
  readonly message: string
}
const act = (path: string, body?: unknown, token = boss, on: TestGateway = pair.one) =>
  post<Act>(on, `/admin/${path}`, { token, ...(body === undefined ? {} : { body }) })
const demand = async (path: string, body?: unknown) => {
  const answer = await act(path, body)
  expect(answer).toMatchObject({ status: 200, body: { status: 'success' } })
  return answer.body
}
const refusal = ({ status, body }: Answer<{ code?: unknown }>) => [status, body.code]
const walletOf = (person: Person) => person.account.address
const audit = async (query: string) => {
  const { status, body } = await get<{ entries: Record<string, unknown>[]; nextCursor: string | null }>(
    pair.two,
    `/admin/audit-log?${query}`,
    { token: boss },
  )
  expect(status).toBe(200)
  return body
}
const ask = (
  person: { token: string },
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
) =>
  send(pair.two.url, `/api/v1${path}`, {
    method,
    token: person.token,
    ...(body === undefined ? {} : { body }),
  })
/** Registers a service of its own for a test. */
const offer = async (manifest: Record<string, unknown> = {}) => {
  const provider = await arrive(pair.one)
  const service = await register(pair.one, provider, {
    targets: [pair.upstream.url],
    priceUsdc: PRICE_USDC,
    manifest,
  })
  return { provider, service }
}
const call = (on: TestGateway, agent: { token: string }, serviceId: string, extra: object = {}) =>
  invoke(on, agent, { serviceId, costUsdc: PRICE_USDC, payload: { body: { q: 1 } }, ...extra })

/** Calls both gateways continuously until stopped, and records each answer with the start time of its call. */
function storm(agents: readonly { token: string }[], serviceId: string) {
  const answers: { begunAt: number; status: number; code: string }[] = []
  let isOver = false
  const caller = async (turn: number) => {
    const agent = agents[turn % agents.length]
    if (agent === undefined) throw new Error('There is no agent.')
    while (!isOver) {
      const begunAt = performance.now()
      const { status, body } = await call(pair.gateway(turn), agent, serviceId)
      answers.push({ begunAt, status, code: body.code })
    }
  }
  const running = Promise.all(Array.from({ length: CALLERS }, (_, turn) => caller(turn)))
  return {
    answers,
    async end() {
      isOver = true
      await running
    },
  }
}

describe('a suspended service', () => {
  test('is not called any more from the answer on, through either gateway, while 16 callers call on', async () => {
    const { service } = await offer()
    const owner = await ownerWith(pair.one, '50')
    const agents = [await mint(pair.one, owner), await mint(pair.two, await ownerWith(pair.two, '50'))]
    const running = storm(agents, service)
    await until(
      'calls are answered',
      () => running.answers.filter(({ status }) => status === 200).length > 50,
    )
    await demand(`services/${service}/suspend`, { reason: 'abuse' })
    const suspendedAt = performance.now()
    const [{ now } = { now: '' }] = await pair.one.sql<{ now: string }>(
      'select clock_timestamp()::text as now',
    )
    const seen = running.answers.length
    await until('calls go on', () => running.answers.length > seen + 100)
    await running.end()
    const after = running.answers.filter(({ begunAt }) => begunAt > suspendedAt)
    expect(after.length).toBeGreaterThan(50)
    expect(new Set(after.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['404 SERVICE_NOT_FOUND']),
    )
    // Includes calls that began earlier: their holds were committed before the suspension returned.
    const late = await pair.one.sql(
      'select 1 from invocations where service_id = $1 and drawn_at > $2::timestamptz',
      [service, now],
    )
    expect(late).toEqual([])
  }, 30_000)

  test('a call that was priced before is refused as not found, not for its price or its payload', async () => {
    const { provider, service } = await offer({
      invoke: {
        method: 'POST',
        targets: [{ url: pair.upstream.url }],
        request: { body: { type: 'object', required: ['q'] } },
      },
    })
    const agent = await mint(pair.one, await ownerWith(pair.one, '1'))
    for (const on of [pair.one, pair.two]) expect((await call(on, agent, service)).status).toBe(200)
    await ask(provider, 'PUT', `/services/${service}`, { pricing: { amount: '0.02' } })
    await demand(`services/${service}/suspend`)
    for (const on of [pair.one, pair.two]) {
      expect(refusal(await call(on, agent, service))).toEqual([404, 'SERVICE_NOT_FOUND'])
      expect(refusal(await call(on, agent, service, { costUsdc: '0.5' }))).toEqual([404, 'SERVICE_NOT_FOUND'])
      const malformed = await call(on, agent, service, { payload: { body: {} } })
      expect(refusal(malformed)).toEqual([404, 'SERVICE_NOT_FOUND'])
    }
  })

  test('calls in flight end normally, and are paid', async () => {
    const { service } = await offer()
    const agent = await mint(pair.one, await ownerWith(pair.one, '5'))
    const held = holdAnswers(pair.upstream)
    const calls = Array.from({ length: 50 }, (_, turn) => call(pair.gateway(turn), agent, service))
    await until('all have reached the provider', () => held.waiting() === 50)
    await demand(`services/${service}/suspend`, { reason: 'abuse' })
    expect(refusal(await call(pair.two, agent, service))).toEqual([404, 'SERVICE_NOT_FOUND'])
    held.release()
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.chargedUsdc}`))).toEqual(
      new Set([`200 ${PRICE_USDC}`]),
    )
  })

  test('is found nowhere, cannot be changed by its owner, and is not probed; resumed, it is back', async () => {
    const { provider, service } = await offer()
    const body = await demand(`services/${service}/suspend`)
    expect(body.service).toMatchObject({
      serviceId: service,
      status: 'suspended',
      isActive: true,
      ownerAddress: walletOf(provider),
      suspendedAt: expect.stringMatching(/Z$/),
    })
    for (const [method, path, change] of [
      ['PUT', '', { summary: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/ping', undefined],
    ] as const) {
      const answer = await ask(provider, method, `/services/${service}${path}`, change)
      expect(refusal(answer)).toEqual([403, 'SERVICE_SUSPENDED'])
    }
    const shown = await ask(provider, 'GET', `/services/${service}`)
    expect(shown.body.service).toMatchObject({ status: 'suspended', runtimeAvailable: false })
    expect((await get(pair.one, `/services/${service}`)).status).toBe(404)
    const found = await get(pair.two, '/services/discover?limit=100')
    expect(JSON.stringify(found.body)).not.toContain(service)
    const never = await pair.one.sql(
      `select 1 from service_targets where service_id = $1 and next_probe_at = 'infinity'`,
      [service],
    )
    expect(never).toHaveLength(1)

    const back = await demand(`services/${service}/resume`)
    expect(back.service).toMatchObject({ status: 'active', suspendedAt: null })
    const agent = await mint(pair.one, await ownerWith(pair.one, '1'))
    for (const on of [pair.one, pair.two]) expect((await call(on, agent, service)).status).toBe(200)
    expect((await ask(provider, 'PUT', `/services/${service}`, { summary: 'x' })).status).toBe(200)
  })

  test('tells its owner the reason, until it is resumed', async () => {
    const { provider, service } = await offer()
    const read = async () =>
      (await get<{ service: object }>(pair.two, `/services/${service}`, { token: provider.token })).body
    expect(await read()).toMatchObject({ service: { suspension: null } })
    await demand(`services/${service}/suspend`, { reason: 'Other answers than are paid for.' })
    expect(await read()).toMatchObject({
      service: {
        suspension: { reason: 'Other answers than are paid for.', suspendedAt: expect.any(String) },
      },
    })
    await demand(`services/${service}/resume`)
    expect(await read()).toMatchObject({ service: { suspension: null } })
  })

  test('again changes nothing and is audited; by its name too', async () => {
    const { service } = await offer({ agentToolName: 'twice-suspended' })
    const first = await demand('services/twice-suspended/suspend', { reason: 'one' })
    const second = await demand(`services/${service}/suspend`, { reason: 'two' })
    expect(second).toEqual(first)
    const { entries } = await audit(`target=${service}&action=service.suspend`)
    expect(entries).toMatchObject([
      { reason: 'two', before: first.service, after: first.service, actor: admin.address },
      { reason: 'one', before: { status: 'active', suspendedAt: null }, after: first.service },
    ])
    await demand(`services/${service}/resume`)
    expect((await demand(`services/${service}/resume`)).service).toMatchObject({ status: 'active' })
  })

  test('SERVICE_NOT_FOUND for an unknown service, SERVICE_ALREADY_DELETED for a deleted one', async () => {
    const { provider, service } = await offer()
    await ask(provider, 'PUT', `/services/${service}`, { isActive: false })
    await ask(provider, 'DELETE', `/services/${service}`)
    for (const how of ['suspend', 'resume']) {
      expect(refusal(await act(`services/svc_nothing/${how}`))).toEqual([404, 'SERVICE_NOT_FOUND'])
      expect(refusal(await act(`services/%00/${how}`))).toEqual([404, 'SERVICE_NOT_FOUND'])
      expect(refusal(await act(`services/${service}/${how}`))).toEqual([410, 'SERVICE_ALREADY_DELETED'])
      const malformed = await act(`services/${service}/${how}`, { reason: '' })
      expect(refusal(malformed)).toEqual([400, 'INVALID_PAYLOAD'])
    }
  })
})

describe('a suspended wallet', () => {
  test('spends nothing from the answer on, through either gateway, while its agents call on', async () => {
    const { service } = await offer()
    const owner = await ownerWith(pair.one, '50')
    const agents = [await mint(pair.one, owner), await mint(pair.two, owner)]
    const running = storm(agents, service)
    await until(
      'calls are answered',
      () => running.answers.filter(({ status }) => status === 200).length > 50,
    )
    await demand(`wallets/${walletOf(owner).toLowerCase()}/suspend`, { reason: 'stolen' })
    const suspendedAt = performance.now()
    const [{ now } = { now: '' }] = await pair.one.sql<{ now: string }>(
      'select clock_timestamp()::text as now',
    )
    const seen = running.answers.length
    await until('calls go on', () => running.answers.length > seen + 100)
    await running.end()
    const after = running.answers.filter(({ begunAt }) => begunAt > suspendedAt)
    expect(new Set(after.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['403 WALLET_SUSPENDED']),
    )
    const late = await pair.one.sql(
      'select 1 from invocations where owner = $1 and drawn_at > $2::timestamptz',
      [walletOf(owner).toLowerCase(), now],
    )
    expect(late).toEqual([])

    await demand(`wallets/${walletOf(owner)}/resume`)
    for (const [turn, agent] of agents.entries()) {
      expect((await call(pair.gateway(turn), agent, service)).status).toBe(200)
    }
  }, 30_000)

  test('its calls in flight end normally; new requests are refused', async () => {
    const { service } = await offer()
    const owner = await ownerWith(pair.one, '5')
    const agent = await mint(pair.one, owner)
    const held = holdAnswers(pair.upstream)
    const running = call(pair.one, agent, service, { idempotencyKey: 'k' })
    await until('it has reached the provider', () => held.waiting() === 1)
    await demand(`wallets/${walletOf(owner)}/suspend`)
    held.release()
    expect(await running).toMatchObject({ status: 200, body: { chargedUsdc: PRICE_USDC } })
    for (const on of [pair.one, pair.two]) {
      const again = await call(on, agent, service, { idempotencyKey: 'k' })
      expect(refusal(again)).toEqual([403, 'WALLET_SUSPENDED'])
    }
    await demand(`wallets/${walletOf(owner)}/resume`)
    const replayed = await call(pair.two, agent, service, { idempotencyKey: 'k' })
    expect(replayed).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
  })

  test('as a provider: its services are not called, its secrets and sessions refused, no withdrawal opened', async () => {
    const { provider, service } = await offer()
    const issued = await ask(provider, 'POST', '/secrets/provider/issue', { name: 'server' })
    const { secretKey } = issued.body.secret as { secretKey: string }
    const agent = await mint(pair.one, await ownerWith(pair.one, '50'))
    const running = storm([agent], service)
    await until(
      'calls are answered',
      () => running.answers.filter(({ status }) => status === 200).length > 20,
    )
    await demand(`wallets/${walletOf(provider)}/suspend`, { reason: 'fraud' })
    const suspendedAt = performance.now()
    const seen = running.answers.length
    await until('calls go on', () => running.answers.length > seen + 60)
    await running.end()
    const after = running.answers.filter(({ begunAt }) => begunAt > suspendedAt)
    expect(new Set(after.map(({ code }) => code))).toEqual(new Set(['SERVICE_NOT_FOUND']))

    expect(refusal(await ask(provider, 'GET', '/auth/me'))).toEqual([403, 'WALLET_SUSPENDED'])
    const withSecret = await ask({ token: secretKey }, 'GET', '/provider/services')
    expect(refusal(withSecret)).toEqual([403, 'WALLET_SUSPENDED'])
    const withdrawal = await send(pair.one.url, '/api/v1/providers/withdrawals/intent', {
      method: 'POST',
      token: provider.token,
      headers: { 'x-idempotency-key': 'w' },
      body: { amountUsdc: '0.01' },
    })
    expect(refusal(withdrawal)).toEqual([403, 'WALLET_SUSPENDED'])
    expect((await get(pair.one, '/services/discover?limit=100')).body).not.toContainEqual(
      expect.objectContaining({ serviceId: service }),
    )
    // A new session does not help.
    const again = await signIn(pair.two.url, provider.account)
    expect(refusal(await ask({ token: again }, 'GET', '/services'))).toEqual([403, 'WALLET_SUSPENDED'])

    await demand(`wallets/${walletOf(provider)}/resume`)
    expect((await ask({ token: secretKey }, 'GET', '/provider/services')).status).toBe(200)
    expect((await call(pair.two, agent, service)).status).toBe(200)
  }, 30_000)

  test.each([
    ['services', ''],
    ['market/services', ''],
    ['market/services', '/health'],
  ])(
    'as a provider: its service is unknown to others at /%s/:id%s; resumed, it is back',
    async (path, rest) => {
      const { provider, service } = await offer()
      const read = async () => (await get(pair.two, `/${path}/${service}${rest}`)).status
      await demand(`wallets/${walletOf(provider)}/suspend`)
      expect(await read()).toBe(404)
      await demand(`wallets/${walletOf(provider)}/resume`)
      expect(await read()).toBe(200)
    },
  )

  test('opens no withdrawal that was admitted just before', async () => {
    const { provider, service } = await offer()
    const agent = await mint(pair.one, await ownerWith(pair.one, '1'))
    expect((await call(pair.one, agent, service)).status).toBe(200)
    const wallet = walletOf(provider).toLowerCase()
    const { asked } = await pair.one.gateway.deps.db.transaction(async tx => {
      await tx.query(sql`select 1 from wallets where address = ${wallet} for update`)
      const intent = send(pair.two.url, '/api/v1/providers/withdrawals/intent', {
        method: 'POST',
        token: provider.token,
        headers: { 'x-idempotency-key': 'w' },
        body: { amountUsdc: PRICE_USDC },
      })
      await until('it is past the guard', async () => {
        const waiting = await pair.one.sql(
          `select 1 from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%for share%'`,
        )
        return waiting.length > 0
      })
      await tx.query(sql`update wallets set suspended_at = now() where address = ${wallet}`)
      return { asked: intent }
    })
    expect(refusal(await asked)).toEqual([403, 'WALLET_SUSPENDED'])
    expect(await pair.one.sql('select 1 from withdrawals where wallet = $1', [wallet])).toEqual([])
  })

  test('can be suspended before its first sign-in, and resumed', async () => {
    const stranger = newWallet()
    const body = await demand(`wallets/${stranger.address}/suspend`, { reason: 'sanctions' })
    expect(body.wallet).toMatchObject({ walletAddress: stranger.address, isProvider: false })
    const token = await signIn(pair.one.url, stranger)
    expect(refusal(await ask({ token }, 'GET', '/auth/me'))).toEqual([403, 'WALLET_SUSPENDED'])
    const { entries } = await audit(`target=${stranger.address}`)
    expect(entries).toMatchObject([{ action: 'wallet.suspend', before: null, target: stranger.address }])
    await demand(`wallets/${stranger.address}/resume`)
    expect((await ask({ token }, 'GET', '/auth/me')).status).toBe(200)
  })

  test('again changes nothing and is audited', async () => {
    const owner = await arrive(pair.one)
    const first = await demand(`wallets/${walletOf(owner)}/suspend`, { reason: 'one' })
    expect(await demand(`wallets/${walletOf(owner)}/suspend`, { reason: 'two' })).toEqual(first)
    const { entries } = await audit(`target=${walletOf(owner).toLowerCase()}`)
    expect(entries.map(({ reason }) => reason)).toEqual(['two', 'one'])
  })

  test('is never an admin, not even oneself; INVALID_ADDRESS for a malformed address, NOT_FOUND for resuming a stranger', async () => {
    for (const { address } of [admin, otherAdmin]) {
      const answer = await act(`wallets/${address.toLowerCase()}/suspend`)
      expect(refusal(answer)).toEqual([403, 'FORBIDDEN'])
    }
    for (const how of ['suspend', 'resume']) {
      expect(refusal(await act(`wallets/0x12/${how}`))).toEqual([400, 'INVALID_ADDRESS'])
      const { address } = newWallet()
      expect(refusal(await act(`wallets/${address}/${how}`, { reason: 'a\u0000' }))).toEqual([
        400,
        'INVALID_PAYLOAD',
      ])
    }
    expect(refusal(await act(`wallets/${newWallet().address}/resume`))).toEqual([404, 'NOT_FOUND'])
  })
})

test('only admins suspend, resume, reconcile or read the audit log', async () => {
  const { provider, service } = await offer()
  const paths = ['suspend', 'resume'].flatMap(how => [
    `services/${service}/${how}`,
    `wallets/${walletOf(provider)}/${how}`,
  ])
  for (const path of [...paths, 'reconcile']) {
    expect(refusal(await act(path, {}, provider.token))).toEqual([403, 'FORBIDDEN'])
    expect(refusal(await act(path, {}, 'nobody'))).toEqual([401, 'UNAUTHORIZED'])
  }
  expect((await call(pair.one, await mint(pair.one, await ownerWith(pair.one, '1')), service)).status).toBe(
    200,
  )
})

describe('POST /admin/reconcile', () => {
  test('checks the books now, returns the findings, and is audited', async () => {
    const { status, body } = await act('reconcile', { reason: 'monthly' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      consistent: true,
      findings: [],
      findingsCount: 0,
      ledgerSumUsdc: '0.000000',
    })
    await pair.one.sql(`update accounts set posted = posted + 1 where id = 'fees'`)
    const broken = await act('reconcile')
    await pair.one.sql(`update accounts set posted = posted - 1 where id = 'fees'`)
    expect(broken.body).toMatchObject({
      consistent: false,
      findingsCount: 1,
      findings: [{ check: 'posted-is-the-sum-of-entries', row: 'fees' }],
    })
    expect((await audit('action=books.reconcile')).entries).toMatchObject([
      { target: 'books', reason: null, after: { consistent: false, findings: 1 } },
      { target: 'books', reason: 'monthly', before: null, after: { consistent: true, findings: 0 } },
    ])
  })

  test('RATE_LIMITED past ten in a minute', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => act('reconcile', {}, boss, pair.two)))
    expect(answers.map(({ status }) => status).filter(status => status === 429)).toHaveLength(2)
    expect(answers.find(({ status }) => status === 429)?.body.code).toBe('RATE_LIMITED')
  })
})

test('filters the audit log by actor, action and target, alone and combined, in pages', async () => {
  const { service } = await offer()
  const other = await signIn(pair.one.url, otherAdmin)
  for (const token of [boss, other, boss]) await act(`services/${service}/suspend`, undefined, token)
  await act(`services/${service}/resume`, undefined, other)
  const of = async (query: string) => (await audit(query)).entries.map(({ action, actor }) => [action, actor])
  const [suspend, resume] = ['service.suspend', 'service.resume']
  expect(await of(`target=${service}`)).toEqual([
    [resume, otherAdmin.address],
    [suspend, admin.address],
    [suspend, otherAdmin.address],
    [suspend, admin.address],
  ])
  expect(await of(`target=${service}&actor=${otherAdmin.address.toLowerCase()}&action=${suspend}`)).toEqual([
    [suspend, otherAdmin.address],
  ])
  expect(await of(`actor=${newWallet().address}`)).toEqual([])
  const first = await audit(`target=${service}&limit=3`)
  const second = await audit(`target=${service}&limit=3&cursor=${first.nextCursor}`)
  expect([first.entries.length, second.entries.length, second.nextCursor]).toEqual([3, 1, null])
  for (const query of ['actor=0x1', 'action=DROP', 'cursor=!', 'limit=x', `target=${'x'.repeat(200)}`]) {
    const answer = await get(pair.one, `/admin/audit-log?${query}`, { token: boss })
    expect(refusal(answer)).toEqual([400, 'INVALID_REQUEST'])
  }
})

test('lists the suspensions that are in force, however many were lifted since, each once', async () => {
  const inForce = async () => {
    const query = '/admin/audit-log?inForce=true&limit=100'
    const { body } = await get<{ entries: { target: string; reason: string | null }[] }>(pair.one, query, {
      token: boss,
    })
    return body.entries.map(({ target, reason }) => [target, reason])
  }
  const before = await inForce()
  const [lifted, kept] = [newWallet().address, newWallet().address]
  await demand(`wallets/${lifted}/suspend`, { reason: 'A mistake.' })
  for (const reason of ['Reported.', 'Reported again.']) await demand(`wallets/${kept}/suspend`, { reason })
  await demand(`wallets/${lifted}/resume`)
  expect(await inForce()).toEqual([[kept, 'Reported again.'], ...before])
  await demand(`wallets/${kept}/resume`)
  expect(await inForce()).toEqual(before)
})
