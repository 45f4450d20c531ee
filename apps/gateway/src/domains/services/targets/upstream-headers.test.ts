import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../../test/kit/network/http.ts'
import type { TestTarget } from '../../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../../test/kit/world/manifests.ts'
import { readService } from '../store.ts'
import { openHeaders } from './upstream-headers.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, stop } = await startServiceFixture())
})
afterAll(() => stop())

describe('upstreamHeaders', () => {
  test('are stored encrypted, sent to the target, and never shown again', async () => {
    const headers = { 'X-Api-Key': 'very-secret-value', Authorization: 'Bearer upstream' }
    const first = await alice.ask('POST', '/services', manifestOf(target.url, { upstreamHeaders: headers }))
    const { serviceId } = first.body
    const answers = [
      first,
      await alice.ask('GET', `/services/${serviceId}`),
      await alice.ask('GET', '/services'),
      await alice.ask('PUT', `/services/${serviceId}`, { summary: 'new' }),
    ]
    expect(JSON.stringify(answers)).not.toMatch(/very-secret|Bearer upstream/)
    const stored = await on.deps.db.query(
      sql`select to_jsonb(s) as row from services s where id = ${serviceId}`,
    )
    expect(JSON.stringify(stored)).not.toMatch(/very-secret|upstream"|x-api-key/i)

    const opened = { 'x-api-key': 'very-secret-value', authorization: 'Bearer upstream' }
    expect((await on.directory.find(String(serviceId)))?.upstreamHeaders).toEqual(opened)
    expect(target.requests.at(-1)?.headers).toMatchObject(opened)
  })

  test('stay when a PUT omits them, and are deleted by null or an empty object', async () => {
    const manifest = manifestOf(target.url, { upstreamHeaders: { 'x-a': '1' } })
    const headersAfter = async (changes: object) => {
      const { serviceId } = await alice.register(manifest)
      await alice.ask('PUT', `/services/${serviceId}`, changes)
      return (await on.directory.find(serviceId))?.upstreamHeaders
    }
    expect(await headersAfter({ summary: 'x' })).toEqual({ 'x-a': '1' })
    expect(await headersAfter({ upstreamHeaders: { 'x-b': '2' } })).toEqual({ 'x-b': '2' })
    expect(await headersAfter({ upstreamHeaders: null })).toEqual({})
    expect(await headersAfter({ upstreamHeaders: {} })).toEqual({})
  })

  test('do not decrypt under the id of another service', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { upstreamHeaders: { 'x-a': '1' } }))
    const row = await readService(on.deps.db, serviceId)
    if (row === undefined) throw new Error('gone')
    expect(openHeaders(on.deps.secretBox, row)).toEqual({ 'x-a': '1' })
    expect(() => openHeaders(on.deps.secretBox, { ...row, id: 'svc_other' })).toThrow()
  })

  test.each([
    ['a line break', { 'x-a': 'b\r\nx-evil: 1' }],
    ['a bare line feed', { 'x-a': 'b\nc' }],
    ['NUL', { 'x-a': '\0' }],
    ['a name with a line break', { 'x-a\r\nx-evil': 'b' }],
    ['a name with a colon', { 'x:a': 'b' }],
    ['an empty name', { '': 'b' }],
    ['a value beyond ASCII', { 'x-a': 'é' }],
    ['a value that is not text', { 'x-a': 1 }],
    ['Host', { Host: 'evil.test' }],
    ['Content-Length', { 'content-length': '0' }],
    ['Transfer-Encoding', { 'Transfer-Encoding': 'chunked' }],
    ['Connection', { connection: 'close' }],
    ['Accept-Encoding', { 'accept-encoding': 'gzip' }],
    ['Farebox-Invocation-Id', { 'Farebox-Invocation-Id': 'inv_1' }],
    ['Idempotency-Key', { 'idempotency-key': '1' }],
    ['a duplicate name', { 'x-a': '1', 'X-A': '2' }],
    ['33 of them', Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x-${index}`, '1']))],
    ['one of 5,000 characters', { 'x-a': 'b'.repeat(5_000) }],
    ['8,193 characters together', { 'x-a': 'b'.repeat(4_096), 'x-b': 'b'.repeat(4_091) }],
  ])('INVALID_MANIFEST for %s', async (_, upstreamHeaders) => {
    const answer = await alice.ask('POST', '/services', manifestOf(target.url, { upstreamHeaders }))
    expect(answer).toMatchObject(refusal('INVALID_MANIFEST', 400))
  })
})
