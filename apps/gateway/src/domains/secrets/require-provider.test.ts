import { usdc } from '@farebox/money'
import { writeToken } from '@farebox/wire/tokens'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agedWindow } from '../../../test/kit/database/rate-window.ts'
import {
  type Provider,
  type ServiceGateway,
  startServiceGateway,
} from '../../../test/kit/gateway/service-gateway.ts'
import { postMovements } from '../../../test/kit/ledger/post-movements.ts'
import { send } from '../../../test/kit/network/http.ts'
import type { Db } from '../../ports.ts'
import { createAgentGuard } from '../credentials/require-agent.ts'
import { issueSecret } from './issue-secret.ts'
import { createProviderGuard } from './require-provider.ts'

const PATH = '/provider/services'
const neverIssued = writeToken('psk', new Uint8Array(32).fill(3))

let gateway: ServiceGateway
let alice: Provider
beforeAll(async () => {
  gateway = await startServiceGateway({ probesAtOnce: false })
  alice = await gateway.provider()
})
afterAll(() => gateway.stop())

const code = (value: string) => expect.objectContaining({ code: value })
const ask = (headers: Record<string, string>) => send(gateway.url, `/api/v1${PATH}`, { headers })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('a provider secret', () => {
  test.each(['Bearer ', 'bearer ', 'BEARER   '])('is accepted after "%s"', async scheme => {
    const { id, secretKey } = await alice.issue({ rpm: 7 })
    await expect(
      gateway.providers.authenticate({ authorization: `${scheme}${secretKey}` }),
    ).resolves.toMatchObject({ secretId: id, wallet: alice.wallet, rate: { rpm: 7, remaining: 6 } })
  })

  test('is rejected once its calls are used or it has expired, saying which', async () => {
    const limited = await alice.issue({ maxCalls: 2 })
    const timed = await alice.issue({ expiresInSec: 3_600 })
    for (const { secretKey } of [limited, limited, timed]) {
      expect((await ask(bearer(secretKey))).status).toBe(200)
    }
    await gateway.run(sql`update provider_secrets set expires_at = now() where id = ${timed.id}`)
    for (const [{ secretKey }, reason, says] of [
      [limited, 'calls_used', 'maxCalls: all 2 calls of the provider secret are used.'],
      [timed, 'expired', 'The provider secret has expired'],
    ] as const) {
      const { status, body } = await ask(bearer(secretKey))
      expect([status, body]).toMatchObject([401, { code: 'PROVIDER_SECRET_INVALID', detail: { reason } }])
      expect(body.message).toContain(says)
    }
    const { secrets } = (await alice.ask('GET', '/secrets/provider/list')).body as {
      secrets: { id: string }[]
    }
    const shown = (id: string) => secrets.find(secret => secret.id === id)
    expect(shown(limited.id)).toMatchObject({ status: 'expired', maxCalls: 2, callsUsed: 2 })
    expect(shown(timed.id)).toMatchObject({ status: 'expired', expiresAt: expect.any(Number) })
  })

  test('is UNAUTHORIZED at owner routes', async () => {
    const { secretKey } = await alice.issue()
    for (const path of ['/auth/me', '/services', '/credentials/agent/list', '/secrets/provider/list']) {
      const { status, body } = await gateway.askAs(secretKey, path)
      expect([path, status, body.code]).toEqual([path, 401, 'UNAUTHORIZED'])
    }
  })

  test('is CREDENTIAL_INVALID at agent routes, in any header', async () => {
    const { secretKey } = await alice.issue()
    const agents = createAgentGuard(gateway.deps)
    for (const headers of [bearer(secretKey), { 'x-credential': secretKey }, { 'x-api-key': secretKey }]) {
      await expect(agents.authenticate(headers)).rejects.toEqual(code('CREDENTIAL_INVALID'))
    }
  })
})

describe('PROVIDER_SECRET_INVALID is the answer to', () => {
  test.each<[string, () => Record<string, string>]>([
    ['no header', () => ({})],
    ['an empty header', () => ({ authorization: '' })],
    ['another scheme', () => ({ authorization: `Basic ${neverIssued}` })],
    ['a text that is not a secret', () => bearer('psk_nonsense')],
    ['a secret with a wrong checksum', () => bearer(`psk_${'0'.repeat(49)}`)],
    ['a secret that was never issued', () => bearer(neverIssued)],
    ['a header of ten thousand characters', () => bearer('p'.repeat(10_000))],
    ['the session of a wallet', () => bearer(alice.token)],
    ['an agent token', () => bearer(writeToken('agt', new Uint8Array(32).fill(3)))],
  ])('%s', async (_, headersOf) => {
    const answer = await ask(headersOf())
    expect([answer.status, answer.body.code]).toEqual([401, 'PROVIDER_SECRET_INVALID'])
    expect(answer.body.message).toBe(
      'A valid provider secret is required. Send Authorization: Bearer psk_..., made by POST /api/v1/secrets/provider/issue.',
    )
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test('an active agent token', async () => {
    const { db, ids } = gateway.deps
    await db.transaction(tx =>
      postMovements(tx, [
        { kind: 'deposit', wallet: alice.wallet, amount: usdc(5n), reference: ids.next('dep') },
      ]),
    )
    const { body } = await alice.ask('POST', '/credentials/agent/issue', { name: 'agent' })
    expect(body.token).toMatch(/^agt_/)
    expect((await ask(bearer(String(body.token)))).body.code).toBe('PROVIDER_SECRET_INVALID')
    expect((await ask({ 'x-credential': String(body.token) })).body.code).toBe('PROVIDER_SECRET_INVALID')
  })

  test('a valid secret in another header', async () => {
    const { secretKey } = await alice.issue()
    for (const name of ['x-credential', 'x-agent-credential', 'x-api-key', 'x-provider-secret', 'cookie']) {
      expect((await ask({ [name]: secretKey })).body.code).toBe('PROVIDER_SECRET_INVALID')
    }
  })

  test('a valid secret with extra or changed characters', async () => {
    const { secretKey } = await alice.issue()
    for (const key of [`${secretKey}x`, secretKey.toUpperCase(), `"${secretKey}"`, `${secretKey}, x`]) {
      expect((await ask(bearer(key))).body.code).toBe('PROVIDER_SECRET_INVALID')
    }
  })

  test('a deleted secret, at every gateway from the deletion on', async () => {
    const { id, secretKey } = await alice.issue()
    const other = createProviderGuard(gateway.deps)
    await other.authenticate(bearer(secretKey))
    await alice.ask('DELETE', `/secrets/provider/${id}`)
    for (const guard of [other, gateway.providers]) {
      await expect(guard.authenticate(bearer(secretKey))).rejects.toEqual(code('PROVIDER_SECRET_INVALID'))
    }
  })

  test('a secret whose deletion is in progress', async () => {
    const { id, secretKey } = await alice.issue()
    let refused: Promise<unknown> = Promise.resolve()
    await gateway.deps.db.transaction(async tx => {
      await tx.query(sql`update provider_secrets set status = 'deleted' where id = ${id}`)
      refused = expect(gateway.providers.authenticate(bearer(secretKey))).rejects.toEqual(
        code('PROVIDER_SECRET_INVALID'),
      )
      await gateway.untilBlocked(1)
    })
    await refused
  })
})

test('malformed secrets do not reach the database', async () => {
  let looks = 0
  const counting: Db = {
    query(statement) {
      looks += 1
      return gateway.deps.db.query(statement)
    },
    transaction(work) {
      looks += 1
      return gateway.deps.db.transaction(work)
    },
  }
  const guard = createProviderGuard({ db: counting })
  const noise = [{}, { authorization: ['Bearer x'] }, bearer(`psk_${'0'.repeat(49)}`), bearer(alice.token)]
  for (const headers of noise) {
    await expect(guard.authenticate(headers)).rejects.toEqual(code('PROVIDER_SECRET_INVALID'))
  }
  expect(looks).toBe(0)
})

test('WALLET_SUSPENDED is the answer to a secret of a suspended wallet, until it is resumed', async () => {
  const bob = await gateway.provider()
  const { secretKey } = await bob.issue()
  await gateway.run(sql`update wallets set suspended_at = now() where address = ${bob.wallet}`)
  expect(await ask(bearer(secretKey))).toMatchObject({ status: 403, body: { code: 'WALLET_SUSPENDED' } })
  await gateway.run(sql`update wallets set suspended_at = null where address = ${bob.wallet}`)
  expect((await ask(bearer(secretKey))).status).toBe(200)
})

describe('the rate of a secret', () => {
  test('is in the headers of every response', async () => {
    const { secretKey } = await alice.issue({ rpm: 5 })
    const { headers } = await ask(bearer(secretKey))
    expect(headers['ratelimit-policy']).toBe('"rpm";q=5;w=60')
    expect(headers.ratelimit).toBe('"rpm";r=4;t=60')
    // A request that fails later is counted too.
    const missing = await gateway.askAs(secretKey, '/provider/services/svc_unknown/health')
    expect([missing.status, missing.headers.ratelimit]).toEqual([404, '"rpm";r=3;t=60'])
  })

  test('refuses with RATE_LIMITED, and admits after Retry-After', async () => {
    const { id, secretKey } = await alice.issue({ rpm: 2 })
    await ask(bearer(secretKey))
    await ask(bearer(secretKey))
    const { status, body, headers } = await ask(bearer(secretKey))
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED'])
    const seconds = Number(headers['retry-after'])
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(body.detail).toMatchObject({ limit: 'rpm', rpm: 2, retryAfterSeconds: seconds })
    expect(headers['ratelimit-policy']).toBe('"rpm";q=2;w=60')
    expect(headers.ratelimit).toBe(`"rpm";r=0;t=${seconds}`)

    const age = (by: number) =>
      gateway.run(sql`update provider_secrets set rate_window = ${agedWindow(by)} where id = ${id}`)
    await age(30)
    expect((await ask(bearer(secretKey))).status).toBe(429)
    await age(seconds - 30)
    expect((await ask(bearer(secretKey))).status).toBe(200)
  })

  test('is exact for concurrent requests at two gateways, and rejected ones do not count', async () => {
    const { id, secretKey } = await alice.issue({ rpm: 5 })
    const guards = [gateway.providers, createProviderGuard(gateway.deps)]
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => guards[index % 2]?.authenticate(bearer(secretKey))),
    )
    const admitted = outcomes.flatMap(outcome =>
      outcome.status === 'fulfilled' ? [outcome.value?.rate.remaining] : [],
    )
    const refusals = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(admitted.sort()).toEqual([0, 1, 2, 3, 4])
    expect(refusals).toEqual(Array.from({ length: 35 }, () => code('RATE_LIMITED')))

    // After a minute the full quota is available again, and no more.
    await gateway.run(sql`update provider_secrets set rate_window = ${agedWindow(60)} where id = ${id}`)
    for (const turn of [0, 1, 0, 1, 0]) await guards[turn]?.authenticate(bearer(secretKey))
    await expect(guards[1]?.authenticate(bearer(secretKey))).rejects.toEqual(code('RATE_LIMITED'))
  })

  test('is per secret, not per wallet', async () => {
    const [first, second] = [await alice.issue({ rpm: 1 }), await alice.issue({ rpm: 1 })]
    for (const { secretKey } of [first, second]) expect((await ask(bearer(secretKey))).status).toBe(200)
    for (const { secretKey } of [first, second]) expect((await ask(bearer(secretKey))).status).toBe(429)
  })

  test('counts nothing for a suspended wallet', async () => {
    const bob = await gateway.provider()
    const { secretKey, secret } = await issueSecret(gateway.deps, bob.wallet, { name: 'a', rpm: 1 })
    await gateway.run(sql`update wallets set suspended_at = now() where address = ${bob.wallet}`)
    await ask(bearer(secretKey))
    const rows = await gateway.run(
      sql`select rate_window, last_used_at from provider_secrets where id = ${secret.id}`,
    )
    expect(rows).toEqual([{ rateWindow: Buffer.alloc(0), lastUsedAt: null }])
  })
})
