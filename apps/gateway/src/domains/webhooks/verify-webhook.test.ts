import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyWebhook } from '@farebox/client/webhooks'
import { webhookData } from '@farebox/wire/webhook-events'
import { describe, expect, test } from 'vitest'
import { secretOf, signedHeaders } from './rules.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const [secret, other] = [secretOf('ab'.repeat(32)), secretOf('cd'.repeat(32))]
const body = JSON.stringify({ type: 'balance.low', timestamp: '2026-11-21T11:59:59.000Z', data: { a: 'é' } })
const signed = (by: readonly string[]) => signedHeaders({ id: 'evt_1', sentAt: NOW, body }, by)
const verify = (headers: object, text = body, secrets = [secret], now = NOW) =>
  verifyWebhook({ headers: { ...headers }, body: Buffer.from(text) }, secrets, now)

describe('the verification of webhooks', () => {
  test('accepts signatures of the gateway, also during a rotation of either side', () => {
    const event = { id: 'evt_1', ...JSON.parse(body) }
    expect(verify(signed([secret]))).toEqual(event)
    expect(verify(signed([other, secret]))).toEqual(event)
    expect(verify(signed([other]), body, [secret, other])).toEqual(event)
  })

  test('rejects another body, id, time or secret, and unsigned requests', () => {
    const headers = signed([secret])
    expect(() => verify(headers, `${body} `)).toThrow('No signature matches')
    expect(() => verify({ ...headers, 'webhook-id': 'evt_2' })).toThrow('No signature matches')
    expect(() => verify({ ...headers, 'webhook-timestamp': String(NOW / 1_000 + 1) })).toThrow(
      'No signature matches',
    )
    expect(() => verify(signed([other]))).toThrow('No signature matches')
    expect(() => verify({ ...headers, 'webhook-signature': 'v1,AAAA v2,x v1' })).toThrow(
      'No signature matches',
    )
    for (const name of Object.keys(headers)) {
      expect(() => verify({ ...headers, [name]: undefined })).toThrow('missing')
    }
  })

  test('rejects a timestamp more than five minutes old or in the future', () => {
    const at = (seconds: number) => () => verify(signed([secret]), body, [secret], NOW + seconds * 1_000)
    expect(at(300)()).toMatchObject({ id: 'evt_1' })
    for (const seconds of [301, -301]) expect(at(seconds)).toThrow('too old')
    expect(() => verify({ ...signed([secret]), 'webhook-timestamp': 'soon' })).toThrow('too old')
  })
})

describe('docs/webhooks.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../../docs/webhooks.md'), 'utf8')
  const shown = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(json ?? ''))

  test.each(Object.entries(webhookData).filter(([type]) => type !== 'service.up'))(
    'shows %s as it is sent',
    (type, schema) => {
      const [example] = shown.filter(one => one.type === type)
      expect(Object.keys(example)).toEqual(['type', 'timestamp', 'data'])
      expect(schema.strict().parse(example.data)).toEqual(example.data)
    },
  )

  test('names every event', () => {
    for (const type of Object.keys(webhookData)) expect(text).toContain(`\`${type}\`**`)
  })
})
