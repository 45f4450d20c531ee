import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import Fastify, { type FastifyReply } from 'fastify'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type EventStream, openEventStream } from './event-stream.ts'

const MIB = 1_048_576
/** Time after which a caller that reads nothing is dropped, in ms. */
const STALL_MS = 15_000

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A route that hands its reply over, and a caller on a real socket. */
async function connected(): Promise<{
  stream: EventStream
  reply: FastifyReply
  client: ClientRequest
  answer: Promise<IncomingMessage>
}> {
  const app = Fastify()
  const handedOver = Promise.withResolvers<{ reply: FastifyReply }>()
  const answered = Promise.withResolvers<void>()
  app.get('/', async (_, reply) => {
    // A reply is a promise of itself: bare, it would be waited for.
    handedOver.resolve({ reply })
    await answered.promise
    return reply
  })
  const client = request(await app.listen({ host: '127.0.0.1', port: 0 }))
  client.on('error', () => undefined)
  const answer = new Promise<IncomingMessage>(done => client.once('response', done))
  client.end()
  cleanups.push(async () => {
    client.destroy()
    answered.resolve()
    await app.close()
  })
  const { reply } = await handedOver.promise
  return { stream: openEventStream(reply), reply, client, answer }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return text
}

/** Writes more than all buffers on the way to the caller hold. */
const fill = (stream: EventStream): Promise<void> => {
  const room = stream.write(Buffer.alloc(64 * MIB))
  if (room === undefined) throw new Error('There was room for all of it.')
  return room
}

describe('a stream of events', () => {
  test('starts at once with the headers of the reply and its own, and ends cleanly', async () => {
    const { stream, reply, answer } = await connected()
    reply.header('x-request-id', 'r1')
    expect([stream.isOpen, stream.isGone]).toEqual([false, false])
    stream.open({ 'idempotent-replayed': 'true' })
    const { statusCode, headers } = await answer
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'x-request-id': 'r1',
      'idempotent-replayed': 'true',
    })
    expect(stream.isOpen).toBe(true)
    expect(stream.write('data: 1\n\n')).toBeUndefined()
    stream.end('data: 2\n\n')
    expect(await textOf(await answer)).toBe('data: 1\n\ndata: 2\n\n')
  })

  test('whose caller has left accepts writes and reports it', async () => {
    const { stream, reply, client, answer } = await connected()
    stream.open({})
    await answer
    const closed = once(reply.raw, 'close')
    client.destroy()
    await closed
    expect(stream.isGone).toBe(true)
    expect(stream.write('data: 1\n\n')).toBeUndefined()
    stream.end('data: 2\n\n')
  })

  test('can be opened although its caller has left', async () => {
    const { stream, reply, client } = await connected()
    const closed = once(reply.raw, 'close')
    client.destroy()
    await closed
    stream.open({})
    expect(stream.write('data: 1\n\n')).toBeUndefined()
    stream.end()
    expect(stream.isGone).toBe(true)
  })

  test('whose caller does not read resolves its wait for room once the caller reads', async () => {
    const { stream, answer } = await connected()
    stream.open({})
    const body = await answer
    body.pause()
    const room = fill(stream)
    body.resume()
    await room
    expect(stream.isGone).toBe(false)
    stream.end()
    await once(body, 'end')
  })

  test('ends the wait for room when its caller leaves', async () => {
    const { stream, client, answer } = await connected()
    stream.open({})
    ;(await answer).pause()
    const room = fill(stream)
    client.destroy()
    await room
    expect(stream.isGone).toBe(true)
  })

  test('drops a caller that reads nothing for 15 seconds', async () => {
    const { stream, reply, answer } = await connected()
    stream.open({})
    ;(await answer).pause()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const room = fill(stream)
    const closed = once(reply.raw, 'close')
    vi.advanceTimersByTime(STALL_MS - 1)
    expect(stream.isGone).toBe(false)
    vi.advanceTimersByTime(1)
    await room
    expect(stream.isGone).toBe(true)
    await closed
  })

  test('drops a slow caller once its total wait is too long', async () => {
    const { stream, answer } = await connected()
    stream.open({}, 300)
    const body = await answer
    let waits = 0
    while (!stream.isGone && waits < 100) {
      body.pause()
      const room = fill(stream)
      // Long enough to count, far too short to be a stall.
      await new Promise(done => setTimeout(done, 20))
      body.resume()
      await room
      waits += 1
    }
    expect(stream.isGone).toBe(true)
    expect(waits).toBeLessThan(20)
  })

  test('keeps a fast caller', async () => {
    const { stream, answer } = await connected()
    stream.open({}, 1)
    const text = textOf(await answer)
    for (let turn = 0; turn < 100; turn += 1) {
      const room = stream.write('data: 1\n\n')
      expect(room).toBeUndefined()
      await new Promise(done => setImmediate(done))
    }
    stream.end()
    expect((await text).length).toBe(900)
  })
})
