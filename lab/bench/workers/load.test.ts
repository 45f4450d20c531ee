import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LoadJob } from '../messages.ts'
import { type LoadWorker, type ReadWorker, startLoad, startReads } from '../workers.ts'

/** A provider that sheds every third call, if it is asked to. */
const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  request.on('end', () => {
    if (request.method === 'GET') return response.end()
    const { number } = (JSON.parse(text) as { payload: { body: { number: number } } }).payload.body
    if (request.url === '/sheds' && number % 3 === 2) response.writeHead(503, { 'retry-after': '1' })
    response.end(JSON.stringify({ number }))
  })
})
/** Another gateway, which counts what it is asked. */
let askedOther = 0
const other = createServer((request, response) => {
  if (request.method === 'POST') askedOther += 1
  server.emit('request', request, response)
})
let load: LoadWorker
let reads: ReadWorker
let job: LoadJob

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  load = startLoad()
  reads = startReads()
  const target = { owner: 0, service: 0, serviceId: 'svc', credential: 'agt' }
  job = {
    origin: `http://127.0.0.1:${address.port}`,
    path: '/sheds',
    isPaid: false,
    targets: [target, target],
    price: '0.000100',
    script: null,
    keyPrefix: 'test',
    warmupSeconds: 0.1,
    seconds: 0.3,
    callers: 8,
    arrivals: { perSecond: 200, spacing: 'even', seed: 0 },
    returnsEach: true,
  }
})
afterAll(async () => {
  await load.stop()
  await reads.stop()
  server.close()
  other.close()
})

test('an open loop makes its calls at the asked rate and tells good answers, sheds and latencies apart', async () => {
  const result = await load.run(job)
  expect(result).toMatchObject({ errors: 0, errorSamples: [], unsent: 0 })
  expect(result.duePerSecond).toBeCloseTo(200, 6)
  // 80 calls in all, of which 54 are good; those of the warm-up are paid for too.
  expect(result.goodByTarget).toEqual([27, 27])
  expect(result.each).toHaveLength(40)
})

test('a closed loop makes calls until its time is over', async () => {
  const result = await load.run({ ...job, path: '/call', arrivals: null, returnsEach: false })
  expect(result).toMatchObject({ errors: 0, unsent: 0, each: null })
  expect(result.perSecond).toBeGreaterThan(0)
})

test('calls are kept by the partition of their target at one origin, or by their connection', async () => {
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const [target] = job.targets
  if (target === undefined) throw new Error('The job has no targets.')
  const spread = {
    ...job,
    path: '/call',
    arrivals: null,
    returnsEach: false,
    moreOrigins: [`http://127.0.0.1:${address.port}`],
    targets: [2, 4, 5].map(partition => ({ ...target, partition })),
  }
  const byPartition = await load.run({ ...spread, isByPartition: true })
  expect(byPartition.errors).toBe(0)
  expect(byPartition.goodByTarget[0]).toBeGreaterThan(0)
  expect(askedOther).toBe(byPartition.goodByTarget[2])

  askedOther = 0
  const { goodByTarget } = await load.run(spread)
  expect(askedOther).toBeGreaterThan(0)
  expect(askedOther).toBeLessThan(goodByTarget.reduce((sum, good) => sum + good, 0))
})

test('known keys are asked for again and again, and what only reads must be answered by 200', async () => {
  const closed = { ...job, path: '/call', arrivals: null }
  const { goodByTarget, errors } = await load.run({
    ...closed,
    targets: job.targets.slice(0, 1),
    knownKeys: 2,
  })
  expect(errors).toBe(0)
  expect(goodByTarget[0]).toBeGreaterThan(2)

  const { callers, origin, warmupSeconds, seconds } = job
  const request = {
    method: 'POST',
    headers: [],
    body: JSON.stringify({ payload: { body: { number: 2 } } }),
  } as const
  const read = { callers, origin, warmupSeconds, seconds, requests: [{ ...request, path: '/call' }] }
  expect((await reads.run(read)).errors).toBe(0)
  expect(await reads.run({ ...read, requests: [{ ...request, path: '/sheds' }] })).toMatchObject({
    perSecond: 0,
    errorSamples: expect.arrayContaining([expect.stringMatching(/^503 /)]),
  })
})
