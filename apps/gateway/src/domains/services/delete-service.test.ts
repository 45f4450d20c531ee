import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceFixture,
} from '../../../test/kit/gateway/service-gateway.ts'
import { refusal } from '../../../test/kit/network/http.ts'
import type { TestTarget } from '../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'
import { readService } from './store.ts'

let on: ServiceGateway
let target: TestTarget
let alice: Provider
let bob: Provider
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ on, target, alice, bob, stop } = await startServiceFixture())
})
afterAll(() => stop())

describe('DELETE /services/:id', () => {
  test('409 while active; deletes an inactive service for good', async () => {
    const { serviceId } = await alice.register(
      manifestOf(target.url, { upstreamHeaders: { 'x-key': 'secret' } }),
    )
    const path = `/services/${serviceId}`
    expect(await alice.ask('DELETE', path)).toMatchObject(refusal('SERVICE_DELETE_ACTIVE_CONFLICT', 409))
    await alice.ask('PUT', path, { isActive: false })
    expect(await alice.ask('DELETE', path)).toMatchObject({
      status: 200,
      body: { status: 'success', serviceId },
    })

    for (const [method, body] of [['DELETE'], ['PUT', { isActive: true }]] as const) {
      expect(await alice.ask(method, path, body)).toMatchObject(refusal('SERVICE_ALREADY_DELETED', 410))
    }
    expect(await alice.ask('POST', `${path}/ping`)).toMatchObject(refusal('SERVICE_ALREADY_DELETED', 410))
    expect(await on.ask('GET', path)).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
    expect(await readService(on.deps.db, serviceId)).toMatchObject({ upstreamHeaders: null })
    const { body } = await alice.ask('GET', '/services?limit=100')
    expect(JSON.stringify(body)).not.toContain(serviceId)
  })

  test('SERVICE_NOT_FOUND for the service of another wallet', async () => {
    const { serviceId } = await alice.register(manifestOf(target.url))
    expect(await bob.ask('DELETE', `/services/${serviceId}`)).toMatchObject(refusal('SERVICE_NOT_FOUND', 404))
  })
})
