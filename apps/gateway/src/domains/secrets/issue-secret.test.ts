import { isTokenShaped, tokenDigest } from '@farebox/wire/tokens'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceGateway,
} from '../../../test/kit/gateway/service-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { issueSecret } from './issue-secret.ts'

const BASE = '/secrets/provider'
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let gateway: ServiceGateway
let alice: Provider
beforeAll(async () => {
  gateway = await startServiceGateway({ probesAtOnce: false })
  alice = await gateway.provider()
})
afterAll(() => gateway.stop())

const issue = (body: unknown, by = alice) => by.ask('POST', `${BASE}/issue`, body)
const listOf = async (by: Provider) =>
  (await by.ask('GET', `${BASE}/list`)).body as { status: string; secrets: Record<string, unknown>[] }
const auditOf = (id: string) =>
  gateway.run(sql`
    select owner, action, actor, detail from provider_secret_audit where secret_id = ${id} order by id`)

describe('POST /secrets/provider/issue', () => {
  test('returns the secret with its key and limits', async () => {
    const { status, body } = await issue({
      name: 'server',
      rpm: 60,
      creditLimit: '10',
      resetInterval: 'daily',
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      secret: {
        id: expect.stringMatching(/^psec_[0-9a-z]{26}$/),
        name: 'server',
        secretKey: expect.stringMatching(/^psk_[0-9A-Za-z]{49}$/),
        maskedKey: expect.stringMatching(/^psk_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$/),
        status: 'active',
        rpm: 60,
        creditLimit: '10.000000',
        resetInterval: 'daily',
        maxCalls: null,
        callsUsed: 0,
        expiresAt: null,
        capturedUsdc: '0.000000',
        createdAt: expect.stringMatching(ISO),
        lastUsedAt: null,
      },
    })
    const { secretKey, maskedKey } = body.secret as { secretKey: string; maskedKey: string }
    expect(isTokenShaped('psk', secretKey)).toBe(true)
    const [start, end] = maskedKey.split('…') as [string, string]
    expect(secretKey.startsWith(start) && secretKey.endsWith(end)).toBe(true)
  })

  test('takes maxCalls and any one member for its expiry, and generates a missing name', async () => {
    for (const ends of [
      { expiresInSec: 3_600 },
      { expiresAt: '2030-01-01T00:00:00Z' },
      { expiration: 1_893_456_000 },
    ]) {
      const { body } = await issue({ maxCalls: 5, ...ends })
      const secret = body.secret as { id: string; name: string; expiresAt: number }
      expect(secret).toMatchObject({ maxCalls: 5, callsUsed: 0, name: `secret ${secret.id.slice(-6)}` })
      if ('expiresInSec' in ends) expect(secret.expiresAt * 1_000 - Date.now()).toBeLessThanOrEqual(3_601_000)
      else expect(secret.expiresAt).toBe(1_893_456_000)
    }
    const answer = await issue({ expiresInSec: 60, expiresAt: 1_893_456_000 })
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })

  test.each([
    ['absent', {}],
    ['null', { rpm: null, creditLimit: null, resetInterval: null }],
  ])('defaults limits that are %s to 600 requests a minute, no cap, never reset', async (_, limits) => {
    const { body } = await issue({ name: 'plain', ...limits })
    expect(body.secret).toMatchObject({ rpm: 600, creditLimit: null, resetInterval: 'never' })
  })

  test.each([
    ['0', '0.000000'],
    [0.05, '0.050000'],
    [12, '12.000000'],
    ['999999999999.999999', '999999999999.999999'],
  ])('takes a creditLimit of %j', async (creditLimit, reported) => {
    expect((await issue({ name: 'a', creditLimit })).body.secret).toMatchObject({ creditLimit: reported })
  })

  test.each([1, 10_000_000])('takes an rpm of %i', async rpm => {
    expect((await issue({ name: 'a', rpm })).body.secret).toMatchObject({ rpm })
  })

  test('makes the wallet a provider', async () => {
    const bob = await gateway.provider()
    const rolesOf = async () => (await bob.ask('GET', '/auth/me')).body.roles
    expect(await rolesOf()).not.toContain('provider')
    await bob.issue()
    expect(await rolesOf()).toContain('provider')
  })

  test.each(['owner', 'id', 'secretKey', 'status', 'creditlimit'])(
    'INVALID_REQUEST for the unknown member %s, and nothing is issued',
    async name => {
      const bob = await gateway.provider()
      const { status, body } = await issue({ name: 'mine', [name]: 'x' }, bob)
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
      expect(body.message).toContain(`Unknown member "${name}"`)
      expect((await listOf(bob)).secrets).toEqual([])
    },
  )

  test.each<[string, unknown]>([
    ['no body', undefined],
    ['a list', []],
    ['a blank name', { name: '  ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with NUL', { name: 'a\u0000b' }],
    ['a name that is a number', { name: 5 }],
    ...['1e3', '-1', '-0', ' 1', '0.0000001', '', '01', '1000000000000', '1,5', 'NaN'].map(
      (creditLimit): [string, unknown] => [`a creditLimit of "${creditLimit}"`, { name: 'a', creditLimit }],
    ),
    ...[-1, 1e21, 0.1234567, true, {}].map((creditLimit): [string, unknown] => [
      `a creditLimit of ${JSON.stringify(creditLimit)}`,
      { name: 'a', creditLimit },
    ]),
    ...[0, -1, 1.5, '5', 1e15].map((maxCalls): [string, unknown] => [
      `maxCalls ${maxCalls}`,
      { name: 'a', maxCalls },
    ]),
    ...[0, -1, 1.5, '5', 10_000_001].map((rpm): [string, unknown] => [`rpm ${rpm}`, { name: 'a', rpm }]),
    ['the reset interval yearly', { name: 'a', resetInterval: 'yearly' }],
  ])('INVALID_PAYLOAD for %s', async (_, body) => {
    const answer = await issue(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
  })

  test('LIMIT_EXCEEDED past 100 active secrets of a wallet, also in parallel', async () => {
    const bob = await gateway.provider()
    for (let count = 0; count < 97; count += 1) {
      await issueSecret(gateway.deps, bob.wallet, { name: `number ${count}` })
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => issue({ name: 'a' }, bob)))
    const refused = answers.filter(({ status }) => status === 422)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(refused).toHaveLength(5)
    expect(refused[0]?.body).toMatchObject({ code: 'LIMIT_EXCEEDED', detail: { maxSecrets: 100 } })
    const { secrets } = await listOf(bob)
    expect(secrets).toHaveLength(100)

    await bob.ask('DELETE', `${BASE}/${secrets[50]?.id}`)
    expect((await issue({ name: 'a' }, bob)).status).toBe(200)
    expect((await issue({ name: 'a' })).status).toBe(200) // other wallets have a count of their own
  })
})

describe('GET /secrets/provider/list', () => {
  test('lists the secrets of the wallet only, newest first', async () => {
    const [bob, carol] = [await gateway.provider(), await gateway.provider()]
    const first = await bob.issue({ name: 'first', creditLimit: 3 })
    const second = await bob.issue({ name: 'second' })
    expect(await listOf(bob)).toMatchObject({
      status: 'success',
      secrets: [
        { id: second.id, name: 'second', maskedKey: second.maskedKey, status: 'active' },
        { id: first.id, name: 'first', creditLimit: '3.000000', capturedUsdc: '0.000000' },
      ],
    })
    expect(await listOf(carol)).toEqual({ status: 'success', secrets: [] })
  })

  test('returns when a secret was last used', async () => {
    const bob = await gateway.provider()
    const { secretKey } = await bob.issue()
    const before = Date.now()
    await gateway.askAs(secretKey, '/provider/services')
    const at = Date.parse(String((await listOf(bob)).secrets[0]?.lastUsedAt))
    expect(at).toBeGreaterThan(before - 1_000)
    expect(at).toBeLessThan(Date.now() + 1_000)
  })
})

describe('DELETE /secrets/provider/:id', () => {
  test('deletes the secret and removes it from the list', async () => {
    const bob = await gateway.provider()
    const [kept, deleted] = [await bob.issue(), await bob.issue({ name: 'old' })]
    const { status, body } = await bob.ask('DELETE', `${BASE}/${deleted.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'success',
      secretId: deleted.id,
      secret: { id: deleted.id, name: 'old', status: 'deleted' },
    })
    expect((await listOf(bob)).secrets.map(({ id }) => id)).toEqual([kept.id])
  })

  test('takes effect at once: the next request with the secret is rejected', async () => {
    const bob = await gateway.provider()
    const { id, secretKey } = await bob.issue()
    expect((await gateway.askAs(secretKey, '/provider/services')).status).toBe(200)
    await bob.ask('DELETE', `${BASE}/${id}`)
    expect((await gateway.askAs(secretKey, '/provider/services')).body.code).toBe('PROVIDER_SECRET_INVALID')
  })

  test("SECRET_NOT_FOUND for another owner's secret, which keeps working", async () => {
    const bob = await gateway.provider()
    const { id, secretKey } = await bob.issue()
    const { status, body } = await alice.ask('DELETE', `${BASE}/${id}`)
    expect([status, body.code]).toEqual([404, 'SECRET_NOT_FOUND'])
    expect((await gateway.askAs(secretKey, '/provider/services')).status).toBe(200)
  })

  test('SECRET_NOT_FOUND for an unknown, malformed or deleted id', async () => {
    const { id, secretKey } = await alice.issue()
    await alice.ask('DELETE', `${BASE}/${id}`)
    for (const other of [id, 'psec_00000000000000000000000000', secretKey, 'x', '%00', 'a'.repeat(150)]) {
      const { status, body } = await alice.ask('DELETE', `${BASE}/${other}`)
      expect([status, body.code]).toEqual([404, 'SECRET_NOT_FOUND'])
    }
  })

  test('deletes once when sent in parallel', async () => {
    const { id } = await alice.issue()
    const answers = await Promise.all(Array.from({ length: 6 }, () => alice.ask('DELETE', `${BASE}/${id}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await auditOf(id)).toHaveLength(2)
  })
})

test('records every issue and deletion in the audit trail, with actor and secret', async () => {
  const { id } = await alice.issue({ name: 'told', rpm: 5, creditLimit: 2, resetInterval: 'weekly' })
  await alice.ask('DELETE', `${BASE}/${id}`)
  expect(await auditOf(id)).toEqual([
    {
      owner: alice.wallet,
      actor: alice.wallet,
      action: 'issued',
      detail: {
        after: {
          name: 'told',
          rpm: 5,
          creditLimit: '2.000000',
          resetInterval: 'weekly',
          maxCalls: null,
          expiresAt: null,
        },
      },
    },
    { owner: alice.wallet, actor: alice.wallet, action: 'deleted', detail: {} },
  ])
})

test('a key is in no table and no later response: the database has its digest only', async () => {
  const { id, secretKey } = await alice.issue()
  await gateway.askAs(secretKey, '/provider/services')
  const answers = [
    await alice.ask('GET', `${BASE}/list`),
    await alice.ask('DELETE', `${BASE}/${secretKey}`),
    await alice.ask('DELETE', `${BASE}/${id}`),
    await gateway.askAs(secretKey, '/provider/services'),
  ]
  const tables = await gateway.run(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`)
  const texts = await Promise.all(
    tables.map(({ name }) =>
      gateway.deps.db.query<{ text: string | null }>({
        text: `select string_agg(t::text, E'\\n') as text from "${name}" t`,
        values: [],
      }),
    ),
  )
  const dump = texts.map(([row]) => row?.text ?? '').join('\n')
  expect(dump).toContain(tokenDigest(secretKey).toString('hex'))
  // The characters that the mask hides appear nowhere, whole or in part.
  const hidden = secretKey.slice('psk_'.length + 4, -4)
  for (const text of [dump, ...answers.map(({ body }) => JSON.stringify(body))]) {
    expect(text).not.toContain(hidden.slice(0, 12))
    expect(text).not.toContain(hidden.slice(-12))
  }
})

describe.each([
  ['POST', '/issue', { nonsense: true }],
  ['GET', '/list', undefined],
  ['DELETE', '/psec_00000000000000000000000000', undefined],
] as const)('%s /secrets/provider%s', (method, path, body) => {
  const ask = (token?: string) =>
    send(gateway.url, `/api/v1${BASE}${path}`, {
      method,
      ...(body && { body }),
      ...(token !== undefined && { token }),
    })

  test('is UNAUTHORIZED without a session, before its body is parsed', async () => {
    expect(await ask()).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  })

  test('is UNAUTHORIZED with a provider secret: a secret can neither issue nor delete secrets', async () => {
    const { secretKey } = await alice.issue()
    expect(await ask(secretKey)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  })
})
