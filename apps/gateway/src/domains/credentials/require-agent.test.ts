import { randomBytes } from 'node:crypto'
import { tokenDigest, writeToken } from '@farebox/wire/tokens'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CredentialGateway,
  startCredentialGateway,
} from '../../../test/kit/gateway/credential-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import type { CamelCase, Db, Statement } from '../../ports.ts'
import { AGENT_CACHE_AGE_MS_MAX, createAgentGuard, PAYER_CACHE_AGE_MS_MAX } from './require-agent.ts'

let gateway: CredentialGateway
let owner: Member
beforeAll(async () => {
  gateway = await startCredentialGateway()
  owner = await gateway.owner()
})
afterAll(() => gateway.stop())

const code = (value: string) => expect.objectContaining({ code: value })

/** Returns a guard with an adjustable clock, and a counter of its database queries. */
function countingGuard() {
  const { db } = gateway.deps
  const state = { now: 1_700_000_000_000, looks: 0 }
  const counting: Db = {
    query<Row extends CamelCase<Row>>(statement: Statement) {
      state.looks += 1
      return db.query<Row>(statement)
    },
    transaction: work => db.transaction(work),
  }
  const guard = createAgentGuard({ db: counting, clock: { now: () => state.now } })
  return {
    state,
    guard,
    ask: (token: string) => guard.authenticate({ 'x-credential': token }),
    askPayer: (token: string) => guard.authenticatePayer({ 'x-credential': token }),
  }
}

describe('the credential is read from', () => {
  test.each([
    ['X-Credential', (token: string) => ({ 'x-credential': token })],
    ['X-Agent-Credential', (token: string) => ({ 'x-agent-credential': token })],
    ['Authorization: Bearer', (token: string) => ({ authorization: `Bearer ${token}` })],
    ['Authorization: bearer', (token: string) => ({ authorization: `bearer  ${token}` })],
    ['X-Api-Key', (token: string) => ({ 'x-api-key': token })],
    [
      'X-Api-Key beside a session',
      (token: string) => ({ 'x-api-key': token, authorization: 'Bearer ey.J.x' }),
    ],
  ])('%s', async (_, headersOf) => {
    const { id, token } = await gateway.issue(owner, {
      name: 'reader',
      rpm: 7,
      allowedServices: ['echo', 'svc_1'],
    })
    await expect(gateway.agents.authenticate(headersOf(token))).resolves.toEqual({
      credentialId: id,
      owner: owner.wallet,
      name: 'reader',
      allowedServices: new Set(['echo', 'svc_1']),
      rpm: 7,
      maxCostPerCall: null,
      tokenDigest: tokenDigest(token),
    })
  })
})

test.each(['0', 'F', 'G', 'z', 'a'])(
  'a token that begins with %s authenticates, whatever the partition of its owner',
  async lead => {
    const { id } = await gateway.issue(owner)
    const token = writeToken('agt', randomBytes(32), lead)
    await gateway.run(sql`update credentials set token_hash = ${tokenDigest(token)} where id = ${id}`)
    await expect(gateway.agents.authenticate({ 'x-credential': token })).resolves.toMatchObject({
      credentialId: id,
      owner: owner.wallet,
    })
  },
)

describe('CREDENTIAL_INVALID is returned for', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['no header at all', () => ({})],
    ['an empty header', () => ({ 'x-credential': '' })],
    ['a header sent twice', () => ({ 'x-credential': ['a', 'b'] })],
    ['a text that is no token', () => ({ 'x-credential': 'agt_nonsense' })],
    ['a token with a wrong checksum', () => ({ 'x-credential': `agt_${'0'.repeat(49)}` })],
    [
      'a token that was never issued',
      () => ({ 'x-credential': writeToken('agt', new Uint8Array(32).fill(3)) }),
    ],
    ['a provider secret', () => ({ 'x-credential': writeToken('psk', new Uint8Array(32).fill(3)) })],
    ['a header of a megabyte', () => ({ 'x-credential': 'a'.repeat(1_000_000) })],
    ['the session of an owner', () => ({ authorization: `Bearer ${owner.token}` })],
    ['the session of an owner as credential', () => ({ 'x-credential': owner.token })],
    ['another scheme', () => ({ authorization: 'Basic YWd0Xw==' })],
  ])('%s', async (_, headers) => {
    await expect(gateway.agents.authenticate(headers())).rejects.toEqual(code('CREDENTIAL_INVALID'))
  })

  test('no header, saying which to send', async () => {
    const message = expect.stringContaining('Send X-Credential: agt_... or Authorization: Bearer agt_...')
    await expect(gateway.agents.authenticate({})).rejects.toMatchObject({
      code: 'CREDENTIAL_INVALID',
      message,
    })
  })

  test('a valid credential when a header of higher precedence has an invalid one', async () => {
    const { token } = await gateway.issue(owner)
    const headers = { 'x-credential': 'agt_wrong', authorization: `Bearer ${token}` }
    await expect(gateway.agents.authenticate(headers)).rejects.toEqual(code('CREDENTIAL_INVALID'))
  })

  test('a deleted credential', async () => {
    const { id, token } = await gateway.issue(owner)
    await owner.ask('DELETE', `/credentials/agent/${id}`)
    await expect(gateway.agents.authenticate({ 'x-credential': token })).rejects.toEqual(
      code('CREDENTIAL_INVALID'),
    )
  })
})

test('missing and malformed tokens never reach the database', async () => {
  const { state, guard, ask } = countingGuard()
  await expect(ask(`agt_${'0'.repeat(49)}`)).rejects.toEqual(code('CREDENTIAL_INVALID'))
  const { token } = await gateway.issue(owner)
  await expect(ask(`Bearer ${token}`)).rejects.toThrow(
    'This is not an agent credential, or only a part of one. Send X-Credential: agt_...',
  )
  await expect(guard.authenticate({})).rejects.toEqual(code('CREDENTIAL_INVALID'))
  expect(state.looks).toBe(0)
})

test('CREDENTIAL_INACTIVE is returned for an expired credential', async () => {
  const { id, token } = await gateway.issue(owner, { expiresInSec: 100 })
  await gateway.run(sql`update credentials set expires_at = now() - interval '1 ms' where id = ${id}`)
  await expect(gateway.agents.authenticate({ 'x-credential': token })).rejects.toEqual(
    code('CREDENTIAL_INACTIVE'),
  )
})

test('CREDENTIAL_INACTIVE is returned for a revoked credential as soon as the revocation responds', async () => {
  const { id, token } = await gateway.issue(owner)
  await gateway.agents.authenticate({ 'x-credential': token })
  await owner.ask('POST', `/credentials/agent/${id}/revoke`)
  await expect(gateway.agents.authenticate({ 'x-credential': token })).rejects.toEqual(
    code('CREDENTIAL_INACTIVE'),
  )
})

test('WALLET_SUSPENDED is returned for a credential of a suspended wallet', async () => {
  const suspended = await gateway.owner()
  const { token } = await gateway.issue(suspended)
  await gateway.run(sql`update wallets set suspended_at = now() where address = ${suspended.wallet}`)
  await expect(gateway.agents.authenticate({ 'x-credential': token })).rejects.toEqual(
    code('WALLET_SUSPENDED'),
  )
})

describe('the cache of the guard', () => {
  test('saves database queries for at most two seconds', async () => {
    const { token } = await gateway.issue(owner)
    const { state, ask } = countingGuard()
    for (let calls = 0; calls < 100; calls += 1) await ask(token)
    state.now += AGENT_CACHE_AGE_MS_MAX - 1
    await ask(token)
    expect(state.looks).toBe(1)
    state.now += 1
    await ask(token)
    expect(state.looks).toBe(2)
  })

  test('saves database queries for up to a minute for payers only', async () => {
    const { token } = await gateway.issue(owner)
    const { state, ask, askPayer } = countingGuard()
    await askPayer(token)
    state.now += PAYER_CACHE_AGE_MS_MAX - 1
    await askPayer(token)
    expect(state.looks).toBe(1)
    await ask(token)
    expect(state.looks).toBe(2)
    state.now += PAYER_CACHE_AGE_MS_MAX
    await askPayer(token)
    expect(state.looks).toBe(3)
  })

  test('drops the rotated token of a payer when its overlap ends', async () => {
    const { id, token } = await gateway.issue(owner)
    const body = { overlapSeconds: 30 }
    await owner.ask('POST', `/credentials/agent/${id}/rotate`, body)
    const { state, askPayer } = countingGuard()
    await askPayer(token)
    await gateway.run(sql`update credentials set previous_expires_at = now() where id = ${id}`)
    state.now += 30_000
    await expect(askPayer(token)).rejects.toEqual(code('CREDENTIAL_INVALID'))
  })

  test('reflects a revocation on another gateway within two seconds', async () => {
    const { id, token } = await gateway.issue(owner)
    const { state, ask } = countingGuard()
    await ask(token)
    await owner.ask('POST', `/credentials/agent/${id}/revoke`)
    state.now += AGENT_CACHE_AGE_MS_MAX
    await expect(ask(token)).rejects.toEqual(code('CREDENTIAL_INACTIVE'))
  })

  test('does not live longer when the clock is set back', async () => {
    const { token } = await gateway.issue(owner)
    const { state, ask } = countingGuard()
    await ask(token)
    state.now -= 3_600_000
    await ask(token)
    expect(state.looks).toBe(2)
  })

  test('drops a credential that expires within the two seconds', async () => {
    const { id, token } = await gateway.issue(owner)
    await gateway.run(sql`update credentials set expires_at = now() + interval '1 second' where id = ${id}`)
    const { state, ask } = countingGuard()
    await ask(token)
    state.now += 1_000
    await gateway.run(sql`update credentials set expires_at = now() where id = ${id}`)
    await expect(ask(token)).rejects.toEqual(code('CREDENTIAL_INACTIVE'))
  })

  test('does not store errors: a reactivated credential is accepted immediately', async () => {
    const { id, token } = await gateway.issue(owner)
    await gateway.run(sql`update credentials set status = 'revoked' where id = ${id}`)
    const { ask } = countingGuard()
    await expect(ask(token)).rejects.toEqual(code('CREDENTIAL_INACTIVE'))
    await gateway.run(sql`update credentials set status = 'active' where id = ${id}`)
    await expect(ask(token)).resolves.toMatchObject({ credentialId: id })
  })

  test('runs one query for a hundred concurrent callers', async () => {
    const { id, token } = await gateway.issue(owner)
    const { state, ask } = countingGuard()
    const agents = await Promise.all(Array.from({ length: 100 }, () => ask(token)))
    expect(agents.every(agent => agent.credentialId === id)).toBe(true)
    expect(state.looks).toBe(1)
  })

  test('runs one query for concurrent callers of many credentials', async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => gateway.issue(owner)))
    const { state, ask } = countingGuard()
    const unknown = ask(writeToken('agt', new Uint8Array(32).fill(4)))
    const agents = await Promise.all([
      ...issued.map(({ token }) => ask(token)),
      expect(unknown).rejects.toEqual(code('CREDENTIAL_INVALID')),
    ])
    expect(agents.slice(0, -1)).toEqual(
      issued.map(({ id, token }) =>
        expect.objectContaining({ credentialId: id, tokenDigest: tokenDigest(token) }),
      ),
    )
    expect(state.looks).toBe(1)
  })

  test('discards a row that was read before a revocation and arrives after it', async () => {
    const { id, token } = await gateway.issue(owner)
    const { db, clock } = gateway.deps
    const [read, arrival] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Db = {
      transaction: work => db.transaction(work),
      async query<Row extends CamelCase<Row>>(statement: Statement) {
        const rows = await db.query<Row>(statement)
        read.resolve()
        await arrival.promise
        return rows
      },
    }
    const guard = createAgentGuard({ db: slow, clock })
    const ask = () => guard.authenticate({ 'x-credential': token })
    const before = ask()
    await read.promise
    await gateway.run(sql`update credentials set status = 'revoked' where id = ${id}`)
    guard.forget(id)
    const after = ask()
    arrival.resolve()
    await expect(after).rejects.toEqual(code('CREDENTIAL_INACTIVE'))
    await before
    await expect(ask()).rejects.toEqual(code('CREDENTIAL_INACTIVE'))
  })

  test('invalidates one credential only', async () => {
    const [one, other] = [await gateway.issue(owner), await gateway.issue(owner)]
    const { state, guard, ask } = countingGuard()
    await ask(one.token)
    await ask(other.token)
    guard.forget(one.id)
    await ask(other.token)
    expect(state.looks).toBe(2)
    await ask(one.token)
    expect(state.looks).toBe(3)
  })
})

test('a database failure is thrown and is not cached', async () => {
  const { token } = await gateway.issue(owner)
  let isDown = true
  const { db } = gateway.deps
  const guard = createAgentGuard({
    clock: { now: () => 0 },
    db: {
      transaction: work => db.transaction(work),
      query<Row extends CamelCase<Row>>(statement: Statement): Promise<Row[]> {
        return isDown ? Promise.reject(new Error('down')) : db.query<Row>(statement)
      },
    },
  })
  await expect(guard.authenticate({ 'x-credential': token })).rejects.toThrow('down')
  isDown = false
  await expect(guard.authenticate({ 'x-credential': token })).resolves.toMatchObject({ owner: owner.wallet })
})

test('an agent token is UNAUTHORIZED on owner routes', async () => {
  const { token } = await gateway.issue(owner)
  const answer = await fetch(`${gateway.url}/api/v1/credentials/agent/list`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ code: 'UNAUTHORIZED' })
})
