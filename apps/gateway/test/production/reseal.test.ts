import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSecretBox } from '../../src/adapters/secret-box.ts'
import { startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { post } from '../kit/network/http.ts'
import { arrive, register } from '../kit/world/world.ts'

const PROGRAM = join(import.meta.dirname, '../../src/bin/reseal.ts')

test('re-encrypts all secrets at rest or none, and only while no gateway runs', async () => {
  const [before, after] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const on = await startGatewayProcess({ env: { ENCRYPTION_KEY: before, STOP_PAUSE_SECONDS: '0' } })
  const reseal = (from: string) => {
    const { PATH = '' } = process.env
    const env = { PATH, DATABASE_URL: on.database.url, ENCRYPTION_KEY_BEFORE: from, ENCRYPTION_KEY: after }
    return spawnSync(process.execPath, [PROGRAM], { env, encoding: 'utf8' })
  }
  try {
    const provider = await arrive(on)
    await register(on, provider, {
      targets: ['http://127.0.0.1:1/'],
      priceUsdc: '0.010000',
      manifest: { upstreamHeaders: { 'X-Api-Key': 'k-1' } },
    })
    const hook = { url: 'http://127.0.0.1:1/hook', events: ['balance.low'] }
    const created = await post<{ secret: string }>(on, '/webhooks', { token: provider.token, body: hook })
    expect(created.status).toBe(200)
    const issued = await post<{ secret: string }>(on, '/secrets/signing', { token: provider.token })
    expect(issued.status).toBe(200)

    expect(reseal(before)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('A gateway is running'),
    })
    await on.sigterm()
    expect(reseal(randomBytes(32).toString('hex'))).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `Nothing was changed: ENCRYPTION_KEY_BEFORE is not the key that the secrets of this database are sealed with.\n`,
    })
    expect(reseal(`0x${after.toUpperCase()}`)).toMatchObject({
      status: 1,
      stderr: 'Nothing was changed: ENCRYPTION_KEY is the same as ENCRYPTION_KEY_BEFORE. Set the new key.\n',
    })
    expect(reseal('abc')).toMatchObject({
      status: 1,
      stderr: 'Nothing was changed: ENCRYPTION_KEY_BEFORE must be 32 bytes in hex.\n',
    })
    expect(reseal(before)).toMatchObject({ status: 0, stderr: '' })
    expect(reseal(before)).toMatchObject({
      status: 1,
      stderr: 'Nothing was changed: The secrets of this database are sealed with ENCRYPTION_KEY already.\n',
    })

    const box = createSecretBox(after)
    const [service] = await on.sql<{ id: string; sealed: string }>(
      'select id, upstream_headers as sealed from services',
    )
    expect(service && JSON.parse(box.open(service.sealed, service.id))).toMatchObject({ 'x-api-key': 'k-1' })
    const [webhook] = await on.sql<{ id: string; sealed: string }>(
      'select id, secret as sealed from webhooks',
    )
    expect(webhook && box.open(webhook.sealed, webhook.id)).toBe(created.body.secret)
    const [signing] = await on.sql<{ id: string; sealed: string }>('select id, sealed from signing_secrets')
    expect(signing && box.open(signing.sealed, signing.id)).toBe(issued.body.secret)
    const keys = await on.sql<{ id: string; sealed: string }>(
      'select id, sealed_private_key as sealed from signing_keys',
    )
    const [mark] = await on.sql<{ id: string; sealed: string }>('select id, sealed from key_checks')
    expect(mark && box.open(mark.sealed, mark.id)).toBe('the key of this database')
    expect(keys.map(key => box.open(key.sealed, key.id))).toEqual([expect.stringContaining('PRIVATE KEY')])
  } finally {
    await on.stop()
  }
})
