import pg from 'pg'
import { connectPostgres } from '../../apps/gateway/src/adapters/postgres.ts'
import { readsCurrent } from '../../apps/gateway/src/domains/ledger/read-current.ts'
import { reconcile } from '../../apps/gateway/src/domains/ledger/reconcile/reconcile.ts'
import type { TestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import type { TestProvider } from '../../apps/gateway/test/kit/provider/provider.ts'
import { openCaller } from '../bench/workers/caller.ts'
import { type Acknowledged, askOnce } from './load.ts'
import { type Market, PRICE } from './market.ts'
import { until } from './processes.ts'

const LANES = 8
const REPLAY_MS = 60_000
const NO_CALL_OPEN_MS = 120_000
const FINDINGS_MAX = 20
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Where the books are, and whose they are. */
export type Fixture = {
  readonly urls: readonly string[]
  readonly databaseUrl: string
  readonly chain: TestChain
  readonly market: Market
  readonly provider: TestProvider
}

/** Asks again for every call that was answered. Returns those whose answer is another now. */
export async function replayAll(fixture: Fixture, calls: readonly Acknowledged[]): Promise<string[]> {
  const findings: string[] = []
  const waiting = calls.values()
  const lane = async (index: number) => {
    const line = openCaller(fixture.urls[index % fixture.urls.length] ?? '')
    for (const call of waiting) {
      const again = await until(`${call.key} is answered`, REPLAY_MS, async () => {
        const answer = await askOnce(line, call)
        return answer.isReplayed && answer
      }).catch((error: unknown) => ({ status: 0, text: String(error) }))
      if (again.status !== call.status || again.text !== call.text) {
        findings.push(
          `${call.key} was answered ${call.status} ${call.text}, and now ${again.status} ${again.text}`,
        )
      }
    }
    await line.close()
  }
  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)))
  return findings.slice(0, FINDINGS_MAX)
}

/**
 * Compares what was acknowledged with what the primary has, to the micro: the calls that were charged are exactly the
 * calls whose charge was acknowledged, every balance follows from them and from the acknowledged deposits, no provider
 * was asked twice for one key, and every invariant of the books holds.
 *
 * @returns `keys` of all calls that the primary has
 */
export async function checkBooks(
  fixture: Fixture,
  calls: readonly Acknowledged[],
): Promise<{ findings: readonly string[]; keys: readonly string[] }> {
  const { databaseUrl, chain, market, provider } = fixture
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const db = connectPostgres({ connectionString: databaseUrl, connectionsMax: 2, log: silent })
  try {
    await until('no call is open', NO_CALL_OPEN_MS, async () => {
      await client.query('select ledger_catch_up()')
      const { rowCount } = await client.query('select 1 from open_calls')
      return rowCount === 0
    })
    const paid = new Set(calls.filter(({ status }) => status === 200).map(({ key }) => key))
    const { rows: charged } = await client.query<{ key: string }>(
      `select idempotency_key as key from invocations where status = 'SUCCEEDED'`,
    )
    const inBooks = new Set(charged.map(({ key }) => key))
    const findings = [
      ...[...paid]
        .filter(key => !inBooks.has(key))
        .map(key => `${key} was acknowledged and is not in the books`),
      ...[...inBooks].filter(key => !paid.has(key)).map(key => `${key} was charged and never acknowledged`),
    ]
    const { rows: accounts } = await client.query<{ id: string; posted: string }>(
      'select id, posted from accounts',
    )
    const posted = new Map(accounts.map(row => [row.id, BigInt(row.posted)]))
    const expect = (account: string, due: bigint) => {
      const found = posted.get(account) ?? 0n
      if (found !== due) findings.push(`${account} has ${found} and should have ${due}`)
    }
    for (const owner of market.owners) {
      const own = calls.filter(call => call.status === 200 && call.owner === owner).length
      expect(`consumer:${owner.address.toLowerCase()}`, owner.deposited - BigInt(own) * PRICE)
    }
    expect(`provider:${market.provider.toLowerCase()}`, BigInt(paid.size) * PRICE)

    const asked = new Map<string, number>()
    for (const { body } of provider.calls) {
      const { number } = JSON.parse(body) as { number: string }
      asked.set(number, (asked.get(number) ?? 0) + 1)
    }
    for (const [key, times] of asked)
      if (times > 1) findings.push(`the provider was asked ${times} times for ${key}`)

    const { findings: broken } = await reconcile({ db: readsCurrent(db), chain: chain.adapter, log: silent })
    findings.push(...broken.map(finding => JSON.stringify(finding)))
    const { rows: all } = await client.query<{ key: string }>(
      'select idempotency_key as key from invocations',
    )
    return { findings: findings.slice(0, FINDINGS_MAX), keys: all.map(({ key }) => key) }
  } finally {
    await db.close()
    await client.end()
  }
}
