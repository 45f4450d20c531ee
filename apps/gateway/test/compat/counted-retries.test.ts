import { connect, createServer, type Server, type Socket } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { until } from '../kit/until.ts'
import { type ModelFixture, startModelFixture } from './model-fixture.ts'

const OPENAI = 'counted-openai'
const ANTHROPIC = 'counted-anthropic'
const messages = [{ role: 'user' as const, content: 'Tell me of the sea.' }]
const KEYS = { JWT_SECRET: 'a'.repeat(64), ENCRYPTION_KEY: 'b'.repeat(64) }

let scene: ModelFixture
let other: TestGateway
let cutter: Awaited<ReturnType<typeof startCutter>>
let credential: { token: string; id: string }

beforeAll(async () => {
  scene = await startModelFixture({ env: KEYS })
  other = await startTestGateway({ env: KEYS, share: scene.on })
  cutter = await startCutter(scene.on.url)
  await scene.offer(OPENAI, '/v1/chat/completions')
  await scene.offer(ANTHROPIC, '/v1/messages', { llmDialect: 'anthropic' })
})
beforeEach(async () => {
  credential = await scene.credential()
  scene.provider.bend({})
})
afterEach(() => scene.assertCharges())
afterAll(async () => {
  await cutter.stop()
  await other.stop()
  await scene.stop()
})

/** Stands before a gateway and cuts connections as soon as an answer comes, which then is lost. */
async function startCutter(gateway: string) {
  const { port } = new URL(gateway)
  let cuts = 0
  const open = new Set<Socket>()
  const server: Server = createServer(caller => {
    const upstream = connect(Number(port), '127.0.0.1')
    const end = () => {
      caller.destroy()
      upstream.destroy()
    }
    for (const socket of [caller, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
      socket.on('close', () => open.delete(socket))
    }
    caller.pipe(upstream)
    upstream.on('data', piece => {
      if (cuts === 0) return void caller.write(piece)
      cuts -= 1
      end()
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** Cuts so many answers. */
    cut: (count: number) => {
      cuts = count
    },
    stop: () =>
      new Promise<void>(done => {
        server.close(() => done())
        for (const socket of open) socket.destroy()
      }),
  }
}

type Asked = { baseURL?: string; timeout?: number; maxRetries?: number }
const openai = ({ baseURL = scene.on.url, ...options }: Asked) =>
  new OpenAI({ apiKey: credential.token, baseURL: `${baseURL}/v1`, ...options })

/** The official clients, each with a question: whole, and as a stream of which the text is collected. */
const clients = [
  {
    name: 'openai',
    ask: async (options: Asked, more: Record<string, unknown> = {}) =>
      (await openai(options).chat.completions.create({ model: OPENAI, messages, ...more })).id,
    stream: async (options: Asked) => {
      let text = ''
      const body = { model: OPENAI, messages, stream: true } as const
      for await (const { choices } of await openai(options).chat.completions.create(body)) {
        text += choices[0]?.delta.content ?? ''
      }
      return text
    },
  },
  {
    name: 'anthropic',
    ask: async ({ baseURL = scene.on.url, ...options }: Asked, more: Record<string, unknown> = {}) => {
      const client = new Anthropic({ apiKey: credential.token, baseURL, ...options })
      return (await client.messages.create({ model: ANTHROPIC, max_tokens: 50, messages, ...more })).id
    },
    stream: async ({ baseURL = scene.on.url, ...options }: Asked) => {
      const client = new Anthropic({ apiKey: credential.token, baseURL, ...options })
      return client.messages.stream({ model: ANTHROPIC, max_tokens: 50, messages }).finalText()
    },
  },
]

type Booked = { id: string; status: string; charged: string }
async function booked(): Promise<Booked[]> {
  const rows = () =>
    scene.on.sql<Booked>(
      'select id, status, charged from invocations where credential_id = $1 order by drawn_at, id',
      [credential.id],
    )
  await until('every call is over', async () => (await rows()).every(({ status }) => status !== 'PENDING'))
  return rows()
}

/** The same request as a client sends it, with a count. */
function post(
  count: number,
  on = scene.on.url,
  more: Record<string, unknown> = {},
  path = 'chat/completions',
) {
  return fetch(`${on}/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential.token}`,
      'content-type': 'application/json',
      'x-stainless-retry-count': String(count),
    },
    body: JSON.stringify({ model: OPENAI, messages, ...more }),
  })
}

describe.each(clients)('$name without an idempotency key', ({ ask, stream }) => {
  test('is charged once when its timeout is shorter than the call', async () => {
    scene.provider.bend({ firstTokenDelayMs: 1_500 })
    expect(await ask({ timeout: 400, maxRetries: 9 })).toEqual(expect.any(String))
    expect(await booked()).toMatchObject([{ status: 'SUCCEEDED' }])
  })

  test('is charged once when its connection is cut as the answer arrives', async () => {
    cutter.cut(2)
    const id = await ask({ baseURL: cutter.url, maxRetries: 3 })
    expect(await booked()).toMatchObject([{ status: 'SUCCEEDED' }])
    expect(id).toEqual(expect.any(String))
  })

  test('is charged once for a stream that was cut before its head, and receives all of it', async () => {
    scene.provider.bend({ reply: 'The sea is wide and old.' })
    cutter.cut(1)
    expect(await stream({ baseURL: cutter.url, maxRetries: 2 })).toContain('wide and old')
    expect(await booked()).toMatchObject([{ status: 'SUCCEEDED' }])
  })

  test('is called again after a failure, and charged once', async () => {
    let calls = 0
    scene.provider.bend(() => (++calls === 1 ? { status: 503, headers: { 'retry-after-ms': '1' } } : {}))
    await ask({ maxRetries: 2 })
    expect(await booked()).toMatchObject([{ status: 'FAILED_RETRYABLE' }, { status: 'SUCCEEDED' }])
  })

  test('is charged once when the call fails after its timeout and then succeeds', async () => {
    let calls = 0
    scene.provider.bend(() => (++calls === 1 ? { firstTokenDelayMs: 1_000, status: 503 } : {}))
    await ask({ timeout: 400, maxRetries: 9 })
    const paid = (await booked()).filter(({ charged }) => charged !== '0')
    expect(paid).toHaveLength(1)
  })

  test('is charged for each of several equal parallel requests, and for none twice', async () => {
    const questions = 4
    cutter.cut(questions)
    await Promise.all(Array.from({ length: questions }, () => ask({ baseURL: cutter.url, maxRetries: 3 })))
    expect((await booked()).filter(({ charged }) => charged !== '0')).toHaveLength(questions)
  })

  test('is called for each of several equal sequential requests', async () => {
    const ids = [await ask({}), await ask({})]
    expect(new Set(ids).size).toBe(2)
    expect(await booked()).toHaveLength(2)
  })
})

describe('a counted retry', () => {
  /** What the log holds; it grows as a request is counted. */
  const countLog = async () => (await scene.on.sql('select 1 from ledger_log')).length

  test('is answered by any gateway', async () => {
    const first = await (await post(0)).text()
    const again = await post(1, other.url)
    expect(await again.text()).toBe(first)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await booked()).toHaveLength(1)
  })

  test('waits for a call that runs on another gateway', async () => {
    scene.provider.bend({ stallBeforeHead: true })
    const first = post(0)
    await until('the provider is asked', () => scene.provider.inFlight > 0)
    const before = await countLog()
    const again = post(1, other.url)
    await until('the retry is counted', async () => (await countLog()) > before)
    scene.provider.release()
    expect(await (await again).text()).toBe(await (await first).text())
    expect(await booked()).toHaveLength(1)
  })

  test('of a call that fails while it waits is called again', async () => {
    let calls = 0
    scene.provider.bend(() => (++calls === 1 ? { stallBeforeHead: true, status: 503 } : {}))
    const first = post(0)
    await until('the provider is asked', () => scene.provider.inFlight > 0)
    const before = await countLog()
    const again = post(1)
    await until('the retry is counted', async () => (await countLog()) > before)
    scene.provider.release()
    expect([(await first).status, (await again).status]).toEqual([502, 200])
    expect(await booked()).toMatchObject([{ status: 'FAILED_RETRYABLE' }, { status: 'SUCCEEDED' }])
  })

  test('is a new call for another credential, body or path, and after a minute', async () => {
    await post(0)
    await post(1, scene.on.url, { seed: 7 })
    expect(await booked()).toHaveLength(2)
    const mine = credential
    credential = await scene.credential()
    await post(1)
    expect(await booked()).toHaveLength(1)
    credential = mine
    const ids = (await booked()).map(({ id }) => id)
    const age = (seconds: number) =>
      scene.on.sql(
        `update invocations set finished_at = finished_at - make_interval(secs => $2) where id = any($1)`,
        [ids, seconds],
      )
    await age(61)
    const late = await post(1)
    await age(-61)
    expect(late.headers.get('idempotent-replayed')).toBeNull()
    expect(await booked()).toHaveLength(3)
  })

  test('replays the answer after an earlier retry was refused', async () => {
    credential = await scene.credential({ rpm: 1 })
    const first = await (await post(0)).text()
    expect((await post(1)).status).toBe(429)
    await scene.on.sql(`update credentials set rpm = 100 where id = $1`, [credential.id])
    expect(await (await post(2)).text()).toBe(first)
    expect(await booked()).toHaveLength(1)
  })

  test('of a refused request is called, even if an equal request was answered', async () => {
    credential = await scene.credential({ rpm: 1 })
    const first = await (await post(0)).json()
    expect((await post(0)).status).toBe(429)
    await scene.on.sql(`update credentials set rpm = 100 where id = $1`, [credential.id])
    const again = await post(1)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    expect(await again.json()).not.toEqual(first)
  })
})
