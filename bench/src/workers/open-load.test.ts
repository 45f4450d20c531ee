import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenJob } from '../open-loop-messages.ts'
import { type OpenLoadWorker, startOpenLoad } from '../workers.ts'

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
let load: OpenLoadWorker
let job: OpenJob

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  load = startOpenLoad()
  const target = { owner: 0, service: 0, serviceId: 'svc', credential: 'agt' }
  job = {
    ...{
      origin: `http://127.0.0.1:${address.port}`,
      path: '/sheds',
      isPaid: false,
      targets: [target, target],
    },
    ...{ price: '0.000100', script: null, keyPrefix: 'test', warmupSeconds: 0.1, seconds: 0.3 },
    ...{ connections: 8, arrivals: { perSecond: 200, spacing: 'even', seed: 0 }, tellsEach: true },
  }
})
afterAll(async () => {
  await load.stop()
  server.close()
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
  const result = await load.run({ ...job, path: '/call', arrivals: null, tellsEach: false })
  expect(result).toMatchObject({ errors: 0, unsent: 0, each: null })
  expect(result.goodPerSecond).toBeGreaterThan(0)
})
