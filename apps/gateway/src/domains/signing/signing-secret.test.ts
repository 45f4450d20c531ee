import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { arrive, type Person } from '../../../test/kit/world/world.ts'
import { pruneSigningSecrets } from './prune-signing-secrets.ts'

const DAY_MS = 86_400_000
const PATH = '/api/v1/secrets/signing'
const NO_SECRET = { status: 404, body: { code: 'SECRET_NOT_FOUND', message: expect.stringContaining(PATH) } }

type Shown = { keyId: string; signsFrom: string; createdAt: string }
type Body = { signingSecret: Shown; next: Shown | null; secret: string; serviceId: string; keyId: string }

let on: TestGateway
let owner: Person
beforeAll(async () => {
  on = await startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '3600' } })
})
afterAll(() => on.stop())
beforeEach(async () => {
  owner = await arrive(on)
})

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, by = owner) =>
  send<Body>(on.url, path, { method, token: by.token, ...(body !== undefined && { body }) })
const issue = async () => (await ask('POST', PATH)).body
const rotate = async (overlapSeconds?: number) => {
  const body = overlapSeconds === undefined ? undefined : { overlapSeconds }
  return (await ask('POST', `${PATH}/rotate`, body)).body
}
const offer = (more: object = {}) =>
  ask('POST', '/api/v1/services', {
    serviceName: 'Test service',
    invoke: { targets: [{ url: 'http://127.0.0.1:9/' }] },
    ...more,
  })
const kept = () =>
  on.sql<{ id: string }>('select * from signing_secrets where owner = $1 order by signs_from', [
    owner.account.address.toLowerCase(),
  ])

describe('a signing secret', () => {
  test('is shown only when it is issued, and stored encrypted', async () => {
    expect((await ask('GET', PATH)).body).toEqual({ status: 'success', signingSecret: null, next: null })
    const { secret, signingSecret } = await issue()
    expect(secret).toMatch(/^sigsec_[A-Za-z0-9+/]{43}=$/)
    const shown = await ask('GET', PATH)
    expect(shown.body).toEqual({ status: 'success', signingSecret, next: null })
    const bytes = Buffer.from(secret.slice('sigsec_'.length), 'base64')
    const rows = JSON.stringify(await kept())
    for (const form of [secret.slice('sigsec_'.length), bytes.toString('hex'), bytes.toString('base64url')]) {
      expect(rows).not.toContain(form)
    }
  })

  test('is unique per wallet: a second one is rejected, also in parallel', async () => {
    const both = await Promise.all([ask('POST', PATH), ask('POST', PATH)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const keyId = both.find(({ status }) => status === 200)?.body.signingSecret.keyId
    expect(await ask('POST', PATH)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_STATE', detail: { keyId }, message: expect.stringContaining('rotate') },
    })
    expect(await kept()).toHaveLength(1)
  })
})

test('creation, rotation and deletion are in the audit log, without the secret', async () => {
  const first = await issue()
  const next = await rotate(60)
  await ask('DELETE', PATH)
  const { body } = await ask('GET', '/api/v1/secrets/provider/audit-logs')
  const [id, replaced] = [next.signingSecret.keyId, first.signingSecret.keyId]
  expect(body).toMatchObject({
    logs: [
      { action: 'deleted', secretId: replaced, actor: owner.account.address, detail: {} },
      { action: 'rotated', secretId: id, detail: { replaced, signsFrom: next.signingSecret.signsFrom } },
      { action: 'issued', secretId: replaced, detail: { signsFrom: first.signingSecret.signsFrom } },
    ],
  })
  for (const { secret } of [first, next]) expect(JSON.stringify(body)).not.toContain(secret.slice(-40))
  // What is refused is not recorded.
  await ask('DELETE', PATH)
  await ask('POST', `${PATH}/rotate`)
  expect((await ask('GET', '/api/v1/secrets/provider/audit-logs')).body).toEqual(body)
})

describe('a rotation', () => {
  test('needs a secret to replace', async () => {
    expect(await ask('POST', `${PATH}/rotate`)).toMatchObject(NO_SECRET)
  })

  test('announces the next secret a day ahead by default', async () => {
    const { signingSecret } = await issue()
    const before = Date.now()
    const next = await rotate()
    expect(Date.parse(next.signingSecret.signsFrom) - before).toBeGreaterThan(DAY_MS - 10_000)
    expect(Date.parse(next.signingSecret.signsFrom) - before).toBeLessThan(DAY_MS + 10_000)
    expect((await ask('GET', PATH)).body).toMatchObject({ signingSecret, next: next.signingSecret })
  })

  test('replaces a pending next secret', async () => {
    const { signingSecret } = await issue()
    const dropped = await rotate(3_600)
    const next = await rotate(60)
    expect((await ask('GET', PATH)).body).toMatchObject({ signingSecret, next: next.signingSecret })
    expect((await kept()).map(({ id }) => id)).not.toContain(dropped.signingSecret.keyId)
  })

  test('rejects an overlap of more than a week, and a misspelt member', async () => {
    await issue()
    expect(await ask('POST', `${PATH}/rotate`, { overlapSeconds: 604_801 })).toMatchObject({ status: 400 })
    expect(await ask('POST', `${PATH}/rotate`, { overlap: 0 })).toMatchObject({ status: 400 })
  })

  test('keeps the old secret for ten minutes after its last signature, then deletes it', async () => {
    const { signingSecret: old } = await issue()
    const { signingSecret: fresh } = await rotate(0)
    await pruneSigningSecrets(on.gateway.deps)
    expect((await kept()).map(({ id }) => id)).toEqual([old.keyId, fresh.keyId])
    await on.sql(`update signing_secrets set signs_from = signs_from - interval '11 minutes'`, [])
    await pruneSigningSecrets(on.gateway.deps)
    expect((await kept()).map(({ id }) => id)).toEqual([fresh.keyId])
  })
})

describe('a service that asks for hmac-sha256', () => {
  const MISSING = {
    status: 400,
    body: {
      code: 'INVALID_MANIFEST',
      detail: {
        issues: [{ path: 'signature', message: expect.stringContaining('POST /api/v1/secrets/signing') }],
      },
    },
  }

  test('is rejected while its wallet has no signing secret, new or changed', async () => {
    expect(await offer({ signature: 'hmac-sha256' })).toMatchObject(MISSING)
    const { serviceId } = (await offer()).body
    expect(await ask('PUT', `/api/v1/services/${serviceId}`, { signature: 'hmac-sha256' })).toMatchObject(
      MISSING,
    )
    expect((await ask('GET', `/api/v1/services/${serviceId}`)).body).toMatchObject({
      service: { signature: 'ed25519' },
    })
  })

  test('is rejected with an unknown algorithm', async () => {
    expect(await offer({ signature: 'rsa-pss-sha512' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_MANIFEST' },
    })
  })

  test('keeps its signature setting when a change omits it, and when its record is sent back', async () => {
    await issue()
    const { serviceId } = (await offer({ signature: 'hmac-sha256' })).body
    const path = `/api/v1/services/${serviceId}`
    const { body } = await ask('PUT', path, { summary: 'Another.' })
    expect(body).toMatchObject({ service: { signature: 'hmac-sha256' } })
    const { service } = body as unknown as { service: object }
    expect((await ask('PUT', path, service)).body).toMatchObject({ service: { signature: 'hmac-sha256' } })
  })

  test('shows its signature setting to its owner only', async () => {
    const { serviceId } = (await offer()).body
    const stranger = await ask('GET', `/api/v1/services/${serviceId}`, undefined, await arrive(on))
    expect(stranger.status).toBe(200)
    expect(JSON.stringify(stranger.body)).not.toContain('"signature"')
  })
})

describe('a signing secret is deleted', () => {
  test('only when it exists', async () => {
    expect(await ask('DELETE', PATH)).toMatchObject(NO_SECRET)
  })

  test('only when no service uses it, together with the next one', async () => {
    const { signingSecret } = await issue()
    const manifest = { signature: 'hmac-sha256', agentToolName: `hmac-${signingSecret.keyId.slice(-8)}` }
    const name = manifest.agentToolName.toLowerCase()
    const { serviceId } = (await offer({ ...manifest, agentToolName: name })).body
    await rotate(3_600)
    expect(await ask('DELETE', PATH)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_STATE', detail: { services: [name] }, message: expect.stringContaining(name) },
    })
    expect(await kept()).toHaveLength(2)
    await ask('PUT', `/api/v1/services/${serviceId}`, { signature: 'ed25519' })
    expect((await ask('DELETE', PATH)).body).toEqual({ status: 'success', keyId: signingSecret.keyId })
    expect(await kept()).toEqual([])
  })

  test('or kept for a concurrent new service that needs it', async () => {
    for (let round = 0; round < 8; round += 1) {
      owner = await arrive(on)
      await issue()
      const [offered, deleted] = await Promise.all([offer({ signature: 'hmac-sha256' }), ask('DELETE', PATH)])
      expect([offered.status, deleted.status].sort()).toEqual(
        offered.status === 200 ? [200, 409] : [200, 400],
      )
      expect(await kept()).toHaveLength(offered.status === 200 ? 1 : 0)
    }
  })
})
