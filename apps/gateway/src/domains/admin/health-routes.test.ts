import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { get, post } from '../../../test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../test/kit/provider/provider.ts'
import { EVERY_JOB_MS_MAX, until } from '../../../test/kit/until.ts'
import { newWallet, signIn } from '../../../test/kit/world/wallets.ts'
import { arrive, invoke, mint, ownerWith, register } from '../../../test/kit/world/world.ts'

const admin = newWallet()
let on: TestGateway
let provider: TestProvider

beforeAll(async () => {
  on = await startTestGateway({ env: { ADMIN_WALLETS: admin.address, PLATFORM_FEE_BPS: '1000' } })
  provider = await startProvider()
})
afterAll(async () => {
  await on.stop()
  await provider.stop()
})

test('shows admins the fees, and how jobs, endpoints and partitions are', async () => {
  const serviceId = await register(on, await arrive(on), { targets: [provider.url], priceUsdc: '1' })
  const agent = await mint(on, await ownerWith(on, '5'))
  expect((await invoke(on, agent, { serviceId, costUsdc: '1', payload: { body: {} } })).status).toBe(200)
  const token = await signIn(on.url, admin)
  const read = async () => (await get<Health>(on, '/admin/health', { token })).body
  await until(
    'every job has run',
    async () => (await read()).jobs.every(({ lastDoneAt }) => lastDoneAt !== null),
    EVERY_JOB_MS_MAX,
  )
  const { fees, jobs, queue, endpoints, partitions, blocksBehind } = await read()
  expect(fees).toEqual({
    accruedUsdc: '0.100000',
    lockedUsdc: '0.000000',
    lossesUsdc: '0.000000',
    payableUsdc: '0.100000',
  })
  expect(jobs.map(({ name }) => name)).toContain('follow-clock')
  expect(queue.givenUp).toBe(0)
  const rotation = jobs.find(({ name }) => name === 'rotate-signing-keys')
  const { lastStartedAt, lastDoneAt, nextRunAt, ...rest } = rotation ?? {}
  expect(rest).toEqual({
    name: 'rotate-signing-keys',
    intervalSeconds: 60,
    runs: expect.any(Number),
    failures: 0,
    lastRunMs: expect.any(Number),
    lastOutcome: 'done',
  })
  expect(Date.parse(lastStartedAt ?? '')).toBeLessThanOrEqual(Date.parse(lastDoneAt ?? ''))
  expect(Date.parse(nextRunAt ?? '') - Date.parse(lastDoneAt ?? '')).toBe(60_000)
  expect(endpoints).toEqual([
    { host: new URL(on.chain.rpcUrl).host, block: expect.any(Number), failed: 0, differed: 0, wasBehind: 0 },
  ])
  expect(partitions).toHaveLength(16)
  expect(partitions.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(0)
  expect(blocksBehind).not.toBeNull()
})

test('shows admins how many withdrawals and support tasks wait, and since when', async () => {
  const token = await signIn(on.url, admin)
  const read = async () => (await get<Health>(on, '/admin/health', { token })).body
  expect(await read()).toMatchObject({
    withdrawalsToReview: { count: 0, since: null },
    openSupportTasks: { count: 0, since: null },
  })
  const begun = Date.now()
  for (const message of ['Charged twice?', 'Still charged twice.'])
    expect(
      (
        await post(on, '/feedback', {
          token,
          body: { source: 'api', sentiment: 'not_helpful', category: 'billing', message },
        })
      ).status,
    ).toBe(200)
  const { openSupportTasks } = await read()
  expect(openSupportTasks.count).toBe(2)
  expect(Math.abs(Date.parse(openSupportTasks.since ?? '') - begun)).toBeLessThan(60_000)
})

type Health = {
  readonly openSupportTasks: { readonly count: number; readonly since: string | null }
  readonly fees: object
  readonly jobs: readonly {
    readonly name: string
    readonly lastStartedAt: string | null
    readonly lastDoneAt: string | null
    readonly nextRunAt: string | null
  }[]
  readonly queue: { readonly givenUp: number }
  readonly endpoints: readonly object[]
  readonly partitions: readonly { readonly rows: number; readonly behind: number }[]
  readonly blocksBehind: number | null
}
