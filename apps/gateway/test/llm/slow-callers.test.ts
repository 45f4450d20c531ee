import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { chatBody, type LlmMarket, openLlmMarket, registerModel } from '../kit/llm/llm-market.ts'
import { CHARGE, EVENTS, type RawModel, startEvents, startRawModel } from '../kit/llm/raw-model.ts'
import { until } from '../kit/until.ts'
import { balanceOf, mint, ownerWith } from '../kit/world/world.ts'

const MIB = 1_048_576
/** `streamMaxMs` of the service. Callers may delay it for half of that time; the rest must suffice to read the stream. */
const STREAM_MS_MAX = 10_000
const FUNDS = 10_000_000n
const STREAM_BYTES = 64 * MIB
/** A stream of which a caller only sips. */
const SIPPED_BYTES = 24 * MIB
/** Maximum bytes in transit while nobody reads: buffers of two connections and a few of ours. */
const ON_ITS_WAY_MAX = 24 * MIB
const EVENT = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(65_000)}"}}]}\n\n`

let market: LlmMarket
let raw: RawModel
beforeAll(async () => {
  market = await openLlmMarket({ env: { UPSTREAM_STREAM_BYTES_MAX: String(2 * STREAM_BYTES) } })
  raw = await startRawModel(market)
})
afterEach(() => market.assertBooks())
afterAll(async () => {
  await raw.stop()
  await market.stop()
})

/** Asks for a stream by a socket of its own, and reads nothing until it is resumed. */
async function ask(
  token: string,
  serviceId = raw.service,
): Promise<{ socket: Socket; bytes: () => number; tail: () => string }> {
  const { hostname, port } = new URL(market.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const body = JSON.stringify({ serviceId, payload: { body: chatBody({ stream: true }) } })
  const head = [
    'POST /api/v1/agent/invoke HTTP/1.1',
    `host: ${hostname}:${port}`,
    `x-credential: ${token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  let bytes = 0
  let tail = ''
  socket.pause()
  socket.on('data', chunk => {
    bytes += chunk.length
    tail = (tail + chunk.toString('latin1')).slice(-4_096)
  })
  socket.pause()
  return { socket, bytes: () => bytes, tail: () => tail }
}

/** Makes the model write a large stream as fast as it is read; returns how much was read. */
function writeMuch(bytes = STREAM_BYTES): { written: () => number; isOver: () => boolean } {
  let written = 0
  let isOver = false
  raw.respondWith(async (_, response) => {
    startEvents(response)
    while (written < bytes && !response.destroyed) {
      written += EVENT.length
      // A stream that is cut off is never drained.
      if (!response.write(EVENT)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
    isOver = true
  })
  return { written: () => written, isOver: () => isOver }
}

/** Waits until a number has stopped to grow. */
async function untilStill(read: () => number): Promise<void> {
  let last = -1
  let same = 0
  await until('it stands still', () => {
    same = read() === last ? same + 1 : 0
    last = read()
    return last > 0 && same >= 10
  })
}

test('a caller who does not read slows the provider down, and receives everything once it reads', async () => {
  const owner = await ownerWith(market, '10')
  const agent = await mint(market, owner)
  const model = writeMuch()
  const { socket, bytes, tail } = await ask(agent.token)
  await untilStill(model.written)
  expect(model.written()).toBeLessThan(ON_ITS_WAY_MAX)
  expect(bytes()).toBe(0)
  socket.resume()
  await until('the end has come', () => tail().includes('[DONE]'))
  expect(bytes()).toBeGreaterThan(STREAM_BYTES)
  expect(tail()).toContain('event: gateway')
  socket.destroy()
  expect(await balanceOf(market, owner)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
})

test('a caller who leaves while the stream waits for it blocks nothing: the stream is read to its bill', async () => {
  const owner = await ownerWith(market, '10')
  const agent = await mint(market, owner)
  const model = writeMuch()
  const { socket } = await ask(agent.token)
  await untilStill(model.written)
  socket.destroy()
  await until('it is charged', async () => (await balanceOf(market, owner)).held === 0n)
  expect(model.written()).toBeGreaterThanOrEqual(STREAM_BYTES)
  expect(await balanceOf(market, owner)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
})

test('a caller who reads slowly is dropped after blocking the model for too long, and charged', async () => {
  const owner = await ownerWith(market, '10')
  const agent = await mint(market, owner)
  const serviceId = await registerModel(market, market.provider, {
    url: `${raw.url}slow`,
    manifest: {
      invoke: { method: 'POST', streamMaxMs: STREAM_MS_MAX, targets: [{ url: `${raw.url}slow`, weight: 1 }] },
    },
  })
  const model = writeMuch(SIPPED_BYTES)
  const { socket, bytes } = await ask(agent.token, serviceId)
  let isLetGo = false
  socket.once('close', () => {
    isLetGo = true
  })
  const sip = () => socket.pause()
  socket.on('data', sip)
  const drip = setInterval(() => socket.resume(), 50)
  await until('the model has said all', () => model.isOver())
  await until('it is settled', async () => (await balanceOf(market, owner)).held === 0n)
  clearInterval(drip)
  socket.off('data', sip)
  socket.resume()
  await until('it is let go', () => isLetGo)
  expect(bytes()).toBeLessThan(SIPPED_BYTES)
  expect(await balanceOf(market, owner)).toMatchObject({ available: FUNDS - CHARGE, held: 0n })
})
