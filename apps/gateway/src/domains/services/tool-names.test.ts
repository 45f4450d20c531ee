import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../test/kit/network/http.ts'
import type { TestTarget } from '../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let bob: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, bob, stop } = await startServiceFixture())
})
afterAll(() => stop())

/** Gives one of Alice's services these names, one after the other. */
async function renameTo(serviceId: string, names: readonly string[]): Promise<void> {
  for (const agentToolName of names)
    expect((await alice.ask('PUT', `/services/${serviceId}`, { agentToolName })).status).toBe(200)
}

/** Makes the database believe that a former name was left earlier by this interval. */
const age = (name: string, interval: string) =>
  on.deps.db.query(sql`update tool_names set left_at = left_at - ${interval}::interval where name = ${name}`)

describe('a tool name', () => {
  test('that is taken is DUPLICATE_SERVICE_ID, whoever owns it', async () => {
    await alice.register(manifestOf(target.url, { agentToolName: 'taken-1' }))
    for (const who of [alice, bob]) {
      const answer = await who.ask('POST', '/services', manifestOf(target.url, { agentToolName: 'taken-1' }))
      expect(answer).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    }
  })

  test('is derived from serviceName, with a suffix when taken', async () => {
    const names = [
      (await alice.register(manifestOf(target.url, { serviceName: 'Derived Name!' }))).agentToolName,
      (await bob.register(manifestOf(target.url, { serviceName: 'Derived Name!' }))).agentToolName,
    ]
    expect(names[0]).toBe('derived-name')
    expect(names[1]).toMatch(/^derived-name-[0-9a-f]{6}$/)
  })

  test('is never the name of a sibling path, which would hide the service', async () => {
    for (const agentToolName of ['discover', 'registration-guide', 'parse-curl', 'parse-openapi']) {
      const answer = await alice.ask('POST', '/services', manifestOf(target.url, { agentToolName }))
      expect(answer).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    }
    const derived = await alice.register(manifestOf(target.url, { serviceName: 'Discover' }))
    expect(derived.agentToolName).toMatch(/^discover-[0-9a-f]{6}$/)
  })

  test('defaults to serviceId', async () => {
    const service = await alice.register(manifestOf(target.url, { serviceId: 'my-own-id' }))
    expect(service.agentToolName).toBe('my-own-id')
    const both = manifestOf(target.url, { serviceId: 'my-own-id', agentToolName: 'another-name' })
    expect((await alice.register(both)).agentToolName).toBe('another-name')
  })

  test('is given once to concurrent requests', async () => {
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

  test.each(['3d-models', '-first', '_first', 'farebox_search', 'farebox_call', 'farebox_anything'])(
    '%s is INVALID_MANIFEST: it does not start with a letter, or is reserved',
    async agentToolName => {
      const manifest = manifestOf(target.url, { agentToolName })
      const refused = await alice.ask('POST', '/services', manifest)
      expect(refused).toMatchObject({
        ...refusal('INVALID_MANIFEST', 400),
        body: { detail: { issues: [{ path: 'agentToolName' }] } },
      })
      const { serviceId } = await alice.register(manifestOf(target.url))
      const renamed = await alice.ask('PUT', `/services/${serviceId}`, { agentToolName })
      expect(renamed).toMatchObject(refusal('INVALID_MANIFEST', 400))
    },
  )

  test('of an older form stays valid, and may be sent with a change', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'older' }))
    await on.deps.db.query(sql`update tool_names set name = '1st' where name = 'older'`)
    await on.deps.db.query(sql`update services set agent_tool_name = '1st' where id = ${serviceId}`)
    const changed = await alice.ask('PUT', '/services/1st', { agentToolName: '1st', summary: 'Changed.' })
    expect(changed).toMatchObject({ status: 200, body: { service: { serviceId, agentToolName: '1st' } } })
  })

  test.each([
    ['3D models', 'service-3d-models'],
    ['Farebox_search', 'farebox-search'],
    ['天気', 'service'],
  ])('derived from %s is %s', async (serviceName, agentToolName) => {
    expect((await alice.register(manifestOf(target.url, { serviceName }))).agentToolName).toBe(agentToolName)
  })

  test('resolves to its service while it is one of its last three previous names', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'name-0' }))
    await renameTo(serviceId, ['name-1', 'name-2', 'name-3', 'name-4'])
    const statuses = ['name-0', 'name-1', 'name-2', 'name-3', 'name-4'].map(
      async name => (await on.ask('GET', `/services/${name}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([404, 200, 200, 200, 200])
    const back = await alice.ask('PUT', `/services/${serviceId}`, { agentToolName: 'name-2' })
    expect(back.body).toMatchObject({ service: { serviceId, agentToolName: 'name-2' } })
    expect((await on.ask('GET', '/services/name-4')).body).toMatchObject({ serviceId })
    expect((await on.ask('GET', '/services/name-0')).status).toBe(404)
  })

  test('goes to no other service until 30 days after it was left, even if it no longer resolves', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'bait-0' }))
    await renameTo(serviceId, ['bait-1', 'bait-2', 'bait-3', 'bait-4', 'bait-5'])
    const dear = await alice.register(manifestOf(target.url, { agentToolName: 'dear' }))
    const take = (agentToolName: string) => alice.ask('PUT', `/services/${dear.serviceId}`, { agentToolName })
    expect((await on.ask('GET', '/services/bait-0')).status).toBe(404)
    await age('bait-0', '29 days 23 hours')
    expect(await take('bait-0')).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    await age('bait-0', '1 hour')
    expect((await take('bait-0')).status).toBe(200)
    expect((await on.ask('GET', '/services/bait-0')).body).toMatchObject({ serviceId: dear.serviceId })
    expect(await take('bait-1')).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
  })

  test('is the eleventh that its service would leave within 30 days: LIMIT_EXCEEDED', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'left-0' }))
    await renameTo(
      serviceId,
      Array.from({ length: 10 }, (_, index) => `left-${index + 1}`),
    )
    const refused = await alice.ask('PUT', `/services/${serviceId}`, { agentToolName: 'left-11' })
    expect(refused).toMatchObject(refusal('LIMIT_EXCEEDED', 422))
    expect(refused.body.detail).toMatchObject({ limit: 'names_per_service' })
    expect((await on.ask('GET', '/services/left-10')).body).toMatchObject({ serviceId })
    await renameTo(serviceId, ['left-3']) // A former name of its own stays possible.
    await age('left-0', '30 days')
    await renameTo(serviceId, ['left-11'])
    const kept = await on.deps.db.query(sql`select from tool_names where service_id = ${serviceId}`)
    expect(kept).toHaveLength(11)
  })

  test('that a service gave up 30 days ago is free', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'left' }))
    await alice.ask('PUT', `/services/${serviceId}`, { agentToolName: 'moved' })
    await age('left', '30 days')
    expect((await on.ask('GET', '/services/left')).status).toBe(404)
    const taken = await bob.register(manifestOf(target.url, { agentToolName: 'left' }))
    expect((await on.ask('GET', '/services/left')).body).toMatchObject({ serviceId: taken.serviceId })
  })

  test('that an allow-list holds is never given to another service', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url, { agentToolName: 'trusted-0' }))
    await on.deps.db.query(sql`
      insert into credentials (id, owner, name, token_hash, rpm, reset_interval, allowed_services, interval_start)
      values ('cred_trusting', ${bob.wallet}, 'trusting', '\\x00', 60, 'never', '{trusted-0,trusted-1}', now())`)
    await renameTo(serviceId, ['trusted-1', 'trusted-2', 'trusted-3', 'trusted-4', 'trusted-5', 'trusted-6'])
    for (const number of [0, 1, 2]) await age(`trusted-${number}`, '30 days')
    const take = (agentToolName: string) =>
      bob.ask('POST', '/services', manifestOf(target.url, { agentToolName }))
    for (const name of ['trusted-0', 'trusted-1']) {
      expect((await on.ask('GET', `/services/${name}`)).status).toBe(404)
      expect(await take(name)).toMatchObject(refusal('DUPLICATE_SERVICE_ID', 409))
    }
    expect((await take('trusted-2')).status).toBe(200)
    // Its own service may have it again.
    await renameTo(serviceId, ['trusted-1'])
    await on.deps.db.query(sql`update credentials set status = 'deleted' where id = 'cred_trusting'`)
    expect((await take('trusted-0')).status).toBe(200)
  })

  test('can be changed to a free one, while the old one still resolves', async () => {
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
