import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Listening, listen } from '../../../apps/gateway/test/kit/network/loopback.ts'
import type { LoadJob } from './messages.ts'
import { type LoadWorker, startLoad } from './workers.ts'

type Asked = { readonly payload: { readonly body: { readonly number: number } } }

/** A provider that sheds every third call at `/sheds`, and counts its calls. */
const makeServer = () => {
  const seen = { calls: 0 }
  const server = createServer(async (request, response) => {
    const { number } = ((await json(request)) as Asked).payload.body
    seen.calls += 1
    if (request.url === '/sheds' && number % 3 === 2) response.writeHead(503, { 'retry-after': '1' })
    response.end(JSON.stringify({ number }))
  })
  return { server, seen }
}
const [one, other] = [makeServer(), makeServer()]
let [first, second]: Listening[] = []
let load: LoadWorker
let job: LoadJob

beforeAll(async () => {
  ;[first, second] = await Promise.all([listen(one.server), listen(other.server)])
  load = startLoad()
  const target = { owner: 0, service: 0, serviceId: 'svc', credential: 'agt' }
  job = {
    origin: first?.origin ?? '',
    path: '/call',
    isPaid: false,
    targets: [target, target],
    price: '0.000100',
    keyPrefix: 'test',
    warmupSeconds: 0.1,
    seconds: 0.3,
    callers: 8,
  }
})
beforeEach(() => {
  one.seen.calls = 0
  other.seen.calls = 0
})
afterAll(async () => {
  await load.stop()
  await Promise.all([first?.stop(), second?.stop()])
})

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

test('a closed loop calls until its time is over, and distinguishes good answers from sheds', async () => {
  const good = await load.run(job)
  expect(good).toMatchObject({ errors: 0, shedPerSecond: 0 })
  expect(good.perSecond).toBeGreaterThan(0)
  expect(sum(good.goodByTarget)).toBe(one.seen.calls)
  const shed = await load.run({ ...job, path: '/sheds', warmupSeconds: 0 })
  expect(shed.errors).toBe(0)
  expect(shed.shedPerSecond).toBeGreaterThan(0)
})

test('routes calls by the partition of their target, or by their connection', async () => {
  const [target] = job.targets
  if (target === undefined) throw new Error('The job has no targets.')
  const targets = [2, 4, 5].map(partition => ({ ...target, partition }))
  const spread = { ...job, moreOrigins: [second?.origin ?? ''], targets }
  const byPartition = await load.run({ ...spread, isByPartition: true })
  expect(byPartition.errors).toBe(0)
  expect(byPartition.goodByTarget[0]).toBeGreaterThan(0)
  expect(other.seen.calls).toBe(byPartition.goodByTarget[2])

  other.seen.calls = 0
  const { goodByTarget } = await load.run(spread)
  expect(other.seen.calls).toBeGreaterThan(0)
  expect(other.seen.calls).toBeLessThan(sum(goodByTarget))
})

test('repeats calls with known keys', async () => {
  const result = await load.run({ ...job, targets: job.targets.slice(0, 1), knownKeys: 2 })
  expect(result.errors).toBe(0)
  expect(result.goodByTarget[0]).toBeGreaterThan(2)
})
