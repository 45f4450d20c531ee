import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createVerifier, Refusal } from '@farebox/client/verify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { post, send } from '../../../test/kit/network/http.ts'
import { listen } from '../../../test/kit/network/loopback.ts'
import { until } from '../../../test/kit/until.ts'
import { publishedKeys, refusalOf } from '../../../test/kit/world/signing-fixture.ts'
import { arrive, invoke, mint, ownerWith, type Person, register } from '../../../test/kit/world/world.ts'

const PRICE = '0.010000'
/** Lifetime of the cache in find-callable.ts, with a margin for a busy machine. */
const STALE_MS_MAX = 2_000 + 3_000

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer }
type Issued = { signingSecret: { keyId: string; signsFrom: string }; secret: string }

let on: TestGateway
let provider: Person
let credential: { readonly token: string }
let service: string
let issued: Issued
let target: { origin: string; stop: () => Promise<void> }
const seen: Seen[] = []

beforeAll(async () => {
  on = await startTestGateway({ env: { PROBE_INTERVAL_SECONDS: '3600' } })
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, url, headers, body: await buffer(request) })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"ok":true}')
  })
  target = await listen(server)
  provider = await arrive(on)
  credential = await mint(on, await ownerWith(on, '5'))
  issued = (await post<Issued>(on, '/secrets/signing', { token: provider.token })).body
  service = await register(on, provider, {
    targets: [`${target.origin}/v1/quote?lang=de`],
    priceUsdc: PRICE,
    manifest: { signature: 'hmac-sha256' },
  })
})
afterAll(async () => {
  await on.assertBooks()
  await target.stop()
  await on.stop()
})

async function callBy(gateway: { readonly url: string } = on): Promise<Seen> {
  const before = seen.length
  const call = {
    serviceId: service,
    costUsdc: PRICE,
    payload: { query: { city: 'Zürich' }, body: { q: 'é' } },
  }
  expect((await invoke(gateway, credential, call)).body).toMatchObject({ status: 'SUCCEEDED' })
  const found = seen.slice(before).find(({ headers }) => headers['farebox-invocation-id'] !== undefined)
  if (found === undefined) throw new Error('The provider saw no call.')
  return found
}

/** Parses `Signature-Input` by RFC 9421 and RFC 8941 only. */
function inputOf({ headers }: Pick<Seen, 'headers'>) {
  const [, parameters = '', list = ''] =
    /^farebox=(\(([^)]*)\).*)$/.exec(String(headers['signature-input'])) ?? []
  const [, keyId = ''] = /;keyid="([^"]*)"/.exec(parameters) ?? []
  const [, alg = ''] = /;alg="([^"]*)"/.exec(parameters) ?? []
  return { parameters, keyId, alg, components: list.split(' ').map(name => name.slice(1, -1)) }
}

/** Verifies a request by RFC 9421, 2.5 and 3.3.3 only, without code of the gateway. */
function verifies(secret: string, message: Seen): boolean {
  const { parameters, components } = inputOf(message)
  const componentOf = (name: string) => {
    if (name === '@method') return message.method
    return name === '@target-uri' ? target.origin + message.url : message.headers[name]
  }
  const lines = [
    ...components.map(name => `"${name}": ${componentOf(name)}`),
    `"@signature-params": ${parameters}`,
  ]
  const key = Buffer.from(secret.replace('sigsec_', ''), 'base64')
  const mac = createHmac('sha256', key).update(lines.join('\n')).digest()
  const [, base64 = ''] = /^farebox=:(.*):$/.exec(String(message.headers.signature)) ?? []
  const given = Buffer.from(base64, 'base64')
  return given.length === mac.length && timingSafeEqual(given, mac)
}

const rotate = async (overlapSeconds: number) =>
  (await post<Issued>(on, '/secrets/signing/rotate', { token: provider.token, body: { overlapSeconds } }))
    .body

describe('a call of a service that chose HMAC', () => {
  test("verifies by RFC 9421, 3.3.3 with the provider's secret, and covers the same as Ed25519", async () => {
    const call = await callBy()
    expect(inputOf(call)).toMatchObject({
      keyId: issued.signingSecret.keyId,
      alg: 'hmac-sha256',
      components: [
        '@method',
        '@target-uri',
        'content-digest',
        'farebox-invocation-id',
        'farebox-service-id',
        'farebox-provider',
        'farebox-purpose',
      ],
    })
    expect(Buffer.from(issued.secret.replace('sigsec_', ''), 'base64')).toHaveLength(32)
    expect(verifies(issued.secret, call)).toBe(true)
  })

  test('does not verify with any covered component changed', async () => {
    const call = await callBy()
    const headers = (more: IncomingHttpHeaders) => ({ ...call, headers: { ...call.headers, ...more } })
    const tampered: Record<string, Seen> = {
      '@method': { ...call, method: 'DELETE' },
      '@target-uri': { ...call, url: `${call.url}&more=1` },
      'content-digest': headers({ 'content-digest': 'sha-256=:AAAA:' }),
      'farebox-invocation-id': headers({ 'farebox-invocation-id': 'inv_other' }),
      'farebox-service-id': headers({ 'farebox-service-id': 'svc_other' }),
      'farebox-provider': headers({ 'farebox-provider': `0x${'1'.repeat(40)}` }),
      'farebox-purpose': headers({ 'farebox-purpose': 'probe' }),
    }
    expect(Object.keys(tampered)).toEqual(inputOf(call).components)
    for (const [component, message] of Object.entries(tampered)) {
      expect([component, verifies(issued.secret, message)]).toEqual([component, false])
    }
    const input = String(call.headers['signature-input']).replace(/expires=\d+/, 'expires=9999999999')
    expect(verifies(issued.secret, headers({ 'signature-input': input }))).toBe(false)
    expect(verifies(issued.secret, call)).toBe(true)
  })

  test('is signed by Ed25519 when the service switches, and by HMAC when it switches back', async () => {
    const change = (signature: string | null) =>
      send(on.url, `/api/v1/services/${service}`, {
        method: 'PUT',
        token: provider.token,
        body: { signature },
      })
    const before = seen.length
    expect((await change(null)).body).toMatchObject({ service: { signature: 'ed25519' } })
    // The change triggers a probe, in which a verifier that only knows the secret would fail.
    expect(seen.slice(before).map(probe => inputOf(probe).alg)).toEqual(['ed25519'])
    expect(inputOf(await callBy()).alg).toBe('ed25519')
    expect((await change('hmac-sha256')).body).toMatchObject({ service: { signature: 'hmac-sha256' } })
    expect(inputOf(await callBy()).alg).toBe('hmac-sha256')
  })
})

describe('a probe of such a service', () => {
  test.each([
    ['ping', () => post(on, `/services/${service}/ping`, { token: provider.token, body: {} })],
    ['probe', () => on.sql('update service_targets set next_probe_at = now()')],
  ])('verifies with the secret, for the purpose %s', async (purpose, have) => {
    const before = seen.length
    await have()
    await until('it came', async () => seen.length > before)
    const [probe] = seen.slice(before)
    expect(probe?.headers['farebox-purpose']).toBe(purpose)
    expect(probe && inputOf(probe)).toMatchObject({ keyId: issued.signingSecret.keyId, alg: 'hmac-sha256' })
    expect(probe && verifies(issued.secret, probe)).toBe(true)
  })
})

describe('a rotation', () => {
  test('keeps signing with the old secret until the overlap is over, under a separate key id', async () => {
    const next = await rotate(3_600)
    expect(next.signingSecret.keyId).not.toBe(issued.signingSecret.keyId)
    expect(next.secret).not.toBe(issued.secret)
    const during = await callBy()
    expect(inputOf(during).keyId).toBe(issued.signingSecret.keyId)
    expect(verifies(issued.secret, during)).toBe(true)

    const { keyId } = next.signingSecret
    await on.sql('update signing_secrets set signs_from = now() where id = $1', [keyId])
    await until('the new one signs', async () => inputOf(await callBy()).keyId === keyId)
    const after = await callBy()
    expect([verifies(next.secret, after), verifies(issued.secret, after)]).toEqual([true, false])
    issued = next
  })

  test('without an overlap signs the next call with the new secret', async () => {
    await callBy()
    const next = await rotate(0)
    const call = await callBy()
    expect(inputOf(call).keyId).toBe(next.signingSecret.keyId)
    expect(verifies(next.secret, call)).toBe(true)
    issued = next
  })

  test('at one gateway reaches another within the cache time of a service', async () => {
    const { JWT_SECRET = '' } = on.gateway.deps.config
    const two = await startTestGateway({ share: on, env: { JWT_SECRET, PROBE_INTERVAL_SECONDS: '3600' } })
    try {
      expect(inputOf(await callBy(two)).keyId).toBe(issued.signingSecret.keyId)
      const next = await rotate(0)
      const from = performance.now()
      await until('the other signs with it', async () => {
        return inputOf(await callBy(two)).keyId === next.signingSecret.keyId
      })
      expect(performance.now() - from).toBeLessThan(STALE_MS_MAX)
      expect(verifies(next.secret, await callBy(two))).toBe(true)
      issued = next
    } finally {
      await two.stop()
    }
  })
})

describe('the example for providers', () => {
  const verifierWith = (secrets: Record<string, string>) =>
    createVerifier({
      gatewayUrl: on.url,
      publicUrl: target.origin,
      wallet: provider.account.address,
      secrets,
    })

  test('accepts a call signed by its secret, and by either one during a rotation', async () => {
    const old = issued
    const before = await callBy()
    issued = await rotate(0)
    const after = await callBy()
    const verify = verifierWith({
      [old.signingSecret.keyId]: old.secret,
      [issued.signingSecret.keyId]: issued.secret,
    })
    for (const [call, { signingSecret }] of [
      [before, old],
      [after, issued],
    ] as const) {
      expect(await verify(call)).toMatchObject({
        keyId: signingSecret.keyId,
        serviceId: service,
        purpose: 'invocation',
      })
    }
    expect(await refusalOf(verifierWith({ [old.signingSecret.keyId]: old.secret })(after))).toBe(
      'unknown_key',
    )
  })

  test('rejects an altered call, and a signature by another secret', async () => {
    const call = await callBy()
    const { keyId } = issued.signingSecret
    const verify = verifierWith({ [keyId]: issued.secret })
    expect(await refusalOf(verify({ ...call, method: 'DELETE' }))).toBe('signature_invalid')
    expect(await refusalOf(verify({ ...call, body: Buffer.from('{}') }))).toBe('digest_mismatch')
    const other = verifierWith({ [keyId]: `sigsec_${Buffer.alloc(32).toString('base64')}` })
    expect(await refusalOf(other(call))).toBe('signature_invalid')
    expect(() => verifierWith({ [keyId]: 'whsec_AAAA' })).toThrow('is no signing secret')
  })

  test('does not use a published key as a secret, whatever algorithm a request names', async () => {
    const [published] = await publishedKeys(on)
    const { keyId } = issued.signingSecret
    const call = await callBy()
    const input = String(call.headers['signature-input']).replace(keyId, String(published?.kid))
    const lines = inputOf(call).components.map(name => {
      const own = { '@method': call.method, '@target-uri': target.origin + call.url }[name]
      return `"${name}": ${own ?? call.headers[name]}`
    })
    const base = [...lines, `"@signature-params": ${input.slice('farebox='.length)}`].join('\n')
    const forged = createHmac('sha256', Buffer.from(String(published?.x), 'base64url')).update(base)
    const headers = {
      ...call.headers,
      'signature-input': input,
      signature: `farebox=:${forged.digest('base64')}:`,
    }
    const verdict = verifierWith({ [keyId]: issued.secret })({ ...call, headers })
    await expect(verdict).rejects.toThrow(Refusal)
    expect(await refusalOf(verdict)).toBe('unknown_key')
  })
})

describe('registering the URL of another provider with HMAC', () => {
  test("signs requests with the registrant's secret, whose key id that provider does not know", async () => {
    const thief = await arrive(on)
    const his = (await post<Issued>(on, '/secrets/signing', { token: thief.token })).body
    const before = seen.length
    await register(on, thief, {
      targets: [`${target.origin}/admin`],
      priceUsdc: '0',
      manifest: { signature: 'hmac-sha256' },
    })
    const probe = seen.slice(before).find(({ headers }) => headers['farebox-purpose'] === 'probe')
    expect(probe && inputOf(probe).keyId).toBe(his.signingSecret.keyId)
    expect(probe && verifies(issued.secret, probe)).toBe(false)
  })
})
