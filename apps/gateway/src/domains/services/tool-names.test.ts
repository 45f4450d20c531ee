import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  manifestOf,
  type Provider,
  startServiceGateway,
  startTarget,
  type TestTarget,
} from '../../../test/service-gateway.ts'

let on: Awaited<ReturnType<typeof startServiceGateway>>
let target: TestTarget
let alice: Provider
let bob: Provider

beforeAll(async () => {
  on = await startServiceGateway()
  target = await startTarget()
  alice = await on.provider()
  bob = await on.provider()
})
afterAll(async () => {
  await target.stop()
  await on.stop()
})

const refusal = (code: string, status: number) => ({ status, body: { code, detail: { code } } })

describe('a tool name', () => {
  test('that is given and taken is DUPLICATE_SERVICE_ID, whoever has it', async () => {
    await alice.register(manifestOf(target.url, { agentToolName: 'taken-1' }))
    for (const who of [alice, bob]) {
      const answer = await who.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'taken-1' }))
      expect(answer).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    }
  })

  test('is derived from serviceName, with a suffix when that is taken', async () => {
    const names = [
      (await alice.register(manifestOf(target.url, { serviceName: 'Derived Name!' }))).agentToolName,
      (await bob.register(manifestOf(target.url, { serviceName: 'Derived Name!' }))).agentToolName,
    ]
    expect(names[0]).toBe('derived-name')
    expect(names[1]).toMatch(/^derived-name-[0-9a-f]{6}$/)
  })

  test('is never that of a path beside the services: the service could not be read by it', async () => {
    for (const agentToolName of ['discover', 'registration-guide', 'parse-curl']) {
      const answer = await alice.ask('POST', '/services', manifestOf(target.url, { agentToolName }))
      expect(answer).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    }
    const derived = await alice.register(manifestOf(target.url, { serviceName: 'Discover' }))
    expect(derived.agentToolName).toMatch(/^discover-[0-9a-f]{6}$/)
  })

  test('is taken from serviceId when it is absent', async () => {
    const service = await alice.register(manifestOf(target.url, { serviceId: 'my-own-id' }))
    expect(service.agentToolName).toBe('my-own-id')
    const both = manifestOf(target.url, { serviceId: 'my-own-id', agentToolName: 'another-name' })
    expect((await alice.register(both)).agentToolName).toBe('another-name')
  })

  test('goes to one of many who ask for it at once', async () => {
    const manifest = manifestOf(target.url, { agentToolName: 'contended' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => bob.ask('POST', '/services', manifest)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  })

  test('stays taken after deletion', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'buried' }))
    await alice.ask('PUT', `/services/${serviceId}`, { isActive: false })
    await alice.ask('DELETE', `/services/${serviceId}`)
    const again = await alice.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'buried' }))
    expect(again).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
  })

  test('is accepted wherever a service id is', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'by-name' }))
    expect((await on.ask('GET', '/services/by-name')).body).toMatchObject({ serviceId })
    expect((await alice.ask('GET', '/services/by-name/health/history')).body).toMatchObject({ serviceId })
    expect((await alice.ask('POST', '/services/by-name/ping')).body).toMatchObject({ serviceId })
    expect((await alice.ask('PUT', '/services/by-name', { isActive: false })).body).toMatchObject({
      serviceId,
    })
    expect((await alice.ask('DELETE', '/services/by-name')).body).toMatchObject({ serviceId })
  })

  test('can be changed to a free one, and the old one still leads to the service', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'old-name' }))
    const renamed = await alice.ask('PUT', '/services/old-name', { agentToolName: 'new-name' })
    expect(renamed.body).toMatchObject({ service: { serviceId, agentToolName: 'new-name' } })
    expect((await on.ask('GET', '/services/old-name')).body).toMatchObject({ serviceId })
    expect((await on.directory.find('old-name'))?.agentToolName).toBe('new-name')
    const stolen = await bob.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'old-name' }))
    expect(stolen).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    await bob.register(manifestOf(target.url, { agentToolName: 'bobs-name' }))
    const taken = await alice.ask('PUT', '/services/new-name', { agentToolName: 'bobs-name' })
    expect(taken).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
  })
})
