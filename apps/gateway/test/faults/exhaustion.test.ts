import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agedWindow } from '../kit/database/rate-window.ts'
import { untilBlocked } from '../kit/database/until-blocked.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Answer, get, post, send } from '../kit/network/http.ts'
import { sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { newPayer } from '../kit/world/payer.ts'
import { newWallet } from '../kit/world/wallets.ts'
import { arrive, countStatuses, invoke, register } from '../kit/world/world.ts'

const PRICE_USDC = '0.001000'
const SLOW_SECONDS = '2'
/** Sockets that a slow client opens. */
const SOCKETS = 50
const CHALLENGES = 20
const DATABASE_CONNECTIONS = 3

let gateway: TestGateway
let upstream: TestProvider
let service: string

beforeAll(async () => {
  gateway = await startTestGateway({
    env: {
      HEADERS_TIMEOUT_SECONDS: SLOW_SECONDS,
      REQUEST_TIMEOUT_SECONDS: '4',
      DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS),
    },
  })
  upstream = await startProvider()
  service = await register(gateway, await arrive(gateway), {
    targets: [upstream.url],
    priceUsdc: PRICE_USDC,
  })
})
afterAll(async () => {
  await gateway.assertBooks()
  await upstream.stop()
  await gateway.stop()
})

const call = (on: { url: string }, credential: { token: string }) =>
  invoke(on, credential, { serviceId: service, costUsdc: PRICE_USDC, payload: { body: { q: 1 } } })

/** Opens sockets that send this many bytes; each resolves with its answer when it is closed. */
function openSockets(text: string): { sockets: Socket[]; closed: Promise<string[]> } {
  const { hostname, port } = new URL(gateway.url)
  const sockets = Array.from({ length: SOCKETS }, () =>
    connect(Number(port), hostname)
      .setEncoding('utf8')
      .on('error', () => undefined),
  )
  const closed = sockets.map(async socket => {
    let reported = ''
    socket.on('data', (chunk: string) => {
      reported += chunk
    })
    if (text !== '') socket.write(text)
    await once(socket, 'close')
    return reported
  })
  return { sockets, closed: Promise.all(closed) }
}

describe('failure 71: a slow client', () => {
  test.for([
    ['with the head', 'POST /api/v1/auth/verify HTTP/1.1\r\nhost: x\r\nx-slow: '],
    [
      'with the body',
      'POST /api/v1/auth/verify HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"addr',
    ],
    ['by saying nothing', ''],
  ])('%s is cut off, while others are served', async ([, text = '']) => {
    const { closed } = openSockets(text)
    expect((await send(gateway.url, '/health')).status).toBe(200)
    const reported = await closed
    for (const answer of reported) {
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('"code":"INVALID_REQUEST"')
    }
    expect((await send(gateway.url, '/health')).status).toBe(200)
  })
})

test('failure 72: a compressed body is refused without unpacking it', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, ' '))
  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'zstd', 'gzip, gzip']) {
    const answer = await fetch(`${gateway.url}/api/v1/auth/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: bomb,
    })
    expect([encoding, answer.status, await answer.json()]).toMatchObject([
      encoding,
      415,
      { code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringContaining('without Content-Encoding') },
    ])
  }
})

test('failure 72: a compressed answer of a provider is refused without unpacking it, and costs nothing', async () => {
  const { owner, ...credential } = await newPayer(gateway, '1')
  upstream.respondWith((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(gzipSync(Buffer.alloc(64 * 1_048_576, ' ')))
  })
  const answer = await call(gateway, credential)
  upstream.respondWith((_, response) => sendJson(response, 200, { done: true }))
  expect([answer.status, answer.body.code, answer.body.detail.reason]).toEqual([
    502,
    'UPSTREAM_ERROR',
    'encoding',
  ])
  const balance = await get(gateway, '/balance', { token: owner.token })
  expect(balance.body).toMatchObject({ consumer_available_balance: '1.000000' })
})

test('failure 73: a flood of challenges is limited, stores only admitted rows, and those expire', async () => {
  const flooded = await startTestGateway({
    share: gateway,
    env: { CHALLENGES_PER_MINUTE: String(CHALLENGES) },
  })
  try {
    const before = await countChallenges()
    const answers = await Promise.all(
      Array.from({ length: 400 }, () =>
        send(flooded.url, `/api/v1/auth/challenge?address=${newWallet().address}`),
      ),
    )
    const { 200: admitted = 0, 429: refused = 0 } = countStatuses(answers)
    expect(admitted + refused).toBe(400)
    // Requests that arrive during the flood may be admitted too.
    expect(admitted).toBeGreaterThanOrEqual(CHALLENGES)
    expect(admitted).toBeLessThan(2 * CHALLENGES)
    expect((await countChallenges()) - before).toBeLessThanOrEqual(admitted)
    const refusal = answers.find(({ status }) => status === 429) as Answer
    expect(refusal.body).toMatchObject({ code: 'RATE_LIMITED' })
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
    expect((await send(flooded.url, '/health')).status).toBe(200)
  } finally {
    await flooded.stop()
  }
})

async function countChallenges(): Promise<number> {
  const [row] = await gateway.sql<{ count: number }>('select count(*)::int as count from challenges')
  return row?.count ?? 0
}

test('failure 74: with every database connection in use, others are asked to retry, and nothing is held', async () => {
  const { owner, ...credential } = await newPayer(gateway, '1')
  const locker = new pg.Client({ connectionString: gateway.database.url })
  await locker.connect()
  try {
    await locker.query('begin; lock table wallets in access exclusive mode')
    const stuck = Array.from({ length: DATABASE_CONNECTIONS }, () =>
      get(gateway, '/auth/me', { token: owner.token }),
    )
    // The gateway's own jobs may be first; every waiter holds a connection.
    await untilBlocked(gateway, DATABASE_CONNECTIONS)
    const refused = await Promise.all([
      get(gateway, '/balance', { token: owner.token }),
      post(gateway, '/credentials/agent/issue', { token: owner.token, body: { name: 'more' } }),
      call(gateway, credential),
    ])
    for (const { status, headers, body } of refused) {
      expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await send(gateway.url, '/health')).status).toBe(200)
    await locker.query('rollback')
    for (const answer of await Promise.all(stuck)) expect([200, 503]).toContain(answer.status)
  } finally {
    await locker.end()
  }
  const balance = await get(gateway, '/balance', { token: owner.token })
  expect(balance.body).toMatchObject({ consumer_held_balance: '0.000000' })
  expect((await call(gateway, credential)).status).toBe(200)
})

test('a credential for 6 calls a minute gets no seventh until the first is a minute old, at either gateway', async () => {
  const { owner: _, ...credential } = await newPayer(gateway, '1', { rpm: 6 })
  const other = await startTestGateway({ share: gateway })
  const statuses = async () => {
    const answers: number[] = []
    for (const on of [gateway, other, gateway, other, gateway, other, gateway, other]) {
      answers.push((await call(on, credential)).status)
    }
    return answers
  }
  const age = async (seconds: number) => {
    const { text, values } = sql`
      update credentials set rate_window = ${agedWindow(seconds)} where id = ${credential.id}`
    await gateway.sql(text, values)
  }
  const refused = Array<number>(8).fill(429)
  try {
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    await age(30)
    expect(await statuses()).toEqual(refused)
    await age(30)
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
  } finally {
    await other.stop()
  }
})
