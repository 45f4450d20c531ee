import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'
import { startTarget, type TestTarget } from '../../../test/kit/provider/test-target.ts'
import { manifestOf } from '../../../test/kit/world/manifests.ts'

/** The maximum of a wallet. */
const SERVICES_PER_WALLET_MAX = 1_000

let gateway: Awaited<ReturnType<typeof startServiceGateway>>
let target: TestTarget
beforeAll(async () => {
  ;[gateway, target] = await Promise.all([startServiceGateway(), startTarget()])
})
afterAll(async () => {
  await gateway.stop()
  await target.stop()
})

test('LIMIT_EXCEEDED for one service more than a wallet may have, before its targets are asked; until one is deleted', async () => {
  const provider = await gateway.provider()
  const { serviceId } = await provider.register(manifestOf(target.url))
  await gateway.deps.db.query(sql`
    insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
                          price_model, price, method, timeout_ms, request, response)
    select 'svc_copy' || n, owner, 'copy-' || n, service_name, summary, description, tags, service_kind,
           price_model, price, method, timeout_ms, request, response
    from services, generate_series(2, ${SERVICES_PER_WALLET_MAX}) n where id = ${serviceId}`)
  target.prove({ status: 200, body: '{"providers": []}' }) // would refuse the wallet
  const { status, body } = await provider.ask('POST', '/services', manifestOf(target.url))
  target.prove({ status: 404, body: '' })
  expect([status, body.code]).toEqual([422, 'LIMIT_EXCEEDED'])
  expect(body.detail).toMatchObject({ limit: 'services_per_wallet' })

  await provider.ask('PUT', `/services/${serviceId}`, { isActive: false })
  expect((await provider.ask('DELETE', `/services/${serviceId}`)).status).toBe(200)
  expect((await provider.ask('POST', '/services', manifestOf(target.url))).status).toBe(200)
})
