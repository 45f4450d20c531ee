import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CredentialGateway,
  startCredentialGateway,
} from '../../../test/kit/gateway/credential-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { cursorOf } from '../../http/paging.ts'

let gateway: CredentialGateway
beforeAll(async () => {
  gateway = await startCredentialGateway()
})
afterAll(() => gateway.stop())

const LIST = '/credentials/agent/list'
type Listed = { credentials: { id: string; status: string }[]; nextCursor: string | null }
const list = async (owner: Member, query = '') =>
  (await owner.ask('GET', `${LIST}${query}`)).body as unknown as Listed

describe('GET /credentials/agent/list', () => {
  test('lists the credentials of the owner, newest first, without tokens', async () => {
    const owner = await gateway.owner()
    const first = await gateway.issue(owner, { name: 'first', creditLimit: 1 })
    gateway.advance(1)
    const second = await gateway.issue(owner, { name: 'second' })
    await gateway.issue(await gateway.owner())
    const { status, body } = await owner.ask('GET', LIST)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      nextCursor: null,
      credentials: [
        expect.objectContaining({ id: second.id, credential_id: second.id, name: 'second' }),
        {
          id: first.id,
          credential_id: first.id,
          name: 'first',
          status: 'active',
          maxCalls: null,
          creditLimit: '1.000000',
          maxCostPerCallUsdc: null,
          rpm: 600,
          resetInterval: 'never',
          allowedServices: null,
          expiresAt: null,
          createdAt: expect.stringMatching(/Z$/),
          callsUsed: 0,
          spentUsdc: '0.000000',
          heldUsdc: '0.000000',
        },
      ],
    })
  })

  test('returns every credential exactly once across pages', async () => {
    const owner = await gateway.owner()
    const issued = new Set<string>()
    for (let count = 0; count < 7; count += 1) issued.add((await gateway.issue(owner)).id)
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = 0; page < 4; page += 1) {
      const answer = await list(owner, `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`)
      seen.push(...answer.credentials.map(item => item.id))
      cursor = answer.nextCursor
      if (cursor === null) break
    }
    expect(seen).toHaveLength(7)
    expect(new Set(seen)).toEqual(issued)
    expect(seen).toEqual([...seen].sort().reverse())
  })

  test('returns one credential by its id, and none for that of another owner', async () => {
    const [owner, stranger] = [await gateway.owner(), await gateway.owner()]
    const [first] = [await gateway.issue(owner), await gateway.issue(owner)]
    expect((await list(owner, `?id=${first.id}`)).credentials.map(({ id }) => id)).toEqual([first.id])
    expect((await list(stranger, `?id=${first.id}`)).credentials).toEqual([])
  })

  test('excludes revoked and expired credentials when active_only is true', async () => {
    const owner = await gateway.owner()
    const [active, revoked, expired] = [
      await gateway.issue(owner),
      await gateway.issue(owner),
      await gateway.issue(owner),
    ]
    await owner.ask('POST', `/credentials/agent/${revoked.id}/revoke`)
    await gateway.run(sql`update credentials set expires_at = now() where id = ${expired.id}`)
    for (const flag of ['true', 'True', '1']) {
      const { credentials } = await list(owner, `?active_only=${flag}`)
      expect(credentials.map(item => item.id)).toEqual([active.id])
    }
    const all = await list(owner, '?active_only=false')
    expect(new Map(all.credentials.map(item => [item.id, item.status]))).toEqual(
      new Map([
        [active.id, 'active'],
        [revoked.id, 'revoked'],
        [expired.id, 'expired'],
      ]),
    )
  })

  test('clamps an out-of-range limit', async () => {
    const owner = await gateway.owner()
    await gateway.issue(owner)
    await gateway.issue(owner)
    expect((await list(owner, '?limit=-1')).credentials).toHaveLength(1)
    expect((await list(owner, '?limit=1000000000')).credentials).toHaveLength(2)
    expect((await list(owner, `?limit=${'9'.repeat(40)}`)).credentials).toHaveLength(2)
  })

  const cursorOfAnotherList = cursorOf('dep_01kahd7qzv8xw3n5t2r9b4m6c0')
  test.each([
    'limit=abc',
    'limit=1.5',
    'active_only=maybe',
    'cursor=%00',
    'cursor=nonsense!',
    `cursor=${cursorOfAnotherList}`,
  ])('INVALID_REQUEST for ?%s, also at the audit log', async query => {
    const owner = await gateway.owner()
    const paths = [LIST, ...(query.startsWith('active') ? [] : ['/credentials/agent/audit-logs'])]
    for (const path of paths) {
      const { status, body } = await owner.ask('GET', `${path}?${query}`)
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    }
  })
})

describe('GET /credentials/agent/:id/status', () => {
  test('returns the limits, their usage, and whether a call is possible', async () => {
    const owner = await gateway.owner()
    const { id } = await gateway.issue(owner, { maxCalls: 3, creditLimit: 2, resetInterval: 'daily' })
    const read = async () => (await owner.ask('GET', `/credentials/agent/${id}/status`)).body
    expect(await read()).toEqual({
      status: 'success',
      credentialId: id,
      valid: true,
      credentialStatus: 'active',
      isExpired: false,
      callsExhausted: false,
      expiresAt: null,
      callsUsed: 0,
      maxCalls: 3,
      creditLimit: '2.000000',
      spentUsdc: '0.000000',
      heldUsdc: '0.000000',
    })
    await gateway.run(sql`update credentials set calls_used = 3, spent = 1500000, held = 1 where id = ${id}`)
    expect(await read()).toMatchObject({
      valid: false,
      callsExhausted: true,
      callsUsed: 3,
      spentUsdc: '1.500000',
      heldUsdc: '0.000001',
    })
    await gateway.run(
      sql`update credentials set interval_start = interval_start - interval '1 day' where id = ${id}`,
    )
    expect(await read()).toMatchObject({ spentUsdc: '0.000000', heldUsdc: '0.000000', callsUsed: 3 })
  })

  test('reports an expired or revoked credential', async () => {
    const owner = await gateway.owner()
    const { id } = await gateway.issue(owner, { expiresInSec: 60 })
    const read = async () => (await owner.ask('GET', `/credentials/agent/${id}/status`)).body
    expect(await read()).toMatchObject({ valid: true, isExpired: false, expiresAt: expect.any(Number) })
    await gateway.run(sql`update credentials set expires_at = now() where id = ${id}`)
    expect(await read()).toMatchObject({ valid: false, isExpired: true, credentialStatus: 'expired' })
    await owner.ask('POST', `/credentials/agent/${id}/revoke`)
    expect(await read()).toMatchObject({ valid: false, credentialStatus: 'revoked' })
  })
})

describe('GET /credentials/agent/audit-logs', () => {
  test('returns every change exactly once across pages, newest first', async () => {
    const owner = await gateway.owner()
    const { id } = await gateway.issue(owner)
    for (const rpm of [1, 2, 3]) {
      gateway.advance(1)
      await owner.ask('PATCH', `/credentials/agent/${id}`, { rpm })
    }
    const first = await owner.ask('GET', '/credentials/agent/audit-logs?limit=3')
    expect(first.body).toMatchObject({ status: 'success', nextCursor: expect.any(String) })
    const rest = await owner.ask(
      'GET',
      `/credentials/agent/audit-logs?limit=3&cursor=${first.body.nextCursor}`,
    )
    const logs = [first, rest].flatMap(page => page.body.logs as { action: string; detail: unknown }[])
    expect(logs.map(log => log.action)).toEqual(['updated', 'updated', 'updated', 'issued'])
    expect(logs[0]?.detail).toEqual({ before: { rpm: 2 }, after: { rpm: 3 } })
    expect(rest.body.nextCursor).toBeNull()
  })
})
