import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../app.ts'
import { compressReads } from './compress-reads.ts'

const LONG = { text: 'an answer of many words '.repeat(200) }
const SHORT = { text: 'an answer' }

let app: App
let url: string
beforeAll(async () => {
  app = Fastify() as unknown as App
  await compressReads(app)
  app.get('/long', async () => LONG)
  app.get('/short', async () => SHORT)
  app.post('/long', async () => LONG)
  app.get('/events', async (_, reply) => reply.type('text/event-stream').send(`data: ${LONG.text}\n\n`))
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

/** Returns the encoding of an answer, what it varies by, and its decoded body. */
async function answerOf(path: string, accepted: string, method = 'GET') {
  const response = await fetch(url + path, { method, headers: { 'accept-encoding': accepted } })
  const { headers } = response
  return { encoding: headers.get('content-encoding'), vary: headers.get('vary'), text: await response.text() }
}

describe('a read', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
    ['zstd', null],
  ])('is compressed by what the client accepts: %s', async (accepted, encoding) => {
    const answer = await answerOf('/long', accepted)
    expect(answer.encoding).toBe(encoding)
    expect(JSON.parse(answer.text)).toEqual(LONG)
  })

  test('says that its answer depends on what the client accepts', async () => {
    expect((await answerOf('/long', 'br')).vary).toBe('accept-encoding')
  })

  test('is not compressed if it is short or a stream of events', async () => {
    expect(await answerOf('/short', 'br')).toMatchObject({ encoding: null, text: JSON.stringify(SHORT) })
    expect((await answerOf('/events', 'br')).encoding).toBeNull()
  })
})

test('an answer to another method is never compressed', async () => {
  expect((await answerOf('/long', 'br', 'POST')).encoding).toBeNull()
})

test('a compressed request body is not accepted', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const body = new Uint8Array(gzipSync('{}'))
  expect((await fetch(`${url}/long`, { method: 'POST', headers, body })).status).toBe(400)
})
