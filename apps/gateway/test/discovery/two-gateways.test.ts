import { isDeepStrictEqual } from 'node:util'
import { parseUsdc } from '@farebox/money'
import type { RegistryAnswer, SearchAnswer } from '@farebox/wire/discovery'
import type { ServiceSummary } from '@farebox/wire/services'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { flushTally } from '../../src/domains/invocation/records/flush-tally.ts'
import { createVouchers } from '../../src/domains/vouchers/create-vouchers.ts'
import { redeemVoucher } from '../../src/domains/vouchers/redeem-voucher.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { post, send } from '../kit/network/http.ts'
import { callTool, connectMcp } from '../kit/network/mcp-client.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../kit/world/world.ts'

const QUOTA = 40
/** Longer than a call to the others takes on a machine that is busy with other tests. */
const SLOW_MS = 2_000
/** Sessions of one are good at the other. */
const settings = {
  PROBE_INTERVAL_SECONDS: '0.3',
  JWT_SECRET: 'a secret of two gateways, of more than 32 characters',
}

let one: TestGateway
let other: TestGateway
let both: readonly TestGateway[]
let provider: Person
let owner: Person
let credential: { token: string }
let server: TestProvider

beforeAll(async () => {
  one = await startTestGateway({ env: settings })
  other = await startTestGateway({ share: one, env: settings })
  both = [one, other]
  server = await startProvider()
  ;[provider, owner] = await Promise.all([arrive(one), ownerWith(one, '20')])
  credential = await mint(one, owner)
})
afterAll(async () => {
  await one.assertBooks()
  await server.stop()
  await other.stop()
  await one.stop()
})

const offer = (serviceName: string, targets = [server.url], by = provider) =>
  register(one, by, { targets, priceUsdc: '0.01', manifest: { serviceName } })

/** Ids that each surface of a gateway finds by a text. */
async function found(on: TestGateway, text: string): Promise<string[][]> {
  const q = encodeURIComponent(text)
  const [discovered, listed, searched] = await Promise.all([
    send<ServiceSummary[]>(on.url, `/api/v1/services/discover?limit=100&search_query=${q}`),
    send<RegistryAnswer>(on.url, `/marketplace/registry.json?pageSize=100&q=${q}`),
    post<SearchAnswer>(on, '/agent/discovery/search', {
      headers: { 'x-credential': credential.token },
      body: { query: text, pageSize: 100 },
    }),
  ])
  const idsOf = (services: readonly ServiceSummary[]) => services.map(({ serviceId }) => serviceId)
  return [idsOf(discovered.body), idsOf(listed.body.services), idsOf(searched.body.results)]
}

async function expectFound(text: string, ids: readonly string[]): Promise<void> {
  for (const on of both) expect(await found(on, text)).toEqual([ids, ids, ids])
}

describe('through any gateway', () => {
  test('a service is found from the next request after its registration until its removal', async () => {
    await expectFound('ephemeral', [])
    const id = await offer('Ephemeral')
    await expectFound('ephemeral', [id])
    const change = async (body: object) => {
      const path = `/api/v1/services/${id}`
      expect((await send(other.url, path, { method: 'PUT', token: provider.token, body })).status).toBe(200)
    }
    for (let round = 0; round < 5; round += 1) {
      await change({ isActive: false })
      await expectFound('ephemeral', [])
      await change({ isActive: true })
      await expectFound('ephemeral', [id])
    }
    await change({ isActive: false })
    await send(one.url, `/api/v1/services/${id}`, { method: 'DELETE', token: provider.token })
    await expectFound('ephemeral', [])
  })

  test('a suspended service is not found, nor are those of a suspended wallet', async () => {
    const [id, theirs] = [await offer('Suspendable'), await arrive(one)]
    const another = await offer('Suspendable', [server.url], theirs)
    await expectFound('suspendable', [another, id])
    await one.sql('update services set suspended_at = now() where id = $1', [id])
    await expectFound('suspendable', [another])
    const wallet = theirs.account.address.toLowerCase()
    await one.sql('update wallets set suspended_at = now() where address = $1', [wallet])
    await expectFound('suspendable', [])
    await one.sql('update wallets set suspended_at = null where address = $1', [wallet])
    await one.sql('update services set suspended_at = null where id = $1', [id])
    await expectFound('suspendable', [another, id])
  })

  test('an unhealthy service disappears as soon as its last healthy target is known to be down', async () => {
    const [first, second] = await Promise.all([startProvider(), startProvider()])
    const id = await offer('Fragile', [first.url, second.url])
    await until('both are healthy', async () => (await healthy(id)) === 2)
    await expectFound('fragile', [id])
    await first.stop()
    await until('one is gone', async () => (await healthy(id)) === 1)
    await expectFound('fragile', [id])
    await second.stop()
    await until('both are gone', async () => (await healthy(id)) === 0)
    await expectFound('fragile', [])
  })

  test('every acknowledged service is found under concurrent searches and registrations', async () => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `Stampede ${'abcdefghijkl'[index]}${'abcdefghijkl'[index]}${index}`,
    )
    await Promise.all(
      names.map(async serviceName => {
        const id = await offer(serviceName)
        for (const on of both) expect((await found(on, 'stampede')).every(ids => ids.includes(id))).toBe(true)
      }),
    )
  })
})

const healthy = async (id: string) => {
  const rows = await one.sql('select from service_targets where service_id = $1 and is_healthy', [id])
  return rows.length
}

describe('ranking by paid calls', () => {
  test('ranks failing and slow services last, in every sort order', async () => {
    const names = ['good', 'slow', 'bad', 'blamed']
    const price = { bad: '0.01', blamed: '0.01', good: '0.03', slow: '0.02' } as Record<string, string>
    const ids: Record<string, string> = {}
    for (const name of names) {
      const target = `${server.url}?is=${name}`
      ids[name] = await register(one, provider, {
        targets: [target],
        priceUsdc: price[name] ?? '',
        manifest: { serviceName: 'Ranked thing', agentToolName: name },
      })
    }
    server.respondWith(async ({ url, body }, response) => {
      if (url.includes('slow')) await new Promise(done => setTimeout(done, SLOW_MS))
      if (url.includes('bad') && JSON.parse(body).call % 2 === 0) return sendJson(response, 500, {})
      if (url.includes('blamed')) return sendJson(response, 422, {})
      return sendJson(response, 200, {})
    })
    const order = async (sort?: string, on = one) => {
      const { body } = await post<SearchAnswer>(on, '/agent/discovery/search', {
        headers: { 'x-credential': credential.token },
        body: { query: 'ranked thing', sort },
      })
      return body.results
    }
    const toolNames = async (sort?: string, on = one) =>
      (await order(sort, on)).map(({ agentToolName }) => agentToolName)
    // Nothing is known yet: the newest first.
    expect(await toolNames()).toEqual(['blamed', 'bad', 'slow', 'good'])

    for (const name of names) {
      const call = (number: number) =>
        invoke(number < 5 ? one : other, credential, {
          serviceId: name,
          costUsdc: price[name],
          payload: { body: { call: number } },
        })
      await Promise.all(Array.from({ length: 10 }, (_, number) => call(number)))
    }
    await until('the calls are known', async () => {
      const rows = await one.sql<{ calls: number }>('select sum(good + bad)::int as calls from service_calls')
      return rows[0]?.calls === 30
    })
    // A caller who sends what the provider must refuse says nothing about the provider.
    const expected = ['good', 'slow', 'blamed', 'bad']
    for (const on of both)
      await until('the order is new', async () =>
        isDeepStrictEqual(await toolNames('best_match', on), expected),
      )
    expect((await toolNames('fastest')).slice(2)).toEqual(['slow', 'blamed'])
    expect((await toolNames('highest_reliability')).slice(2)).toEqual(['bad', 'blamed'])
    expect(await toolNames('lowest_price')).toEqual(['blamed', 'bad', 'slow', 'good'])
    const reported = Object.fromEntries((await order()).map(service => [service.agentToolName, service]))
    expect(reported.good).toMatchObject({ successRate: 1, latencyMs: expect.any(Number) })
    expect(reported.slow?.latencyMs).toBeGreaterThanOrEqual(SLOW_MS - 5)
    expect(reported.bad?.successRate).toBe(0.5)
    expect(reported.blamed).toMatchObject({ successRate: null, latencyMs: null })
    const narrowed = async (filter: object) => {
      const body = { query: 'ranked thing', ...filter }
      const headers = { 'x-credential': credential.token }
      const answer = await post<SearchAnswer>(one, '/agent/discovery/search', { headers, body })
      return answer.body.results.map(({ agentToolName }) => agentToolName).toSorted()
    }
    expect(await narrowed({ minSuccessRate: 0.9 })).toEqual(['good', 'slow'])
    expect(await narrowed({ maxLatencyMs: SLOW_MS - 5, minSuccessRate: 0.1 })).toEqual(['bad', 'good'])
  })

  test('ignores free, voucher-paid and cheaper calls, and discards the rating when the price rises', async () => {
    const rise = async (id: string, amount: string) => {
      const body = { pricing: { currency: 'USDC', amount } }
      const sent = { method: 'PUT', token: provider.token, body } as const
      expect((await send(one.url, `/api/v1/services/${id}`, sent)).status).toBe(200)
    }
    const shown = async () => {
      const { body } = await post<SearchAnswer>(one, '/agent/discovery/search', {
        headers: { 'x-credential': credential.token },
        body: { query: 'bought fame' },
      })
      return body.results[0]?.successRate
    }
    const call = async (by: { token: string }, costUsdc: string) => {
      const body = { serviceId: id, costUsdc, payload: { body: {} } }
      for (let number = 0; number < 12; number += 1) {
        expect((await invoke(one, by, body)).status).toBe(200)
      }
    }
    const counted = (calls: number) =>
      until('the calls are counted', async () => {
        const [row] = await one.sql<{ good: number }>(
          'select good::int from service_calls where service_id = $1',
          [id],
        )
        return row?.good === calls
      })
    server.respondWith((_, response) => sendJson(response, 200, {}))
    const manifest = { serviceName: 'Bought fame' }
    const id = await register(one, provider, { targets: [server.url], priceUsdc: '0', manifest })
    await call(credential, '0')
    await counted(12)
    expect(await shown()).toBeNull()

    await rise(id, '0.000001')
    const guest = await arrive(one)
    const { deps } = one.gateway
    const { body: made } = await createVouchers(
      deps,
      {
        amount: parseUsdc('1'),
        count: 1,
        redemptionsMax: 1,
        createdBy: owner.account.address.toLowerCase(),
        idempotencyKey: null,
        expiresAt: new Date(Date.now() + 86_400_000),
      },
      async () => undefined,
    )
    const voucherCode = made.vouchers[0]?.voucherCode ?? ''
    const wallet = guest.account.address.toLowerCase()
    await redeemVoucher(deps, { wallet, voucherCode, idempotencyKey: null })
    await call(await mint(one, guest), '0.000001')
    await counted(24)
    expect(await shown()).toBeNull()

    await call(credential, '0.000001')
    await counted(36)
    await until('it is rated', async () => (await shown()) === 1)

    await rise(id, '9.5')
    await until('it is rated no more', async () => (await shown()) === null)
  })

  test('ignores calls of one’s own services, and keeps the counts of a stopped gateway', async () => {
    const self = await ownerWith(one, '1')
    const id = await register(one, self, {
      targets: [server.url],
      priceUsdc: '0.01',
      manifest: { serviceName: 'Own' },
    })
    server.respondWith((_, response) => sendJson(response, 200, {}))
    const call = (by: { token: string }, on: TestGateway) =>
      invoke(on, by, { serviceId: id, costUsdc: '0.01', payload: { body: {} } })
    const third = await startTestGateway({ share: one })
    expect((await call(await mint(one, self), third)).status).toBe(200)
    expect((await call(credential, third)).status).toBe(200)
    await third.stop()
    expect(
      await one.sql('select good::int, bad::int from service_calls where service_id = $1', [id]),
    ).toEqual([{ good: 1, bad: 0 }])
  })
})

test('limits searches and lookups per client, and those of a credential across all APIs', async () => {
  const limited = await startTestGateway({ share: one, env: { SEARCHES_PER_MINUTE: String(QUOTA) } })
  const refusal = {
    status: 429,
    body: { code: 'RATE_LIMITED', detail: { retryAfterSeconds: expect.any(Number) } },
  }
  const drain = async (ask: () => ReturnType<typeof send>) => {
    const answers = await Promise.all(Array.from({ length: QUOTA + 3 }, ask))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(QUOTA + 1)
    expect(answers.find(({ status }) => status !== 200)).toMatchObject(refusal)
    expect(answers.at(-1)?.headers).toMatchObject({
      'ratelimit-policy': expect.stringContaining(`q=${QUOTA};w=60`),
      ratelimit: expect.stringContaining('r=0'),
      'retry-after': expect.any(String),
    })
  }
  await drain(() => send(limited.url, '/api/v1/services/discover'))
  await drain(() => send(limited.url, '/marketplace/registry.json'))
  const mine = await mint(one, owner)
  const headers = { 'x-credential': mine.token }
  await drain(() => post(limited, '/agent/discovery/search', { headers, body: {} }))
  const client: Client = await connectMcp(limited, mine)
  expect(await callTool(client, 'farebox_search', { query: 'echo' })).toMatchObject({
    isError: true,
    structuredContent: { code: 'RATE_LIMITED' },
  })
  await client.close()
  await limited.stop()
})

test('farebox_search ranks and tolerates typos like the search of the interface', async () => {
  await offer('Zebra crossing')
  const client = await connectMcp(one, credential)
  const { structuredContent } = await callTool(client, 'farebox_search', { query: 'zebre crosing' })
  expect(structuredContent).toMatchObject({ services: [{ tool: 'zebra-crossing' }], hasMore: false })
  await client.close()
})

test('keeps a tally that could not be stored', async () => {
  const counts = [{ serviceId: 'svc_x', good: 1, bad: 0, latencyMs: 5, outputTokens: 0, ratedAs: null }]
  const kept: unknown[] = []
  const tally = {
    record: () => undefined,
    take: () => counts,
    putBack: (calls: unknown) => void kept.push(calls),
  }
  const db = {
    query: () => Promise.reject(new Error('away')),
    transaction: () => Promise.reject(new Error('away')),
  }
  await expect(flushTally({ db, tally })).rejects.toThrow('away')
  expect(kept).toEqual([counts])
})
