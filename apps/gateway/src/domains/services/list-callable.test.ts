import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../test/kit/gateway/service-gateway.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { llmManifestOf, manifestOf } from '../../../test/kit/world/manifests.ts'
import { listCallable, readCallableEntry } from './list-callable.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let stop: () => Promise<void>

/** In the order of their bytes. */
const NAMES = ['a', 'a-b', 'a0', 'a_b', 'ab', 'model-a', 'model-b', 'zz']

beforeAll(async () => {
  ;({ on, target, alice, stop } = await startServiceFixture())
  for (const agentToolName of NAMES.toReversed()) {
    const isModel = agentToolName.startsWith('model')
    const more = { agentToolName, description: `About ${agentToolName}.` }
    const dialect = agentToolName === 'model-b' ? 'anthropic' : 'openai'
    await alice.register(
      isModel
        ? llmManifestOf(target.url, { ...more, llmDialect: dialect })
        : manifestOf(target.url, { ...more, invoke: { method: 'GET', targets: [{ url: target.url }] } }),
    )
  }
})
afterAll(() => stop())

type Query = Partial<Parameters<typeof listCallable>[1]>
const names = async (query: Query = {}) => {
  const { services } = await listCallable(on.deps, { afterKey: null, limit: 100, ...query })
  return services.map(({ agentToolName }) => agentToolName)
}

describe('the list of callable services', () => {
  test.each([1, 2, 3, 7, 8, 9])('in pages of %i has each service once, in byte order', async limit => {
    const seen: string[] = []
    let afterKey: string | null = null
    for (let page = 0; page < NAMES.length; page += 1) {
      const { services, nextKey } = await listCallable(on.deps, { afterKey, limit })
      expect(services.length).toBeLessThanOrEqual(limit)
      seen.push(...services.map(({ agentToolName }) => agentToolName))
      afterKey = nextKey
      if (nextKey === null) break
    }
    expect(afterKey).toBeNull()
    expect(seen).toEqual(NAMES)
  })

  test('continues after a key whose service is gone', async () => {
    expect(await names({ afterKey: 'a1-never-there' })).toEqual(NAMES.slice(3))
  })

  test('has entries of the summary with method and request of the manifest', async () => {
    const request = { body: { type: 'object', required: ['q'] }, example: { q: 'x' } }
    const grace = await on.provider()
    const { serviceId } = await grace.register(
      manifestOf(target.url, {
        agentToolName: 'with-schema',
        invoke: { method: 'PUT', targets: [{ url: target.url }], request },
      }),
    )
    const [entry] = (await listCallable(on.deps, { text: 'with-schema', afterKey: null, limit: 5 })).services
    const { body } = await on.ask('GET', `/services/${serviceId}`)
    expect(entry).toEqual({
      ...(body.service as object),
      method: 'PUT',
      encoding: 'json',
      placeholders: [],
      request,
      response: {},
      ownerAddress: grace.address,
      createdAt: expect.any(Date),
    })
    expect(await readCallableEntry(on.deps, serviceId)).toEqual(entry)
    expect(await readCallableEntry(on.deps, 'with-schema')).toEqual(entry)
    await grace.ask('PUT', `/services/${serviceId}`, { isActive: false })
    expect(await readCallableEntry(on.deps, serviceId)).toBeNull()
    expect(await names()).toEqual(NAMES)
  })

  test('filters by text, kind and dialect', async () => {
    expect(await names({ kind: 'llm' })).toEqual(['model-a', 'model-b'])
    expect(await names({ kind: 'api' })).toEqual(NAMES.filter(name => !name.startsWith('model')))
    expect(await names({ dialect: 'anthropic' })).toEqual(['model-b'])
    expect(await names({ kind: 'llm', dialect: 'openai' })).toEqual(['model-a'])
    expect(await names({ kind: 'api', dialect: 'openai' })).toEqual([])
    expect(await names({ text: ' ABOUT MODEL ' })).toEqual(['model-a', 'model-b'])
    expect(await names({ text: 'a_b' })).toEqual(['a_b'])
    expect(await names({ text: '  ' })).toEqual(NAMES)
    expect(await names({ text: 'model', kind: 'llm', afterKey: 'model-a' })).toEqual(['model-b'])
  })

  test('omits services that cannot be called', async () => {
    const dead = await startTarget()
    dead.answer(500)
    const henry = await on.provider()
    const hidden = async (agentToolName: string, url = target.url) =>
      (await henry.register(manifestOf(url, { agentToolName }))).serviceId
    await hidden('unhealthy', dead.url)
    const inactive = await hidden('inactive')
    const suspended = await hidden('suspended')
    const deleted = await hidden('deleted')
    await hidden('orphan')
    await on.deps.db.query(sql`update services set is_active = false where id = ${inactive}`)
    await on.deps.db.query(sql`update services set suspended_at = now() where id = ${suspended}`)
    await on.deps.db.query(
      sql`update services set is_active = false, deleted_at = now() where id = ${deleted}`,
    )
    expect(await names()).toEqual([...NAMES, 'orphan'].toSorted())
    await on.deps.db.query(sql`update wallets set suspended_at = now() where address = ${henry.wallet}`)
    expect(await names()).toEqual(NAMES)
    await dead.stop()
  })
})
