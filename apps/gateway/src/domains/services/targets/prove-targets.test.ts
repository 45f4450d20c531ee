import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Provider, startServiceGateway } from '../../../../test/kit/gateway/service-gateway.ts'
import { startTarget, type TestTarget } from '../../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../../test/kit/world/manifests.ts'
import { systemClock } from '../../../adapters/clock.ts'
import { createAskedOrigins } from './prove-targets.ts'
import type { ProofAnswer } from './target-proof-rules.ts'

let on: Awaited<ReturnType<typeof startServiceGateway>>
let alice: Provider
let target: TestTarget
let silent: TestTarget
beforeAll(async () => {
  on = await startServiceGateway()
  alice = await on.provider()
  ;[target, silent] = [await startTarget(), await startTarget()]
})
afterAll(async () => {
  await Promise.all([target.stop(), silent.stop()])
  await on.stop()
})

const naming = (...providers: string[]) => ({ status: 200, body: JSON.stringify({ providers }) })
const at = (...urls: string[]) => ({ invoke: { method: 'POST', targets: urls.map(url => ({ url })) } })
const shown = async (reference: string) =>
  (await on.ask('GET', `/services/${reference}`)).body.service as { targetVerified: boolean }

describe('a target whose server', () => {
  test('names the wallet verifies the service, wherever it is shown', async () => {
    target.prove(naming(`0x${'1'.repeat(40)}`, alice.address))
    const service = await alice.register(manifestOf(target.url, { serviceName: 'Zyxwv proven' }))
    expect(service).toMatchObject({ targetVerified: true })
    expect(await shown(service.serviceId)).toMatchObject({ targetVerified: true })
    const found = await on.ask('GET', '/services/discover?search_query=zyxwv')
    expect(found.body).toMatchObject([{ targetVerified: true }])
  })

  test('names others only is rejected at registration and at a change', async () => {
    target.prove(naming(alice.address))
    const thief = await on.provider()
    const refusal = { status: 400, body: { code: 'UNSAFE_TARGET_URL', detail: { reason: 'not_listed' } } }
    const refused = await thief.ask('POST', '/services', manifestOf(target.url))
    expect(refused).toMatchObject(refusal)
    expect(String(refused.body.message)).toContain(thief.address)
    const { serviceId } = await thief.register(manifestOf(silent.url))
    const change = at(silent.url, target.url)
    expect(await thief.ask('PUT', `/services/${serviceId}`, change)).toMatchObject(refusal)
    expect((await thief.ask('GET', '/services')).body.services).toMatchObject([
      { invoke: { targets: [{ url: silent.url }] }, targetVerified: false },
    ])
  })

  test('has a malformed file is rejected', async () => {
    for (const body of ['{"providers": "all"}', `{"providers": ["${alice.address}"`]) {
      target.prove({ status: 200, body })
      expect(await alice.ask('POST', '/services', manifestOf(target.url))).toMatchObject({
        status: 400,
        body: { detail: { reason: 'not_listed' } },
      })
    }
  })

  test('has no file, redirects or sends too much is accepted as unverified', async () => {
    const large = JSON.stringify({ providers: Array(2_000).fill(alice.address) })
    for (const proof of [
      { status: 404, body: '' },
      { status: 302, body: '', location: `${target.origin}/elsewhere` },
      { status: 200, body: large },
      { status: 200, body: '<html></html>' },
    ]) {
      target.prove(proof)
      expect(await alice.register(manifestOf(target.url))).toMatchObject({ targetVerified: false })
    }
    expect(await alice.register(manifestOf('http://127.0.0.1:9/'))).toMatchObject({ targetVerified: false })
  })
})

test('requires every target to name the wallet, as of the last change of the targets', async () => {
  target.prove(naming(alice.address))
  const { serviceId } = await alice.register(manifestOf(target.url))
  const verifiedAfter = async (changes: object) => {
    expect((await alice.ask('PUT', `/services/${serviceId}`, changes)).status).toBe(200)
    return (await shown(serviceId)).targetVerified
  }
  expect(await verifiedAfter({ summary: 'Another.' })).toBe(true)
  expect(await verifiedAfter(at(target.url, silent.url))).toBe(false)
  expect(await verifiedAfter({ summary: 'Yet another.' })).toBe(false)
  expect(await verifiedAfter(at(target.url, `${target.origin}/other`))).toBe(true)
})

test('ranks a verified service before an equally good match', async () => {
  target.prove(naming(alice.address))
  const names = { serviceName: 'Qwxyzt' }
  const proven = await alice.register(manifestOf(target.url, names))
  const plain = await alice.register(manifestOf(silent.url, names))
  const { body } = await on.ask('GET', '/services/discover?search_query=qwxyzt')
  expect((body as unknown as { serviceId: string }[]).map(({ serviceId }) => serviceId)).toEqual([
    proven.serviceId,
    plain.serviceId,
  ])
})

test('rejects a target without a file under REQUIRE_TARGET_PROOF, with the file to publish', async () => {
  const strict = await startServiceGateway({ env: { REQUIRE_TARGET_PROOF: 'true' } })
  try {
    const bob = await strict.provider()
    const refused = await bob.ask('POST', '/services', manifestOf(silent.url))
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'UNSAFE_TARGET_URL', detail: { reason: 'not_proven' } },
    })
    const { message } = refused.body
    expect(message).toContain(`{"providers": ["${bob.address}"]}`)
    expect(message).toContain(`${silent.origin}/.well-known/farebox.json`)
    target.prove(naming(bob.address))
    expect(await bob.register(manifestOf(target.url))).toMatchObject({ targetVerified: true })
  } finally {
    await strict.stop()
  }
})

test('servers that do not answer hold few connections, of one owner and of all', async () => {
  const asked = createAskedOrigins(systemClock)
  const { promise: never, resolve: answer } = Promise.withResolvers<ProofAnswer | null>()
  let open = 0
  const ask = (owner: string, index: number) =>
    asked
      .ask({ origin: `https://${owner}-${index}.test`, owner, isFresh: true }, () => {
        open += 1
        return never
      })
      .catch(error => error.code)
  const flood = Array.from({ length: 100 }, (_, index) => ask('a', index))
  expect(open).toBe(64)
  const others = Array.from({ length: 30 }, (_, owner) =>
    Array.from({ length: 100 }, (_, index) => ask(`b${owner}`, index)),
  )
  expect(open).toBeGreaterThan(128)
  expect(open).toBeLessThanOrEqual(256)
  answer(null)
  const outcomes = await Promise.all([...flood, ...others.flat()])
  expect(outcomes.filter(outcome => outcome === null)).toHaveLength(open)
  expect(new Set(outcomes)).toEqual(new Set([null, 'UNAVAILABLE']))
  expect(await ask('a', 0)).toBeNull()
})
