import { createPublicKey, randomBytes, sign, verify } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/kit/database/test-database.ts'
import { systemClock } from '../../adapters/clock.ts'
import type { ClosableDb } from '../../adapters/postgres.ts'
import { createSecretBox } from '../../adapters/secret-box.ts'
import { readConfig } from '../../config.ts'
import { type KeyRing, openKeyRing } from './open-key-ring.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 21)
const secretBox = createSecretBox('5'.repeat(64))
const config = readConfig({ FAREBOX_MODE: 'dev' })

let db: ClosableDb
let now = START
const clock = { ...systemClock, now: () => now, pause: async () => undefined }
const openRing = () => openKeyRing({ db, secretBox, clock, config })

beforeAll(async () => {
  db = await openTestDatabase(4)
})
afterAll(async () => {
  await db.close()
})
beforeEach(async () => {
  now = START
  await db.query(sql`delete from signing_keys`)
})

const kids = (ring: KeyRing) => ring.published().map(({ kid }) => kid)
const storedKeys = () => db.query<{ id: string }>(sql`select id from signing_keys order by generation`)

describe('the first key', () => {
  test('is created at the first start, signs at once, and is named by its thumbprint', async () => {
    const ring = await openRing()
    const [jwk] = ring.published()
    expect(jwk).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      x: expect.stringMatching(/^[\w-]{43}$/),
      kid: ring.current().id,
      nbf: START / 1_000,
      exp: (START + 31 * DAY) / 1_000,
    })
    expect(jwk?.kid).toBe(await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: jwk?.x ?? '' }))
    expect(createPublicKey(ring.current().privateKey).export({ format: 'jwk' }).x).toBe(jwk?.x)
  })

  test('is created once by concurrent starts', async () => {
    const rings = await Promise.all(Array.from({ length: 6 }, openRing))
    expect(new Set(rings.map(ring => ring.current().id)).size).toBe(1)
    expect(await storedKeys()).toHaveLength(1)
  })

  test('survives a restart', async () => {
    const before = (await openRing()).current().id
    now += 5 * DAY
    expect((await openRing()).current().id).toBe(before)
  })

  test('is not in plain text in the database', async () => {
    const ring = await openRing()
    const { d = '' } = ring.current().privateKey.export({ format: 'jwk' })
    const secret = Buffer.from(d, 'base64url')
    expect(secret).toHaveLength(32)
    const der = ring.current().privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    const rows = JSON.stringify(await db.query(sql`select * from signing_keys`))
    for (const form of [d, secret.toString('base64'), secret.toString('hex'), der, 'PRIVATE']) {
      expect(rows).not.toContain(form)
    }
  })

  test('does not decrypt with another ENCRYPTION_KEY or in the row of another key, and the start says why', async () => {
    await openRing()
    const other = createSecretBox(randomBytes(32).toString('hex'))
    const refusal = /^Configuration: ENCRYPTION_KEY is not the one/
    await expect(openKeyRing({ db, secretBox: other, clock, config })).rejects.toThrow(refusal)
    await db.query(sql`update signing_keys set id = ${'x'.repeat(43)}`)
    await expect(openRing()).rejects.toThrow(refusal)
  })
})

describe('a rotation', () => {
  test('publishes the next key a day before it signs, and the last one for a day after', async () => {
    const ring = await openRing()
    const first = ring.current().id

    now = START + 29 * DAY - 1
    await ring.refresh()
    expect(kids(ring)).toEqual([first])

    now = START + 29 * DAY
    await ring.refresh()
    const [, second = ''] = kids(ring)
    expect(kids(ring)).toEqual([first, second])
    expect(ring.current().id).toBe(first)
    expect(ring.published().map(({ nbf, exp }) => [nbf, exp])).toEqual([
      [START / 1_000, (START + 31 * DAY) / 1_000],
      [(START + 30 * DAY) / 1_000, (START + 61 * DAY) / 1_000],
    ])

    now = START + 30 * DAY - 1
    expect(ring.current().id).toBe(first)
    now += 1 // without a database query: the key has been known for a day
    expect(ring.current().id).toBe(second)

    now = START + 31 * DAY - 1
    await ring.refresh()
    expect(kids(ring)).toEqual([first, second])
    now += 1
    expect(kids(ring)).toEqual([second])
    now += 1
    await ring.refresh()
    expect(await storedKeys()).toEqual([{ id: second }])
  })

  test('creates one next key when several gateways find it due', async () => {
    const rings = await Promise.all(Array.from({ length: 5 }, openRing))
    now = START + 29 * DAY + HOUR
    await Promise.all(rings.map(ring => ring.refresh()))
    expect(await storedKeys()).toHaveLength(2)
    now = START + 30 * DAY
    expect(new Set(rings.map(ring => ring.current().id)).size).toBe(1)
    expect(new Set(rings.map(ring => kids(ring).join())).size).toBe(1)
  })

  test('keeps signatures of older gateways valid', async () => {
    const [fresh, behind] = [await openRing(), await openRing()]
    now = START + 29 * DAY
    await fresh.refresh()
    now = START + 30 * DAY + 23 * HOUR
    await fresh.refresh()
    expect(behind.current().id).not.toBe(fresh.current().id)
    expect(kids(fresh)).toContain(behind.current().id)
  })

  test('that is months late still publishes the new key for a day before it signs', async () => {
    const first = (await openRing()).current().id
    now = START + 200 * DAY
    const ring = await openRing()
    expect(ring.current().id).toBe(first)
    expect(kids(ring)).toHaveLength(2)
    expect(ring.published()[0]?.exp).toBe((START + 202 * DAY) / 1_000)
    now += DAY
    expect(ring.current().id).toBe(kids(ring)[1])
  })

  test('keeps public and private keys paired', async () => {
    const ring = await openRing()
    now = START + 29 * DAY
    await ring.refresh()
    now = START + 30 * DAY
    const { id, privateKey } = ring.current()
    const jwk = ring.published().find(({ kid }) => kid === id)
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk?.x ?? '' }, format: 'jwk' })
    expect(verify(null, Buffer.from('x'), publicKey, sign(null, Buffer.from('x'), privateKey))).toBe(true)
  })
})
