import type { ServiceRecord } from '@farebox/wire/services'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceGateway, startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { manifestOf, UNREACHABLE } from '../../../test/kit/world/manifests.ts'

let gateway: ServiceGateway
beforeAll(async () => {
  gateway = await startServiceGateway({ probesAtOnce: false })
})
afterAll(() => gateway.stop())

const listWith = async (secretKey: string, query = '') =>
  (await gateway.askAs(secretKey, `/provider/services${query}`)).body as {
    services: ServiceRecord[]
    nextCursor: string | null
  }

test('lists only the services of the secret’s wallet, as its owner sees them', async () => {
  const [alice, bob] = [await gateway.provider(), await gateway.provider()]
  const first = await alice.register(
    manifestOf(UNREACHABLE, { serviceName: 'First', upstreamHeaders: { 'x-key': 'hidden' } }),
  )
  const second = await alice.register(manifestOf(UNREACHABLE, { serviceName: 'Second' }))
  await bob.register()
  const { secretKey } = await alice.issue()

  const { status, body } = await gateway.askAs(secretKey, '/provider/services')
  expect(status).toBe(200)
  expect(body).toEqual((await alice.ask('GET', '/services')).body)
  expect(body).toMatchObject({
    status: 'success',
    services: [
      { serviceId: second.serviceId, ownerAddress: alice.address },
      { serviceId: first.serviceId, hasUpstreamHeaders: true },
    ],
    nextCursor: null,
  })
  expect(JSON.stringify(body)).not.toContain('hidden')
})

test('pages with a cursor', async () => {
  const alice = await gateway.provider()
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.unshift((await alice.register()).serviceId)
  const { secretKey } = await alice.issue()
  const page = await listWith(secretKey, '?limit=2')
  const rest = await listWith(secretKey, `?limit=2&cursor=${page.nextCursor}`)
  expect([...page.services, ...rest.services].map(({ serviceId }) => serviceId)).toEqual(ids)
  expect(rest.nextCursor).toBeNull()

  for (const query of ['?limit=x', '?cursor=not%20ours']) {
    const refused = await gateway.askAs(secretKey, `/provider/services${query}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST'])
  }
})

test('returns an empty list for a provider without services', async () => {
  const { secretKey } = await (await gateway.provider()).issue()
  expect(await listWith(secretKey)).toEqual({ status: 'success', services: [], nextCursor: null })
})

test('includes suspended services, as the owner’s list does', async () => {
  const alice = await gateway.provider()
  const { serviceId } = await alice.register()
  await gateway.run(sql`update services set suspended_at = now() where id = ${serviceId}`)
  const { secretKey } = await alice.issue()
  expect((await listWith(secretKey)).services).toMatchObject([{ serviceId, status: 'suspended' }])
})

test('PROVIDER_SECRET_INVALID without a provider secret, before the query is parsed', async () => {
  const alice = await gateway.provider()
  for (const token of [undefined, alice.token]) {
    const { status, body } = await send(gateway.url, '/api/v1/provider/services?limit=x', {
      ...(token !== undefined && { token }),
    })
    expect([status, body.code]).toEqual([401, 'PROVIDER_SECRET_INVALID'])
  }
})
