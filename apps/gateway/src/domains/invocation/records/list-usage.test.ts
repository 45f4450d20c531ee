import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { listEarned, listUsage } from './list-usage.ts'
import type { InvocationFilter } from './store.ts'

const CALLS = 50_000
/** Calls by age, oldest first: every n-th failed, in the older half, in either way in turn. */
const FAILED_EVERY = 1_000
const owner = `0x${'a1'.repeat(20)}`
const provider = `0x${'b2'.repeat(20)}`

let db: ClosableDb

beforeAll(async () => {
  db = await openTestDatabase(2, 'owner')
  const run = (text: string, values: unknown[] = []) => db.query({ text, values })
  await run(
    `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id, status,
       hold, drawn_at, finished_at)
     select 'inv_' || lpad(i::text, 26, '0'), 'cred_1', 'key ' || i, '', $1, $2, 'svc_1',
       case when i = 7 then 'PROCESSING'
            when i % ${FAILED_EVERY} <> 0 or i > ${CALLS / 2} then 'SUCCEEDED'
            when i % ${2 * FAILED_EVERY} = 0 then 'FAILED_RETRYABLE' else 'FAILED_FINAL' end, 0,
       now() - make_interval(mins => ${CALLS} - i), case when i <> 7 then now() end
     from generate_series(1, ${CALLS}) i`,
    [owner, provider],
  )
  await run(`insert into open_calls values ('inv_' || lpad('7', 26, '0'), 'gw_1')`)
  await run('analyze invocations')
})
afterAll(async () => {
  await db.close()
})

/** All pages of a list, as their sizes, and all that is on them. */
async function follow(filter: InvocationFilter, party: 'owner' | 'provider' = 'owner') {
  const [ids, sizes]: [string[], number[]] = [[], []]
  let cursor: string | undefined
  do {
    const query = { filter, cursor, limit: 20 }
    const { nextCursor, ...page } =
      party === 'owner'
        ? await listUsage({ db }, { owner, ...query })
        : await listEarned({ db }, { provider, ...query })
    const calls = 'logs' in page ? page.logs : page.invocations
    ids.push(...calls.map(call => call.invocationId))
    sizes.push(calls.length)
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined && sizes.length < 100)
  return { ids, sizes }
}

test.each(['owner', 'provider'] as const)(
  'finds the sparse matches of the %s page by page, with a bounded scan per page',
  async party => {
    const { ids, sizes } = await follow({ status: 'FAILED' }, party)
    expect(ids).toEqual([...new Set(ids)].toSorted().reverse())
    expect(ids).toHaveLength(CALLS / 2 / FAILED_EVERY)
    expect(sizes[0]).toBe(0)
    expect(sizes.length).toBeLessThan(7)
  },
)

test('tells calls that failed permanently from those that may succeed later', async () => {
  const [all, final] = [await follow({ status: 'FAILED' }), await follow({ status: 'FAILED_FINAL' })]
  expect(final.ids).toEqual(all.ids.filter((_, index) => index % 2 === 0))
  expect((await follow({ status: 'FAILED_RETRYABLE' })).ids).toHaveLength(all.ids.length - final.ids.length)
})

test('finds unfinished calls in one page, however old they are', async () => {
  expect(await follow({ status: 'PROCESSING' })).toMatchObject({
    ids: [expect.stringMatching(/0+7$/)],
    sizes: [1],
  })
  expect(await follow({ status: 'PENDING' })).toEqual({ ids: [], sizes: [0] })
})

test('a list with a start time is complete and ends soon after reaching it', async () => {
  const from = new Date(Date.now() - 50.5 * 60_000)
  const { ids, sizes } = await follow({ from })
  expect(ids).toHaveLength(51)
  expect(sizes.length).toBeLessThan(5)
})

test('new calls during paging do not appear on later pages', async () => {
  const first = await listUsage(
    { db },
    { owner, filter: { status: 'FAILED_FINAL' }, cursor: undefined, limit: 20 },
  )
  await db.query({
    text: `insert into invocations (id, credential_id, idempotency_key, request_hash, owner, provider, service_id,
             status, hold, drawn_at)
           values ('inv_1', 'cred_1', 'new', '', $1, $2, 'svc_1', 'FAILED_FINAL', 0, now())`,
    values: [owner, provider],
  })
  const second = await listUsage(
    { db },
    { owner, filter: { status: 'FAILED_FINAL' }, cursor: first.nextCursor ?? undefined, limit: 20 },
  )
  expect(second.logs.map(call => call.invocationId)).not.toContain('inv_1')
  await db.query({ text: `delete from invocations where id = 'inv_1'`, values: [] })
})
