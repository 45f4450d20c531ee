import type { BookCheck, SealAnswer } from '@farebox/wire/balance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../../test/kit/gateway/test-gateway.ts'
import { send } from '../../../../test/kit/network/http.ts'
import { until } from '../../../../test/kit/until.ts'
import { sessionFor } from '../../../../test/kit/world/wallets.ts'
import { ownerWith, type Person } from '../../../../test/kit/world/world.ts'
import { bytesOf } from './merkle-rules.ts'
import { proveLiabilities } from './prove-liabilities.ts'
import { sealEntries } from './seal-entries.ts'
import { sealHash } from './seal-rules.ts'

const QUOTA = 3
let on: TestGateway
let narrow: TestGateway
let owner: Person
beforeAll(async () => {
  on = await startTestGateway()
  narrow = await startTestGateway({ share: on, env: { SEARCHES_PER_MINUTE: String(QUOTA) } })
  owner = await ownerWith(on, '1')
  await seal()
  for (const amount of ['2', '3', '4']) {
    await ownerWith(on, amount)
    await seal()
  }
  await proveLiabilities(on.gateway.deps)
})
afterAll(async () => {
  await narrow.stop()
  await on.stop()
})

const seal = () => sealEntries(on.gateway.deps, new AbortController().signal)
type Page = { seals: SealAnswer[]; nextCursor: string | null; status: string }
const page = async (query = '') => (await send<Page>(on.url, `/api/v1/proof/seals${query}`)).body

describe('GET /proof/seals', () => {
  test('lists all seals publicly, newest first, in pages', async () => {
    const all: SealAnswer[] = []
    let cursor = ''
    for (let pages = 0; pages < 100; pages += 1) {
      const { seals, nextCursor } = await page(`?limit=2${cursor}`)
      all.push(...seals)
      if (nextCursor === null) break
      cursor = `&cursor=${nextCursor}`
    }
    expect(all.length).toBeGreaterThanOrEqual(4)
    expect(all.map(({ number }) => number)).toEqual(all.map((_, index) => all.length - index))
    for (const [index, one] of all.entries()) {
      const before = all[index + 1]
      expect(one.previousHash).toBe(before?.hash ?? `0x${'0'.repeat(64)}`)
      expect(one.afterEntryId).toBe(before?.lastEntryId ?? '0')
    }
  })

  test('returns everything that the hash of a seal covers', async () => {
    const [newest] = (await page()).seals
    if (newest === undefined) throw new Error('There is no seal.')
    const { number, afterEntryId, lastEntryId, entries, root, previousHash, hash, sealedAt, heads } = newest
    const made = sealHash({
      number: BigInt(number),
      afterEntry: BigInt(afterEntryId),
      lastEntry: BigInt(lastEntryId),
      entries,
      root: bytesOf(root),
      previous: bytesOf(previousHash),
      sealedAt: new Date(sealedAt),
      heads,
    })
    expect(heads?.map(({ partition }) => partition)).toEqual(Array.from({ length: 16 }, (_, index) => index))
    expect(heads?.some(({ head }) => head !== '0')).toBe(true)
    expect(made).toEqual(bytesOf(hash))
  })

  test.each(['cursor=!', 'cursor=YWJj', 'limit=x'])('rejects %s', async query => {
    const { status, body } = await send(on.url, `/api/v1/proof/seals?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

test('shows the worst check of each time slice publicly, with the number of checks', async () => {
  await on.sql(`insert into reconciliations (at, consistent, findings, vault_block, vault_held, vault_due)
    select date_trunc('hour', now()) - interval '2 hours' + n * interval '1 minute', n <> 20, '[]',
      case when n = 20 then null else 7 end, case when n = 20 then null else 9000000 + n end,
      case when n = 20 then null else 9000000 end
    from generate_series(1, 29) n`)
  const { body } = await send<{ checks: BookCheck[] }>(on.url, '/api/v1/proof/checks?days=1')
  const [first, second] = body.checks
  expect(first).toMatchObject({
    checks: 14,
    consistent: true,
    vaultBalanceUsdc: '9.000001',
    demandedUsdc: '9.000000',
  })
  expect(second).toMatchObject({ checks: 15, consistent: false, vaultBalanceUsdc: null, demandedUsdc: null })
  expect(body.checks.map(({ at }) => at)).toEqual(body.checks.map(({ at }) => at).toSorted())
  const { body: most } = await send<{ checks: BookCheck[] }>(on.url, '/api/v1/proof/checks?days=4000')
  expect(most.checks.reduce((sum, { checks }) => sum + checks, 0)).toBe(
    body.checks.reduce((sum, { checks }) => sum + checks, 0),
  )
})

describe('a proof response', () => {
  test('may be cached briefly when public, and never for a wallet', async () => {
    const cacheOf = async (path: string, token?: string) =>
      (await send(on.url, `/api/v1/proof/${path}`, token === undefined ? {} : { token })).headers[
        'cache-control'
      ]
    expect(await cacheOf('reserves')).toBe('public, max-age=1')
    expect(await cacheOf('seals')).toBe('public, max-age=5')
    expect(await cacheOf('checks')).toBe('public, max-age=10')
    expect(await cacheOf('inclusion', owner.token)).toBe('no-store')
    expect(await cacheOf('inclusion')).toBe('no-store')
    expect(await cacheOf('seals?cursor=!')).toBe('no-store')
  })

  test.each(['reserves', 'seals', 'checks', 'inclusion'])('is limited per client: %s', async name => {
    const token = await tokenAt(narrow)
    const ask = () => send(narrow.url, `/api/v1/proof/${name}`, { token })
    const statuses: number[] = []
    for (let count = 0; count < QUOTA; count += 1) statuses.push((await ask()).status)
    expect(statuses).toEqual(statuses.map(() => 200))
    const { status, body, headers } = await ask()
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(headers.ratelimit).toMatch(/r=0/)
  })

  test('of a wallet requires its session', async () => {
    const { status, body } = await send(on.url, '/api/v1/proof/inclusion')
    expect([status, body.code]).toEqual([401, 'UNAUTHORIZED'])
  })
})

test('two gateways on one database show the same root, and prove under it', async () => {
  const other = await startTestGateway({ share: on })
  try {
    const [here, there] = await Promise.all(
      [on, other].map(
        async gateway =>
          (await send(gateway.url, '/api/v1/proof/inclusion', { token: await tokenAt(gateway) })).body,
      ),
    )
    expect(here).toMatchObject({
      balanceUsdc: '1.000000',
      merkleRoot: there?.merkleRoot,
      leafHash: there?.leafHash,
    })
    expect(here?.branch).toEqual(there?.branch)
  } finally {
    await other.stop()
  }
})

test('a gateway seals and builds the tree on its own', async () => {
  const { account } = await ownerWith(on, '0.5')
  const before = (await page()).seals[0]?.number ?? 0
  const other = await startTestGateway({ share: on, env: { RECONCILE_INTERVAL_SECONDS: '0.5' } })
  try {
    await until('the entries of the deposit are sealed', async () => {
      return ((await page()).seals[0]?.number ?? 0) > before
    })
    const token = await sessionFor(other.gateway.deps, account.address)
    await until('the wallet is in a tree', async () => {
      const { body } = await send(other.url, '/api/v1/proof/inclusion', { token })
      return body.balanceUsdc === '0.500000'
    })
  } finally {
    await other.stop()
  }
})

/** Sessions are good at the gateway that gave them out, whose secret is its own in the tests. */
async function tokenAt(gateway: TestGateway): Promise<string> {
  return sessionFor(gateway.gateway.deps, owner.account.address)
}
