import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codePoint } from '../../../../test/kit/code-point.ts'
import { openTestDatabase } from '../../../../test/kit/database/test-database.ts'
import type { ClosableDb } from '../../../adapters/postgres.ts'
import { recordCalls } from './record-calls.ts'
import { refreshRatings } from './refresh-ratings.ts'
import { foldText, wordsOf } from './search-rules.ts'
import { deleteUnusedWords } from './search-store.ts'

let db: ClosableDb
const OWNER = `0x${'a'.repeat(40)}`

beforeAll(async () => {
  db = await openTestDatabase(6)
  await db.query(sql`insert into wallets (address, username) values (${OWNER}, 'a')`)
})
afterAll(async () => {
  await db.close()
})

/** A service with two targets, one of them healthy, past every port. */
async function insertService(id: string, name: string): Promise<void> {
  await db.transaction(async tx => {
    await tx.query(sql`
      insert into services (id, owner, agent_tool_name, service_name, summary, description, tags, service_kind,
        price_model, price, method, timeout_ms, request, response)
      values (${id}, ${OWNER}, ${id}, ${name}, '', '', '{}', 'api', 'fixed', 1, 'POST', 1000, '{}', '{}')`)
    await tx.query(sql`
      insert into service_targets (service_id, url, position, weight, is_healthy)
      values (${id}, 'https://example.com', 1, 1, true), (${id}, 'https://example.org', 2, 1, false)`)
  })
}

describe('indexed words', () => {
  test('are folded as queries are', async () => {
    // Control characters are no part of a query: its schema refuses them.
    const isPlain = (letter: string) => letter >= ' ' && letter !== '\u007f'
    const text = fc
      .string({ unit: codePoint, maxLength: 60 })
      .filter(given => given.isWellFormed() && [...given].every(isPlain))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 20 }), async texts => {
        const rows = await db.query<{ folded: string; twice: string }>(sql`
          select fold_text(given) as folded, fold_text(query) as twice
          from unnest(${texts}::text[], ${texts.map(foldText)}::text[]) as t (given, query)`)
        expect(rows.map(({ twice }) => twice)).toEqual(rows.map(({ folded }) => folded))
      }),
      { numRuns: 50 },
    )
  })

  test('are found by every word of a query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async given => {
        // Letters and digits of scripts in wide use: what PostgreSQL's parser makes of others, it does not say.
        const text = given.replaceAll(/[^ -\u052f\u0590-\u06ff\u3040-\u9fff]/g, ' ').replaceAll('\u007f', ' ')
        for (const { word, isPrefix } of wordsOf(text)) {
          const [row] = await db.query<{ nodes: number; isFound: boolean }>(sql`
            select numnode(search_term(fold_text(${word}), ${isPrefix})) as nodes,
              words_of(${text}) @@ search_term(fold_text(${word}), ${isPrefix}) as is_found`)
          // Text without words for the parser is found literally.
          expect(row?.isFound === true || row?.nodes === 0).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('are deleted once no service has them, and added with the next that does', async () => {
    const known = async () => {
      const rows = await db.query<{ word: string }>(sql`select word from search_words order by word`)
      return rows.map(({ word }) => word)
    }
    await insertService('svc_words', 'Peculiar Gadget')
    expect(await known()).toEqual(['gadget', 'peculiar', 'words'])
    await db.query(sql`update services set service_name = 'Ordinary Gadget' where id = 'svc_words'`)
    expect(await deleteUnusedWords(db)).toBe(1)
    expect(await known()).toEqual(['gadget', 'ordinary', 'words'])
    await Promise.all([
      deleteUnusedWords(db),
      insertService('svc_more', 'Peculiar Widget'),
      deleteUnusedWords(db),
    ])
    expect(await known()).toEqual(['gadget', 'more', 'ordinary', 'peculiar', 'widget', 'words'])
  })
})

describe('the version of the catalogue', () => {
  const version = async () => {
    const [row] = await db.query<{ version: bigint }>(sql`select version from catalogue`)
    return row?.version ?? 0n
  }
  const bumps = async (statement: ReturnType<typeof sql>) => {
    const before = await version()
    await db.query(statement)
    return (await version()) - before
  }

  test('increments once for a change of the list, and only then', async () => {
    const before = await version()
    await insertService('svc_version', 'Versioned')
    expect((await version()) - before).toBe(1n)
    expect(await bumps(sql`update services set price = price + 1`)).toBe(1n)
    expect(
      await bumps(
        sql`update service_targets set last_probed_at = now(), streak = streak + 1, is_healthy = is_healthy`,
      ),
    ).toBe(0n)
    expect(
      await bumps(sql`update service_targets set is_healthy = false where service_id = 'svc_version'`),
    ).toBe(1n)
    expect(await bumps(sql`update services set price = price + 1 where id = 'svc_version'`)).toBe(0n)
    expect(await bumps(sql`update wallets set username = 'b'`)).toBe(0n)
    expect(await bumps(sql`update wallets set suspended_at = now()`)).toBe(1n)
    expect(await bumps(sql`update wallets set suspended_at = null`)).toBe(1n)
  })

  test('survives concurrent changes of services and targets without a deadlock', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `svc_many${index}`)
    for (const id of ids) await insertService(id, 'Many')
    const before = await version()
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        db.transaction(async tx => {
          const id = ids[index % ids.length]
          // In the lock order of a change of a service, and in that of a probe: opposite ones.
          if (index % 2 === 0) await tx.query(sql`update services set price = price + 1 where id = ${id}`)
          await tx.query(sql`update service_targets set is_healthy = not is_healthy where service_id = ${id}`)
        }),
      ),
    )
    expect(await version()).toBeGreaterThan(before)
    const wrong = await db.query(sql`
      select from service_search f where f.is_listed is distinct from exists (
        select from services s join service_targets t on t.service_id = s.id
        where s.id = f.service_id and s.is_active and s.deleted_at is null and s.suspended_at is null and t.is_healthy)`)
    expect(wrong).toEqual([])
  })
})

test('registers two targets that change health at the same time', async () => {
  await insertService('svc_turn', 'Turning')
  const turn = (url: string, isHealthy: boolean) =>
    db.query(
      sql`update service_targets set is_healthy = ${isHealthy} where service_id = 'svc_turn' and url = ${url}`,
    )
  for (let round = 0; round < 20; round += 1) {
    const isHealthy = round % 2 === 0
    await Promise.all([turn('https://example.com', isHealthy), turn('https://example.org', isHealthy)])
    const [row] = await db.query(sql`select is_listed from service_search where service_id = 'svc_turn'`)
    expect(row).toEqual({ isListed: isHealthy })
  }
})

describe('a rating of calls', () => {
  const PAYER = `0x${'b'.repeat(40)}`
  /** Calls of a service at its price of 1, by a wallet that has deposited. */
  const paid = (serviceId: string, good: number, bad: number, latencyMs: number) => ({
    serviceId,
    good,
    bad,
    latencyMs,
    outputTokens: 10 * good,
    ratedAs: { owner: PAYER, price: 1n, outputPrice: 0n },
  })
  beforeAll(async () => {
    await db.query(sql`
      insert into deposits (id, wallet, tx_hash, status, credited)
      values ('dep_1', ${PAYER}, ${`0x${'1'.repeat(64)}`}, 'credited', 1000000)`)
  })

  const rating = async (id: string) => {
    const [row] = await db.query<{
      rate: number
      latency: number | null
      speed: number | null
      rated: boolean
    }>(sql`
      select success_rate as rate, latency_ms as latency, tokens_per_second as speed, is_rated as rated from service_ratings
      where service_id = ${id}`)
    return row
  }

  test('adds up over concurrent gateways', async () => {
    const calls = Array.from({ length: 30 }, (_, index) => paid(`svc_add${index}`, 3, 1, 300))
    for (const { serviceId } of calls) await insertService(serviceId, 'Added')
    await Promise.all([
      recordCalls({ db }, calls),
      recordCalls({ db }, calls.toReversed()),
      recordCalls({ db }, calls),
    ])
    expect(await rating('svc_add7')).toEqual({ rate: 0.75, latency: 100, speed: 100, rated: true })
  })

  test('is recorded for more services than one transaction takes', async () => {
    const calls = Array.from({ length: 1_500 }, (_, index) => paid(`svc_lot${index}`, 1, 0, 1))
    await recordCalls({ db }, calls)
    const [row] = await db.query<{ count: bigint }>(
      sql`select count(*) as count from service_ratings where service_id like 'svc_lot%'`,
    )
    expect(row?.count).toBe(1_500n)
  })

  test('counts calls at or above the price in force, by wallets with deposits', async () => {
    const priced = (price: number) =>
      db.query(sql`update services set price = ${price} where id = 'svc_priced'`)
    const at = (price: bigint, owner = PAYER) => ({
      ...paid('svc_priced', 6, 0, 60),
      ratedAs: { owner, price, outputPrice: 0n },
    })
    const { signal } = new AbortController()
    await insertService('svc_priced', 'Priced')
    await priced(5)
    await recordCalls({ db }, [at(4n), at(5n, `0x${'c'.repeat(40)}`), { ...at(5n), ratedAs: null }])
    expect(await rating('svc_priced')).toMatchObject({ rated: false })
    await recordCalls({ db }, [at(5n)])
    expect(await rating('svc_priced')).toMatchObject({ rated: true })
    // Cheaper now: who paid more got the same.
    await priced(3)
    await recordCalls({ db }, [at(3n), at(5n)])
    expect(await rating('svc_priced')).toMatchObject({ rated: true })
    await priced(4)
    await refreshRatings({ db }, signal)
    expect(await rating('svc_priced')).toMatchObject({ rated: false })
    await recordCalls({ db }, [{ ...at(4n), good: 0, bad: 6 }])
    expect(await rating('svc_priced')).toMatchObject({ rated: true, rate: 0 })
    const [row] = await db.query(sql`
      select good::int, bad::int, rated_good::int, rated_bad::int from service_calls where service_id = 'svc_priced'`)
    expect(row).toEqual({ good: 36, bad: 6, ratedGood: 0, ratedBad: 6 })
  })

  test('of a model counts calls at or above the highest price of its input, cached or not', async () => {
    await insertService('svc_cached', 'Cached')
    await db.query(sql`
      update services set service_kind = 'llm', price_model = 'token_metered', price = 0, method = 'POST', input_price = 2,
        output_price = 0, default_max_output_tokens = 1, max_auto_hold = 1, hold_buffer_bps = 10000, llm_dialect = 'openai',
        cache_read_price = 1, cache_write_price = 9
      where id = 'svc_cached'`)
    const at = (price: bigint) => ({
      ...paid('svc_cached', 6, 0, 60),
      ratedAs: { owner: PAYER, price, outputPrice: 0n },
    })
    await recordCalls({ db }, [at(8n)])
    expect(await rating('svc_cached')).toMatchObject({ rated: false })
    await recordCalls({ db }, [at(9n)])
    expect(await rating('svc_cached')).toMatchObject({ rated: true })
  })

  test('fades by day and is deleted after a week, and its calls after 30 days', async () => {
    await insertService('svc_old', 'Old')
    await recordCalls({ db }, [paid('svc_old', 0, 6, 0)])
    expect(await rating('svc_old')).toMatchObject({ rate: 0, rated: true })
    const { signal } = new AbortController()
    await db.query(sql`update service_calls set day = day - 2 where service_id = 'svc_old'`)
    await refreshRatings({ db }, signal)
    expect(await rating('svc_old')).toMatchObject({ rate: 0, rated: false })
    await db.query(sql`update service_calls set day = day - 5 where service_id = 'svc_old'`)
    await refreshRatings({ db }, signal)
    expect(await rating('svc_old')).toMatchObject({ rate: 1, latency: null, speed: null, rated: false })
    await db.query(sql`update service_calls set day = day - 22 where service_id = 'svc_old'`)
    await refreshRatings({ db }, signal)
    expect(await db.query(sql`select from service_calls where service_id = 'svc_old'`)).toHaveLength(1)
    await db.query(sql`update service_calls set day = day - 1 where service_id = 'svc_old'`)
    await refreshRatings({ db }, signal)
    expect(await db.query(sql`select from service_calls where service_id = 'svc_old'`)).toEqual([])
  })
})
