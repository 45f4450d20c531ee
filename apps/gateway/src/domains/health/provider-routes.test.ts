import type { HealthHistory } from '@farebox/wire/health'
import type { ServiceRecord } from '@farebox/wire/services'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Provider,
  type ServiceGateway,
  startServiceGateway,
} from '../../../test/kit/gateway/service-gateway.ts'

let gateway: ServiceGateway
let alice: Provider
let service: ServiceRecord
let secretKey: string
beforeAll(async () => {
  gateway = await startServiceGateway({ probesAtOnce: false })
  alice = await gateway.provider()
  service = await alice.register()
  secretKey = (await alice.issue()).secretKey
  for (const [isHealthy, ago] of [
    [true, '1 minute'],
    [false, '2 minutes'],
    [true, '3 hours'],
  ] as const) {
    await gateway.run(sql`
      insert into health_probes (service_id, url, is_healthy, latency_ms, checked_at)
      values (${service.serviceId}, ${service.invoke.targets[0]?.url}, ${isHealthy}, 12, now() - ${ago}::interval)`)
  }
})
afterAll(() => gateway.stop())

const healthOf = (reference: string, query = '', key = secretKey) =>
  gateway.askAs(key, `/provider/services/${reference}/health${query}`)
const statusesOf = ({ body }: { body: unknown }) =>
  (body as HealthHistory).targets.map(({ history }) => history.map(({ status }) => status))

test('returns the probe results like the history for the owner', async () => {
  const answer = await healthOf(service.serviceId)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual((await alice.ask('GET', `/services/${service.serviceId}/health/history`)).body)
  expect(answer.body).toMatchObject({ status: 'success', serviceId: service.serviceId })
  expect(statusesOf(answer)).toEqual([['healthy', 'unhealthy', 'healthy']])
})

test('accepts the agentToolName, the window and the limit', async () => {
  expect(statusesOf(await healthOf(service.agentToolName, '?hours=1'))).toEqual([['healthy', 'unhealthy']])
  expect(statusesOf(await healthOf(service.agentToolName, '?limitPerTarget=1'))).toEqual([['healthy']])
})

test('SERVICE_NOT_FOUND for another provider’s service and for an unknown one', async () => {
  const bob = await gateway.provider()
  const { secretKey: stranger } = await bob.issue()
  for (const answer of [
    await healthOf(service.serviceId, '', stranger),
    await healthOf(service.agentToolName, '', stranger),
    await healthOf('svc_00000000000000000000000000'),
    await healthOf('%00'),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'SERVICE_NOT_FOUND'])
  }
})

test('PROVIDER_SECRET_INVALID for the owner’s session, INVALID_REQUEST for a non-numeric window', async () => {
  const refused = await healthOf(service.serviceId, '', alice.token)
  expect([refused.status, refused.body.code]).toEqual([401, 'PROVIDER_SECRET_INVALID'])
  const malformed = await healthOf(service.serviceId, '?hours=day')
  expect([malformed.status, malformed.body.code]).toEqual([400, 'INVALID_REQUEST'])
})
