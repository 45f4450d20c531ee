import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from '../../../apps/gateway/test/kit/network/loopback.ts'
import type { StreamJob } from './messages.ts'
import { type StreamWorker, startStreams } from './workers.ts'

const STREAM = 'data: {"choices":[],"n":0}\n\ndata: [DONE]\n\n'

/** A model whose streams have every byte; at `/broken` the connection ends without the end of the answer. */
const model = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (request.url === '/broken') response.write(STREAM, () => response.destroy())
  else response.end(STREAM)
})
let listening: Listening
let streams: StreamWorker
let job: StreamJob
beforeAll(async () => {
  listening = await listen(model)
  streams = startStreams()
  job = {
    origin: listening.origin,
    path: '/whole',
    isPaid: false,
    targets: [{ owner: 0, service: 0, serviceId: 'svc', credential: 'agt' }],
    script: { chunks: 1, paceMs: 0, inputTokens: 1, outputTokens: 1 },
    chargedUsdc: '0.000000',
    keyPrefix: 'test',
    warmupSeconds: 0,
    seconds: 0.2,
    callers: 2,
  }
})
afterAll(async () => {
  await streams.stop()
  await listening.stop()
})

test('counts complete streams by target', async () => {
  const { wholeByTarget, lost } = await streams.run(job)
  expect(lost).toBe(0)
  expect(wholeByTarget[0]).toBeGreaterThan(0)
})

test('counts a stream whose connection breaks as lost, even if every byte arrived', async () => {
  const { wholeByTarget, lost, lostSamples } = await streams.run({ ...job, path: '/broken' })
  expect(wholeByTarget).toEqual([0])
  expect(lost).toBeGreaterThan(0)
  expect(lostSamples[0]).toEqual(expect.any(String))
})
