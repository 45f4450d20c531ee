import { systemClock } from '../../src/adapters/clock.ts'
import { pruneAnswers } from '../../src/domains/invocation/records/prune-answers.ts'
import type { Clock } from '../../src/ports.ts'
import type { TestGateway } from '../kit/gateway/test-gateway.ts'

const DAY_MS = 86_400_000
/** Tables of money and its explanation: pruning must never change their rows. */
const MONEY_TABLES = [
  'accounts',
  'credentials',
  'entries',
  'idempotent_responses',
  'invocations',
  'metered_calls',
  'open_calls',
  'spending_policies',
  'vault_deposits',
] as const

/** A clock that is some days off. */
export function clockAhead(days: number): Clock {
  return { ...systemClock, now: () => Date.now() + days * DAY_MS }
}

/** Prunes answers like a gateway's job some days later; returns how many. */
export function pruneAfter(on: TestGateway, days: number): Promise<number> {
  return pruneAnswers({ ...on.gateway.deps, clock: clockAhead(days) }, new AbortController().signal)
}

/** Returns a digest of every row of every table of money. */
export async function digestMoney(on: TestGateway): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {}
  for (const table of MONEY_TABLES) {
    const [row] = await on.sql<{ digest: string | null }>(
      `select md5(string_agg(t::text, ' ' order by t::text)) as digest from ${table} t`,
    )
    digests[table] = row?.digest ?? null
  }
  return digests
}

/** Returns the number of answers and recorded streams. */
export async function countKept(on: TestGateway): Promise<{ answers: number; streams: number }> {
  const [row] = await on.sql<{ answers: string; streams: string }>(
    `select (select count(*) from invocation_answers) as answers, (select count(*) from invocation_streams) as streams`,
  )
  return { answers: Number(row?.answers), streams: Number(row?.streams) }
}
