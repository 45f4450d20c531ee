import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServiceGateway } from '../kit/gateway/service-gateway.ts'
import { type Meaning, type NameServer, startNameServer } from './dns-server.ts'

/** Public addresses to which nothing here may connect. */
const PUBLIC = { A: '8.8.8.8', AAAA: '2606:4700:4700::1111' } as const
const TURNS = 40

let names: NameServer
let gateway: Awaited<ReturnType<typeof startServiceGateway>>
/** A server inside the network, which no request of ours may reach. */
let heard = 0
const inside = createServer(socket => {
  heard += 1
  socket.destroy()
})
beforeAll(async () => {
  names = await startNameServer()
  inside.listen(0, '::')
  await once(inside, 'listening')
  gateway = await startServiceGateway({
    lookup: names.lookup,
    env: { ALLOW_PRIVATE_TARGETS: 'false', ALLOW_HTTP_TARGETS: 'true' },
  })
})
beforeEach(() => {
  heard = 0
})
afterAll(async () => {
  inside.close()
  await gateway.stop()
  await names.stop()
})

const urlOf = (name: string) => `http://${name}:${(inside.address() as AddressInfo).port}/`
const manifestOf = (name: string) => ({
  serviceName: 'Rebinding',
  pricing: { currency: 'USDC', amount: '0.01' },
  invoke: { method: 'POST', targets: [{ url: urlOf(name) }] },
})
const call = (name: string) =>
  gateway.deps.upstream.send({
    url: urlOf(name),
    method: 'POST',
    headers: {},
    body: '{}',
    timeoutMs: 5_000,
    responseBytesMax: 1_024,
  })

describe('failure 65: a name that resolves to one address when checked and to another when connecting', () => {
  test.for<[string, Meaning]>([
    ['first public, then loopback', { A: [[PUBLIC.A], ['127.0.0.1']] }],
    ['first public, then IPv6 loopback', { AAAA: [[PUBLIC.AAAA], ['::1']] }],
    ['first public, then a mapped address', { AAAA: [[PUBLIC.AAAA], ['::ffff:127.0.0.1']] }],
    ['first public, then the metadata service', { A: [[PUBLIC.A], ['169.254.169.254']] }],
    ['first public, then both', { A: [[PUBLIC.A], [PUBLIC.A, '127.0.0.1']] }],
    ['first public, then the unspecified address', { A: [[PUBLIC.A], ['0.0.0.0']] }],
  ])('%s: it is registered, but no probe, ping or call connects to it', async ([about, meaning]) => {
    const name = `${about.replaceAll(/\W+/g, '-')}.rebind.test`
    names.mean(name, meaning)
    const provider = await gateway.provider()
    const { serviceId } = await provider.register(manifestOf(name))
    expect((await provider.ask('POST', `/services/${serviceId}/ping`)).status).toBe(200)
    for (let turn = 0; turn < TURNS; turn += 1) {
      expect(await call(name)).toEqual({
        failure: { reason: 'blocked_address', sent: false, answered: false },
      })
    }
    const asked = names.asked.filter(question => question.endsWith(` ${name.toLowerCase()}`))
    expect(asked.length).toBeGreaterThan(TURNS)
    expect(heard).toBe(0)
  })

  test.for<[string, Meaning]>([
    ['a CNAME chain to loopback', { CNAME: 'one.chain.test' }],
    ['a mapped address', { AAAA: [['::ffff:127.0.0.1']] }],
    ['a public address and a private one', { A: [[PUBLIC.A, '10.0.0.1']] }],
    ['a public IPv4 and a private IPv6 address', { A: [[PUBLIC.A]], AAAA: [['fd00::1']] }],
    ['an address that embeds another', { AAAA: [['64:ff9b::7f00:1']] }],
    ['nothing', { A: [[]] }],
  ])('%s is refused at registration', async ([about, meaning]) => {
    names.mean('one.chain.test', { CNAME: 'two.chain.test' })
    names.mean('two.chain.test', { A: [['127.0.0.1']] })
    const name = `${about.replaceAll(/\W+/g, '-')}.refused.test`
    names.mean(name, meaning)
    const provider = await gateway.provider()
    const { status, body } = await provider.ask('POST', '/services', manifestOf(name))
    expect([status, body.code]).toEqual([400, 'UNSAFE_TARGET_URL'])
    expect(heard).toBe(0)
  })

  test('a name server that never answers causes a refusal, in time', async () => {
    const provider = await gateway.provider()
    const { status, body } = await provider.ask('POST', '/services', manifestOf('silent.test'))
    expect([status, body.code]).toEqual([400, 'UNSAFE_TARGET_URL'])
  })
})
