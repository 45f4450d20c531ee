import type pg from 'pg'
import type { TestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import type { TestProvider } from '../../apps/gateway/test/kit/provider/provider.ts'
import { openCaller } from '../kit/caller.ts'
import { inDatabase } from '../kit/in-database.ts'
import { until } from '../kit/processes.ts'
import { reconcileAll } from '../kit/reconcile.ts'
import { type Acknowledged, askOnce } from './load.ts'
import { type Market, PRICE } from './market.ts'

const LANES = 8
const REPLAY_MS = 60_000
const NO_CALL_OPEN_MS = 120_000
const FINDINGS_MAX = 20

/** The books, and the parties that they are about. */
export type Fixture = {
  readonly urls: readonly string[]
  readonly databaseUrl: string
  readonly chain: TestChain
  readonly market: Market
  readonly provider: TestProvider
}

/** Repeats every call that was answered. Returns a finding for each whose answer has changed. */
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
 * was asked twice for one key, and every invariant of the books holds. Returns the findings.
 */
export async function checkBooks(
  fixture: Fixture,
  calls: readonly Acknowledged[],
): Promise<readonly string[]> {
  const { databaseUrl, chain, market, provider } = fixture
  const paid = calls.filter(({ status }) => status === 200)
  const { charged, posted } = await inDatabase(databaseUrl, readBooks)
  const keys = new Set(paid.map(({ key }) => key))
  const balanceOf = (account: string, due: bigint) => {
    const found = posted.get(account) ?? 0n
    return found === due ? [] : [`${account} has ${found} and should have ${due}`]
  }
  const asked = Map.groupBy(provider.calls, ({ body }) => (JSON.parse(body) as { number: string }).number)
  const findings = [
    ...[...keys]
      .filter(key => !charged.has(key))
      .map(key => `${key} was acknowledged and is not in the books`),
    ...[...charged].filter(key => !keys.has(key)).map(key => `${key} was charged and never acknowledged`),
    ...market.owners.flatMap(owner => {
      const own = BigInt(paid.filter(call => call.owner === owner).length)
      return balanceOf(`consumer:${owner.wallet.toLowerCase()}`, owner.deposited - own * PRICE)
    }),
    ...balanceOf(`provider:${market.provider.toLowerCase()}`, BigInt(keys.size) * PRICE),
    ...[...asked].flatMap(([key, { length }]) =>
      length > 1 ? [`the provider was asked ${length} times for ${key}`] : [],
    ),
    ...(await reconcileAll(databaseUrl, chain.adapter)),
  ]
  return findings.slice(0, FINDINGS_MAX)
}

/** Waits until no call is open; returns the keys of charged calls, and balances by account. */
async function readBooks(client: pg.Client) {
  await until('no call is open', NO_CALL_OPEN_MS, async () => {
    await client.query('select ledger_catch_up()')
    return (await client.query('select 1 from open_calls')).rowCount === 0
  })
  const calls = await client.query<{ key: string }>(
    `select idempotency_key as key from invocations where status = 'SUCCEEDED'`,
  )
  const accounts = await client.query<{ id: string; posted: string }>('select id, posted from accounts')
  return {
    charged: new Set(calls.rows.map(({ key }) => key)),
    posted: new Map(accounts.rows.map(({ id, posted }) => [id, BigInt(posted)])),
  }
}
