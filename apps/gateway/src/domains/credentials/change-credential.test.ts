import { createHash, randomBytes } from 'node:crypto'
import { tokenDigest, writeToken } from '@farebox/wire/tokens'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CredentialGateway,
  startCredentialGateway,
} from '../../../test/kit/gateway/credential-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import type { Member } from '../../../test/kit/world/member.ts'

let gateway: CredentialGateway
let owner: Member
beforeAll(async () => {
  gateway = await startCredentialGateway()
  owner = await gateway.owner()
})
afterAll(() => gateway.stop())

const at = (id: string, rest = '') => `/credentials/agent/${id}${rest}`
const opens = (token: string) =>
  gateway.agents.authenticate({ 'x-credential': token }).then(
    agent => agent.credentialId,
    error => error.code as string,
  )
const actionsOf = async (id: string, by = owner) => {
  const { body } = await by.ask('GET', '/credentials/agent/audit-logs?limit=100')
  const logs = body.logs as { credentialId: string; action: string }[]
  return logs.filter(log => log.credentialId === id).map(log => log.action)
}

describe('POST /:id/revoke', () => {
  test('revokes the credential, and is idempotent', async () => {
    const { id, token } = await gateway.issue(owner)
    for (const _ of [1, 2]) {
      const { status, body } = await owner.ask('POST', at(id, '/revoke'))
      expect(status).toBe(200)
      expect(body).toMatchObject({
        status: 'success',
        credentialId: id,
        credential: { id, status: 'revoked' },
      })
      expect(await opens(token)).toBe('CREDENTIAL_INACTIVE')
    }
    expect(await actionsOf(id)).toEqual(['revoked', 'issued'])
  })

  test('also revokes an old token that is still in its overlap', async () => {
    const { id, token } = await gateway.issue(owner)
    await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: 600 })
    expect(await opens(token)).toBe(id)
    await owner.ask('POST', at(id, '/revoke'))
    expect(await opens(token)).not.toBe(id)
  })
})

describe('POST /:id/rotate', () => {
  test('returns a new token with the same limits and counters, and invalidates the old one immediately', async () => {
    const { id, token } = await gateway.issue(owner, { name: 'rotating', creditLimit: 3, maxCalls: 9 })
    await gateway.run(sql`update credentials set calls_used = 4, spent = 20 where id = ${id}`)
    expect(await opens(token)).toBe(id)
    const { status, body } = await owner.ask('POST', at(id, '/rotate'))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'success',
      token: expect.stringMatching(/^agt_/),
      credential: { id, credential_id: id, name: 'rotating', creditLimit: '3.000000', maxCalls: 9 },
    })
    expect(await opens(token)).toBe('CREDENTIAL_INVALID')
    expect(await opens(body.token as string)).toBe(id)
    const read = await owner.ask('GET', at(id, '/status'))
    expect(read.body).toMatchObject({ callsUsed: 4, spentUsdc: '0.000020' })
  })

  test('prefixes the new token with the ledger partition of the owner, whatever the old prefix', async () => {
    const { id } = await gateway.issue(owner)
    const lead = createHash('sha256').update(owner.wallet).digest('hex').charAt(1).toUpperCase()
    for (const before of ['z', 'G', lead === '0' ? '1' : '0']) {
      // A token from before tokens encoded a partition.
      const old = writeToken('agt', randomBytes(32), before)
      await gateway.run(sql`update credentials set token_hash = ${tokenDigest(old)} where id = ${id}`)
      expect(await opens(old)).toBe(id)
      const { body } = await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: 60 })
      expect(String(body.token)).toMatch(new RegExp(`^agt_${lead}[0-9A-Za-z]{48}$`))
      expect([await opens(old), await opens(String(body.token))]).toEqual([id, id])
    }
  })

  test('keeps the old token valid only during the overlap', async () => {
    const { id, token } = await gateway.issue(owner)
    const { body } = await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: 60 })
    expect([await opens(token), await opens(body.token as string)]).toEqual([id, id])
    const [row] = await gateway.run(sql`
      select extract(epoch from previous_expires_at - now())::float8 as left from credentials where id = ${id}`)
    expect(row?.left).toBeGreaterThan(50)
    expect(row?.left).toBeLessThanOrEqual(60)

    await gateway.run(sql`update credentials set previous_expires_at = now() where id = ${id}`)
    gateway.agents.forget(id)
    expect([await opens(token), await opens(body.token as string)]).toEqual(['CREDENTIAL_INVALID', id])
  })

  test('invalidates a cached old token when its overlap ends', async () => {
    const { id, token } = await gateway.issue(owner)
    await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: 60 })
    await gateway.run(
      sql`update credentials set previous_expires_at = now() + interval '1 s' where id = ${id}`,
    )
    gateway.agents.forget(id)
    expect(await opens(token)).toBe(id)
    await gateway.run(sql`update credentials set previous_expires_at = now() where id = ${id}`)
    gateway.advance(1_000)
    expect(await opens(token)).toBe('CREDENTIAL_INVALID')
  })

  test('keeps at most one old token valid', async () => {
    const { id, token } = await gateway.issue(owner)
    const second = await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: 60 })
    await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: 60 })
    expect(await opens(token)).toBe('CREDENTIAL_INVALID')
    expect(await opens(second.body.token as string)).toBe(id)
    const third = await owner.ask('POST', at(id, '/rotate'), { overlapSeconds: null })
    expect(await opens(second.body.token as string)).toBe('CREDENTIAL_INVALID')
    expect(await opens(third.body.token as string)).toBe(id)
  })

  test('INVALID_STATE for a revoked or expired credential', async () => {
    const [revoked, expired] = [await gateway.issue(owner), await gateway.issue(owner)]
    await owner.ask('POST', at(revoked.id, '/revoke'))
    await gateway.run(sql`update credentials set expires_at = now() where id = ${expired.id}`)
    for (const { id } of [revoked, expired]) {
      const { status, body } = await owner.ask('POST', at(id, '/rotate'))
      expect([status, body.code, body.message]).toEqual([
        409,
        'INVALID_STATE',
        'The agent credential is revoked or expired. Its owner can mint another.',
      ])
    }
  })

  test.each([-1, 0.5, 604_801, '60', true])('INVALID_PAYLOAD for an overlap of %j', async overlapSeconds => {
    const { id, token } = await gateway.issue(owner)
    const { status, body } = await owner.ask('POST', at(id, '/rotate'), { overlapSeconds })
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(await opens(token)).toBe(id)
  })
})

describe('DELETE /:id', () => {
  test('hides the credential from bearer and owner, and keeps its audit log', async () => {
    const { id, token } = await gateway.issue(owner)
    const { status, body } = await owner.ask('DELETE', at(id))
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'success', credentialId: id, credential: { status: 'deleted' } })
    expect(await opens(token)).toBe('CREDENTIAL_INVALID')
    expect((await owner.ask('DELETE', at(id))).body.code).toBe('CREDENTIAL_NOT_FOUND')
    expect((await owner.ask('GET', at(id, '/status'))).body.code).toBe('CREDENTIAL_NOT_FOUND')
    const { body: list } = await owner.ask('GET', '/credentials/agent/list?limit=100')
    expect((list.credentials as { id: string }[]).some(item => item.id === id)).toBe(false)
    expect(await actionsOf(id)).toEqual(['deleted', 'issued'])
  })
})

describe('PATCH /:id', () => {
  test('changes only the given settings, and logs the difference', async () => {
    const { id, token } = await gateway.issue(owner, {
      maxCalls: 5,
      creditLimit: 1,
      allowedServices: ['echo'],
    })
    expect(await gateway.agents.authenticate({ 'x-credential': token })).toMatchObject({ rpm: 600 })
    const { status, body } = await owner.ask('PATCH', at(id), {
      name: 'renamed',
      rpm: 9,
      allowedServices: null,
      expiresInSec: 60,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'success',
      credentialId: id,
      credential: { name: 'renamed', rpm: 9, allowedServices: null, maxCalls: 5, creditLimit: '1.000000' },
    })
    expect(body.credential).toMatchObject({ status: 'active', expiresAt: expect.any(Number) })
    // The guard sees the change immediately, not after two seconds.
    expect(await gateway.agents.authenticate({ 'x-credential': token })).toMatchObject({
      rpm: 9,
      name: 'renamed',
      allowedServices: null,
    })
    const { body: audit } = await owner.ask('GET', '/credentials/agent/audit-logs?limit=1')
    expect(audit.logs).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        action: 'updated',
        credentialId: id,
        actor: owner.address,
        at: expect.stringMatching(/Z$/),
        detail: {
          before: { name: 'agent', rpm: 600, allowedServices: ['echo'], expiresAt: null },
          after: { name: 'renamed', rpm: 9, allowedServices: null, expiresAt: expect.any(Number) },
        },
      },
    ])
  })

  test('INVALID_PAYLOAD for an added service that does not exist, but not for one already allowed', async () => {
    const { id } = await gateway.issue(owner, { allowedServices: ['echo'] })
    await gateway.run(sql`update credentials set allowed_services = '{unknown-since}' where id = ${id}`)
    const kept = await owner.ask('PATCH', at(id), { allowedServices: ['unknown-since', 'echo'] })
    expect(kept.status).toBe(200)
    const { status, body } = await owner.ask('PATCH', at(id), { allowedServices: ['echo', 'unknown-1'] })
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(body.message).toContain('There is no service unknown-1.')
  })

  test('logs nothing for an empty or unchanged update', async () => {
    const { id } = await gateway.issue(owner, { creditLimit: '1' })
    for (const body of [{}, { name: 'agent', creditLimit: 1, rpm: 600 }]) {
      expect((await owner.ask('PATCH', at(id), body)).status).toBe(200)
    }
    expect(await actionsOf(id)).toEqual(['issued'])
  })

  test('reactivates an expired credential, but never a revoked one', async () => {
    const [expired, revoked] = [await gateway.issue(owner), await gateway.issue(owner)]
    await gateway.run(sql`update credentials set expires_at = now() where id = ${expired.id}`)
    await owner.ask('POST', at(revoked.id, '/revoke'))
    expect(await opens(expired.token)).toBe('CREDENTIAL_INACTIVE')
    for (const { id } of [expired, revoked]) await owner.ask('PATCH', at(id), { expiresInSec: 60 })
    expect([await opens(expired.token), await opens(revoked.token)]).toEqual([
      expired.id,
      'CREDENTIAL_INACTIVE',
    ])
  })

  test.each([
    { name: '' },
    { name: null },
    { rpm: 0 },
    { rpm: null },
    { creditLimit: '-1' },
    { maxCalls: 0 },
    [],
  ])('INVALID_PAYLOAD for %j', async change => {
    const { id } = await gateway.issue(owner)
    const { status, body } = await owner.ask('PATCH', at(id), change)
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })
})

describe('PATCH /:id/quota', () => {
  test('changes the limits and nothing else', async () => {
    const { id } = await gateway.issue(owner, { name: 'kept' })
    const { status, body } = await owner.ask('PATCH', at(id, '/quota'), {
      maxCalls: 10,
      creditLimit: '2.5',
      rpm: 30,
      resetInterval: 'weekly',
    })
    expect(status).toBe(200)
    expect(body.credential).toMatchObject({
      name: 'kept',
      maxCalls: 10,
      creditLimit: '2.500000',
      rpm: 30,
      resetInterval: 'weekly',
      expiresAt: null,
    })
    const cleared = await owner.ask('PATCH', at(id, '/quota'), { maxCalls: null, creditLimit: null })
    expect(cleared.body.credential).toMatchObject({ maxCalls: null, creditLimit: null, rpm: 30 })
    expect(await actionsOf(id)).toEqual(['quota_updated', 'quota_updated', 'issued'])
  })

  test.each([
    [{ expiresAt: '2030-01-01T00:00:00Z' }],
    [{ expiration: '2030-01-01T01:00:00+01:00' }],
    [{ expiresAt: 1_893_456_000 }],
    [{ expiration: 1_893_456_000, expiresAt: '2030-01-01T00:00:00Z' }],
  ])('accepts %j as the expiry, and null to clear it', async change => {
    const { id } = await gateway.issue(owner)
    const { body } = await owner.ask('PATCH', at(id, '/quota'), change)
    expect(body.credential).toMatchObject({ expiresAt: 1_893_456_000 })
    const { body: cleared } = await owner.ask('PATCH', at(id, '/quota'), { expiresAt: null })
    expect(cleared.credential).toMatchObject({ expiresAt: null })
  })

  test.each([
    [{ expiresAt: '2030-01-01T00:00:00Z', expiration: 1_893_456_001 }, 'expiration: Contradicts expiresAt.'],
    [{ expiresInSec: 60, expiresAt: 1_893_456_000 }, 'expiresAt: Contradicts expiresInSec.'],
    [{ expiration: 1_000_000_000 }, 'expiration: Must be in the future.'],
  ])('INVALID_PAYLOAD for %j, and nothing changes', async (change, message) => {
    const { id } = await gateway.issue(owner)
    const { status, body } = await owner.ask('PATCH', at(id, '/quota'), { ...change, rpm: 5 })
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(body.message).toContain(message)
    expect(await actionsOf(id)).toEqual(['issued'])
  })

  test('INVALID_REQUEST for a misspelled limit, and nothing changes', async () => {
    const { id } = await gateway.issue(owner)
    const { status, body } = await owner.ask('PATCH', at(id, '/quota'), { creditlimit: 1, rpm: 5 })
    expect([status, body.code, body.message]).toEqual([
      400,
      'INVALID_REQUEST',
      'Unknown member "creditlimit". Did you mean "creditLimit"?',
    ])
    expect(await actionsOf(id)).toEqual(['issued'])
  })

  test('LIMIT_EXCEEDED for a credit limit or interval above the spending policy, and nothing changes', async () => {
    const { id } = await gateway.issue(owner, { creditLimit: 5 })
    const above = await owner.ask('PATCH', at(id, '/quota'), { creditLimit: '1000.000001', rpm: 1 })
    expect([above.status, above.body.code]).toEqual([422, 'LIMIT_EXCEEDED'])
    await owner.ask('PUT', '/balance/spending-limit', { dailyLimitUsdc: '4' })
    const daily = await owner.ask('PATCH', at(id, '/quota'), { resetInterval: 'daily' })
    expect(daily.body.code).toBe('LIMIT_EXCEEDED')
    await owner.ask('PUT', '/balance/spending-limit', { dailyLimitUsdc: null })
    const { body } = await owner.ask('PATCH', at(id), {})
    expect(body.credential).toMatchObject({ creditLimit: '5.000000', rpm: 600, resetInterval: 'never' })
  })

  test('allows other changes after the spending policy is lowered', async () => {
    const frugal = await gateway.owner()
    const { id } = await gateway.issue(frugal, { creditLimit: 5 })
    await frugal.ask('PUT', '/balance/spending-limit', { spendingLimitUsdc: 1 })
    expect((await frugal.ask('PATCH', at(id), { name: 'renamed' })).status).toBe(200)
    expect((await frugal.ask('PATCH', at(id), { creditLimit: 1 })).status).toBe(200)
  })

  test('resets the amounts for a shorter interval and keeps them for a longer one', async () => {
    const { id } = await gateway.issue(owner, { resetInterval: 'never' })
    await gateway.run(sql`update credentials set spent = 30, held = 4 where id = ${id}`)
    await owner.ask('PATCH', at(id, '/quota'), { resetInterval: 'hourly' })
    expect((await owner.ask('GET', at(id, '/status'))).body).toMatchObject({
      spentUsdc: '0.000000',
      heldUsdc: '0.000000',
    })
    await gateway.run(sql`update credentials set spent = 7, held = 2 where id = ${id}`)
    await owner.ask('PATCH', at(id, '/quota'), { resetInterval: 'never' })
    expect((await owner.ask('GET', at(id, '/status'))).body).toMatchObject({
      spentUsdc: '0.000007',
      heldUsdc: '0.000002',
    })
  })

  test('waits for the ledger lock of the owner, and keeps what its holder writes', async () => {
    const { id } = await gateway.issue(owner)
    let change: Promise<unknown> = Promise.resolve()
    await gateway.deps.db.transaction(async tx => {
      await tx.query(sql`select ledger_lock(array[${owner.wallet}])`)
      change = owner.ask('PATCH', at(id, '/quota'), { maxCalls: 5 })
      await gateway.untilBlocked(1)
      await tx.query(sql`update credentials set calls_used = 3, spent = 8 where id = ${id}`)
    })
    await change
    expect((await owner.ask('GET', at(id, '/status'))).body).toMatchObject({
      callsUsed: 3,
      spentUsdc: '0.000008',
      maxCalls: 5,
    })
  })
})

describe('the credential of another owner', () => {
  const endpoints = (id: string): ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object?][] => [
    ['GET', at(id, '/status')],
    ['POST', at(id, '/revoke')],
    ['POST', at(id, '/rotate'), {}],
    ['PATCH', at(id), { name: 'taken' }],
    ['PATCH', at(id, '/quota'), { rpm: 1 }],
    ['DELETE', at(id)],
  ]

  test('is CREDENTIAL_NOT_FOUND at every endpoint, like one that does not exist', async () => {
    const { id, token } = await gateway.issue(owner)
    const stranger = await gateway.owner()
    const unknown = ['cred_00000000000000000000000000', 'x', '%00', '%27%20or%201=1', id.toUpperCase(), token]
    for (const target of [id, ...unknown]) {
      for (const [method, path, body] of endpoints(target)) {
        const answer = await stranger.ask(method, path, body)
        expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'CREDENTIAL_NOT_FOUND'])
        expect(answer.body.message).toBe('There is no such credential.')
      }
    }
    expect(await opens(token)).toBe(id)
    expect(await actionsOf(id)).toEqual(['issued'])
    expect(await actionsOf(id, stranger)).toEqual([])
    expect((await stranger.ask('GET', '/credentials/agent/list')).body.credentials).toEqual([])
  })

  test('every endpoint requires a session', async () => {
    const { id } = await gateway.issue(owner)
    const others = ['/credentials/agent/list', '/credentials/agent/audit-logs', '/balance/spending-limit']
    for (const [method, path, body] of [
      ...endpoints(id),
      ...others.map((path): ['GET', string] => ['GET', path]),
      ['PUT', '/balance/spending-limit', {}] as const,
    ]) {
      const answer = await send(gateway.url, `/api/v1${path}`, { method, ...(body && { body }) })
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'UNAUTHORIZED'])
    }
  })
})
