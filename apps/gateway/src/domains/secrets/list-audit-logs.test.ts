import type { SecretLog } from '@farebox/wire/secrets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceGateway, startServiceGateway } from '../../../test/kit/gateway/service-gateway.ts'

let gateway: ServiceGateway
beforeAll(async () => {
  gateway = await startServiceGateway({ probesAtOnce: false })
})
afterAll(() => gateway.stop())

const PATH = '/secrets/provider/audit-logs'

test("lists the actions on a wallet's secrets, newest first, without keys", async () => {
  const [provider, other] = await Promise.all([gateway.provider(), gateway.provider()])
  const secret = await provider.issue({ name: 'worker', creditLimit: '5' })
  await other.issue()
  await provider.ask('DELETE', `/secrets/provider/${secret.id}`)
  const { status, body } = await provider.ask('GET', PATH)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    status: 'success',
    logs: [
      { action: 'deleted', secretId: secret.id, actor: provider.address, detail: {} },
      {
        action: 'issued',
        secretId: secret.id,
        actor: provider.address,
        detail: {
          after: { name: 'worker', rpm: 600, creditLimit: '5.000000', resetInterval: 'never' },
        },
      },
    ],
    nextCursor: null,
  })
  expect(JSON.stringify(body)).not.toContain(secret.secretKey)
})

test('returns pages', async () => {
  const provider = await gateway.provider()
  for (const name of ['a', 'b', 'c']) await provider.issue({ name })
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await provider.ask('GET', `${PATH}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    seen.push(...(body.logs as SecretLog[]).map(({ secretId }) => secretId))
    cursor = body.nextCursor as string | null
  }
  expect(new Set(seen).size).toBe(3)
  const { status, body } = await provider.ask('GET', `${PATH}?cursor=nobodys`)
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
})
