import { createHash } from 'node:crypto'
import { usdc } from '@farebox/money'
import { isTokenShaped, tokenDigest } from '@farebox/wire/tokens'
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

const ISSUE = '/credentials/agent/issue'
const issue = (body: unknown, by = owner) => by.ask('POST', ISSUE, body)

describe('POST /credentials/agent/issue', () => {
  test('returns the token and the credential with every requested setting', async () => {
    const before = Math.floor(Date.now() / 1_000)
    const { status, body } = await issue({
      name: 'research agent',
      maxCalls: 100,
      creditLimit: 5,
      rpm: 60,
      resetInterval: 'daily',
      expiresInSec: 3_600,
      allowedServices: ['svc_01', 'echo-api'],
    })
    expect(status).toBe(200)
    const { token, credential } = body as { token: string; credential: Record<string, unknown> }
    expect(isTokenShaped('agt', token)).toBe(true)
    expect(body).toMatchObject({ status: 'success', credentialId: credential.id })
    expect(credential).toEqual({
      id: expect.stringMatching(/^cred_[0-9a-z]{26}$/),
      credential_id: credential.id,
      token,
      name: 'research agent',
      status: 'active',
      maxCalls: 100,
      creditLimit: '5.000000',
      maxCostPerCallUsdc: null,
      rpm: 60,
      resetInterval: 'daily',
      allowedServices: ['svc_01', 'echo-api'],
      expiresAt: expect.any(Number),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    expect(Number(credential.expiresAt) - before).toBeGreaterThanOrEqual(3_600)
    expect(Number(credential.expiresAt) - before).toBeLessThan(3_660)
  })

  test('prefixes each token with the ledger partition of its owner', async () => {
    // Computed as a load balancer does: the low four bits of the first byte of the SHA-256 of the lower-case address.
    const digitOf = (by: Member) => createHash('sha256').update(by.wallet).digest('hex').charAt(1)
    const owners = [owner, await gateway.owner()]
    // Needs a digit above 9, to check its case.
    while (!owners.some(by => digitOf(by) > '9')) owners.push(await gateway.owner())
    const leads = owners.map(digitOf)
    const issued = await Promise.all(owners.flatMap(by => [gateway.issue(by), gateway.issue(by)]))
    expect(issued.map(({ token }) => token.slice(0, 5))).toEqual(
      leads.flatMap(lead => [`agt_${lead.toUpperCase()}`, `agt_${lead.toUpperCase()}`]),
    )
    expect(new Set(issued.map(({ token }) => token.slice(5, 47))).size).toBe(issued.length)
  })

  test('sets no limit by default, except 600 calls per minute', async () => {
    const none = { maxCalls: null, creditLimit: null, rpm: null, expiresInSec: null, allowedServices: null }
    for (const body of [{ name: 'plain' }, { name: 'plain', ...none, resetInterval: null }]) {
      const answer = await issue(body)
      expect(answer.body.credential).toMatchObject({
        maxCalls: null,
        creditLimit: null,
        rpm: 600,
        resetInterval: 'never',
        expiresAt: null,
        allowedServices: null,
      })
    }
  })

  test('accepts a credit limit as a string or number, including zero', async () => {
    for (const [given, shown] of [
      ['0.050000', '0.050000'],
      [0.05, '0.050000'],
      ['1000', '1000.000000'],
      [0, '0.000000'],
    ]) {
      const { body } = await issue({ name: 'a', creditLimit: given })
      expect(body.credential).toMatchObject({ creditLimit: shown })
    }
  })

  test('starts the interval at the calendar boundary, in database time', async () => {
    const { id } = await gateway.issue(owner, { resetInterval: 'monthly' })
    const [row] = await gateway.run(sql`
      select interval_start = date_trunc('month', now(), 'UTC') as is_start from credentials where id = ${id}`)
    expect(row?.isStart).toBe(true)
  })

  test('creates one spending policy per owner, also for parallel requests', async () => {
    const fresh = await gateway.owner()
    await Promise.all([gateway.issue(fresh), gateway.issue(fresh), gateway.issue(fresh)])
    const rows = await gateway.run(sql`
      select monthly_limit, allow_unlimited from spending_policies where owner = ${fresh.wallet}`)
    expect(rows).toEqual([{ monthlyLimit: null, allowUnlimited: false }])
  })

  test.each([
    ['creditlimit', 'Did you mean "creditLimit"?'],
    ['max_calls', 'Did you mean "maxCalls"?'],
    ['expires', 'Did you mean "expiresAt"?'],
    ['owner', 'Unknown member "owner".'],
    ['token', 'Unknown member "token".'],
    ['callsUsed', 'Unknown member "callsUsed".'],
  ])('INVALID_REQUEST for the unknown member %s, and nothing is issued', async (name, message) => {
    const by = await gateway.owner()
    const { status, body } = await issue({ name: 'mine', [name]: 1 }, by)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.message).toContain(message)
    expect((await by.ask('GET', '/credentials/agent/list')).body.credentials).toEqual([])
  })

  test('generates a name when none is given', async () => {
    for (const body of [{}, { name: null }]) {
      const { credential } = (await issue(body)).body as { credential: { id: string; name: string } }
      expect(credential.name).toBe(`agent ${credential.id.slice(-6)}`)
    }
  })

  test('accepts expiresAt or expiration, as ISO 8601 or Unix seconds', async () => {
    for (const body of [
      { expiresAt: '2030-01-01T00:00:00Z' },
      { expiration: '2030-01-01T01:00:00.000+01:00' },
      { expiration: 1_893_456_000, expiresInSec: null },
    ]) {
      expect((await issue({ name: 'a', ...body })).body.credential).toMatchObject({
        expiresAt: 1_893_456_000,
      })
    }
  })

  test('INVALID_PAYLOAD for an allow-list with an unknown service, which the message names', async () => {
    const { status, body } = await issue({ name: 'a', allowedServices: ['echo', 'unknown-1'] })
    expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(body.message).toContain('There is no service unknown-1.')
  })

  test('INSUFFICIENT_BALANCE for an owner without spendable balance, and nothing is issued', async () => {
    const poor = await gateway.owner(usdc(0n))
    const { status, body } = await issue({ name: 'a' }, poor)
    expect([status, body.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
    expect((await poor.ask('GET', '/credentials/agent/list')).body.credentials).toEqual([])
    expect((await poor.ask('GET', '/credentials/agent/audit-logs')).body.logs).toEqual([])
  })

  test('INSUFFICIENT_BALANCE when the whole balance is held', async () => {
    const busy = await gateway.owner(usdc(10n))
    await gateway.run(sql`update accounts set reserved = 10 where id = ${`consumer:${busy.wallet}`}`)
    expect((await issue({ name: 'a' }, busy)).body.code).toBe('INSUFFICIENT_BALANCE')
    await gateway.run(sql`update accounts set reserved = 9 where id = ${`consumer:${busy.wallet}`}`)
    expect((await issue({ name: 'a' }, busy)).status).toBe(200)
  })

  test('LIMIT_EXCEEDED for a credit limit one micro-USDC above the spending policy', async () => {
    const { status, body } = await issue({ name: 'a', creditLimit: '1000.000001' })
    expect([status, body.code]).toEqual([422, 'LIMIT_EXCEEDED'])
    expect(body.detail).toMatchObject({ creditLimit: '1000.000001', maxCreditLimitUsdc: '1000.000000' })
    expect(body.message).toContain("the owner's spending policy allows at most 1000.000000 USDC")
    expect(body.message).toContain('PUT /api/v1/balance/spending-limit')
    expect((await issue({ name: 'a', creditLimit: '1000.000000' })).status).toBe(200)
  })

  test('LIMIT_EXCEEDED for a credit limit above the policy that the owner set', async () => {
    const frugal = await gateway.owner()
    await frugal.ask('PUT', '/balance/spending-limit', { spendingLimitUsdc: '10', dailyLimitUsdc: '2' })
    expect((await issue({ name: 'a', creditLimit: 11 }, frugal)).body.code).toBe('LIMIT_EXCEEDED')
    expect((await issue({ name: 'a', creditLimit: 10 }, frugal)).status).toBe(200)
    expect((await issue({ name: 'a', creditLimit: 3, resetInterval: 'daily' }, frugal)).body.code).toBe(
      'LIMIT_EXCEEDED',
    )
    await frugal.ask('PUT', '/balance/spending-limit', { allowUnlimited: true, dailyLimitUsdc: null })
    expect((await issue({ name: 'a', creditLimit: 999_999, resetInterval: 'daily' }, frugal)).status).toBe(
      200,
    )
  })

  test.each<[string, unknown]>([
    ['no body', undefined],
    ['a list', []],
    ['an empty name', { name: '' }],
    ['a blank name', { name: '  ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with NUL', { name: 'a\u0000b' }],
    ['a name with a lone surrogate', { name: 'a\ud800' }],
    ['a name that is a number', { name: 5 }],
    ...['1e3', '-0', ' 1', '0x1', '0.0000001', '１', '', '1e400', '+1', '01', '1000000000000', '1,5'].map(
      (creditLimit): [string, unknown] => [`a credit limit of "${creditLimit}"`, { name: 'a', creditLimit }],
    ),
    ...[-1, 1e21, 0.1234567, true, {}, []].map((creditLimit): [string, unknown] => [
      `a credit limit of ${JSON.stringify(creditLimit)}`,
      { name: 'a', creditLimit },
    ]),
    ...[0, -1, 1.5, '5', 1e15].map((maxCalls): [string, unknown] => [
      `maxCalls ${maxCalls}`,
      { name: 'a', maxCalls },
    ]),
    ...[0, -1, 1.5, '5', 10_000_001].map((rpm): [string, unknown] => [`rpm ${rpm}`, { name: 'a', rpm }]),
    ...[0, -1, 0.5, 315_360_001].map((expiresInSec): [string, unknown] => [
      `expiresInSec ${expiresInSec}`,
      { name: 'a', expiresInSec },
    ]),
    ['a reset interval of yearly', { name: 'a', resetInterval: 'yearly' }],
    [
      'an allow-list of 101',
      { name: 'a', allowedServices: Array.from({ length: 101 }, (_, i) => `svc_${i}`) },
    ],
    ['an allow-list with a path', { name: 'a', allowedServices: ['../x'] }],
  ])('INVALID_PAYLOAD for %s', async (_, body) => {
    const answer = await issue(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })

  test('UNAUTHORIZED before the body is validated', async () => {
    const path = `/api/v1${ISSUE}`
    const answer = await send(gateway.url, path, { method: 'POST', body: { nonsense: true } })
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('a token', () => {
  test('is stored only as a digest, and appears in no later response or error', async () => {
    const { id, token } = await gateway.issue(owner)
    const rotated = await owner.ask('POST', `/credentials/agent/${id}/rotate`, { overlapSeconds: 60 })
    const tokens = [token, rotated.body.token as string]
    expect(tokens[1]).not.toBe(token)

    const dump = await gateway.dump()
    expect(dump).toContain(id)
    const base = `/credentials/agent/${id}`
    const answers = [
      await owner.ask('GET', '/credentials/agent/list?limit=100'),
      await owner.ask('GET', `${base}/status`),
      await owner.ask('GET', '/credentials/agent/audit-logs'),
      await owner.ask('PATCH', base, { name: 'renamed' }),
      await owner.ask('PATCH', `${base}/quota`, { rpm: 5 }),
      await owner.ask('POST', `${base}/revoke`),
      await owner.ask('DELETE', base),
      await owner.ask('GET', `/credentials/agent/${token}/status`),
    ]
    for (const text of [dump, ...answers.map(answer => JSON.stringify(answer.body))]) {
      for (const secret of tokens) expect(text).not.toContain(secret.slice(4))
    }
    expect(dump).toContain(tokenDigest(token).toString('hex'))
  })
})
