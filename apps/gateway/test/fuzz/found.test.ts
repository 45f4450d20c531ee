import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { get } from '../kit/network/http.ts'
import { converse, statusesIn } from '../kit/network/raw-socket.ts'
import { arrive, mint, ownerWith, type Person } from '../kit/world/world.ts'

// Findings of the fuzz, shrunk, each as the promise that it broke.

let gateway: TestGateway
let person: Person
beforeAll(async () => {
  gateway = await startTestGateway()
  person = await arrive(gateway)
})
afterAll(() => gateway.stop())

test('answers a request without a body whatever its Content-Encoding', async () => {
  for (const encoding of ['', 'gzip', 'br']) {
    const answer = await fetch(`${gateway.url}/health`, { headers: { 'content-encoding': encoding } })
    expect([encoding, answer.status]).toEqual([encoding, 200])
  }
})

test('refuses a day of the year 0, which the database does not have', async () => {
  for (const query of ['from=0000-02-29', 'from=0000-12-31&to=0001-01-01']) {
    const answer = await get(gateway, `/providers/earnings/summary?${query}`, { token: person.token })
    expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'INVALID_REQUEST'])
  }
  const first = await get(gateway, '/providers/earnings/summary?from=0001-01-01', { token: person.token })
  expect(first.status).toBe(200)
})

test('rejects an HTTP/1.1 request without a host as INVALID_REQUEST, but accepts HTTP/1.0', async () => {
  const reported = await converse(gateway.url, ['GET /health HTTP/1.1\r\nconnection: close\r\n\r\n'])
  expect(statusesIn(reported)).toEqual([400])
  expect(reported.text).toContain('"code":"INVALID_REQUEST"')
  const old = await converse(gateway.url, ['GET /health HTTP/1.0\r\n\r\n'])
  expect(statusesIn(old)).toEqual([200])
})

test('ignores an unknown Expect header', async () => {
  const reported = await converse(gateway.url, [
    'GET /health HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nconnection: close\r\n\r\n',
  ])
  expect(statusesIn(reported)).toEqual([200])
})

test('does not echo the overlong id of an MCP message', async () => {
  const { token } = await mint(gateway, await ownerWith(gateway, '1'))
  const message = { jsonrpc: '2.0', id: 'a'.repeat(10_001), method: 'ping' }
  for (const body of [message, [message]]) {
    const answer = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'x-credential': token, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
    expect([answer.status, await answer.json()]).toMatchObject([400, { id: null, error: { code: -32_600 } }])
  }
})
