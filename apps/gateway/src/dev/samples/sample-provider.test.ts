import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startSampleProvider } from './sample-provider.ts'
import type { SampleProvider } from './sample-server.ts'

let directory: string
const running: SampleProvider[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-sample-'))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(provider => provider.stop()))
  await rm(directory, { recursive: true, force: true })
})

async function start(): Promise<SampleProvider> {
  const provider = await startSampleProvider(join(directory, 'port'))
  running.push(provider)
  return provider
}

test('echoes method, path, query, JSON body and the relevant headers only', async () => {
  const { url } = await start()
  const answer = await fetch(`${url}/some/path?b=2&a=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'farebox-invocation-id': 'inv_1', cookie: 'secret=1' },
    body: JSON.stringify({ hello: ['world', 1] }),
  })
  expect(answer.status).toBe(200)
  const { echo } = (await answer.json()) as { echo: { headers: object } }
  expect(echo).toMatchObject({
    method: 'POST',
    path: '/some/path',
    query: { a: '1', b: '2' },
    body: { hello: ['world', 1] },
    headers: { 'content-type': 'application/json', 'farebox-invocation-id': 'inv_1' },
  })
  expect(echo.headers).not.toHaveProperty('cookie')
})

test('echoes a missing body as null, and one that is not JSON as text', async () => {
  const { url } = await start()
  const bodyOf = async (body?: string) => {
    const answer = await fetch(url, body === undefined ? {} : { method: 'PUT', body })
    return ((await answer.json()) as { echo: { body: unknown } }).echo.body
  }
  expect(await bodyOf()).toBeNull()
  expect(await bodyOf('{no json')).toBe('{no json')
})

test('greets a name, or a stranger', async () => {
  const { url } = await start()
  const greet = async (body: string) =>
    (await fetch(`${url}/hello`, { method: 'POST', body })).json() as Promise<{ greeting: string }>
  expect(await greet('{"name": "Ada"}')).toEqual({ greeting: 'Hello, Ada!' })
  for (const body of ['', '{}', '{"name": 1}', 'Ada']) {
    expect(await greet(body)).toEqual({ greeting: 'Hello, stranger!' })
  }
})

test('rejects a body over the limit', async () => {
  const { url } = await start()
  const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(1_048_577) })
  expect(answer.status).toBe(413)
})

test('restarts at the same URL, or at another one when it is taken', async () => {
  const first = await start()
  await first.stop()
  running.length = 0
  const second = await start()
  expect(second.url).toBe(first.url)
  const third = await start()
  expect(third.url).not.toBe(second.url)
})
