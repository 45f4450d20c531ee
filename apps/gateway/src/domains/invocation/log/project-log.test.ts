import { usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockRows } from '../../../../test/kit/database/row-locks.ts'
import {
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
  waitingOf,
} from '../../../../test/kit/ledger/ledger-fixture.ts'
import { silent } from '../../../../test/kit/silent-log.ts'
import { until } from '../../../../test/kit/until.ts'
import { systemClock } from '../../../adapters/clock.ts'
import type { Clock, Db } from '../../../ports.ts'
import type { HoldRequest } from '../admission/admit.ts'
import type { CallLedger } from '../admission/commit-calls.ts'
import type { Metering } from '../pricing/metering-rules.ts'
import { createProjector } from './project-log.ts'

const METERING: Metering = {
  inputPricePer1M: usdc(3_000_000n),
  outputPricePer1M: usdc(15_000_000n),
  cacheReadPricePer1M: usdc(300_000n),
  cacheWritePricePer1M: null,
  maxInputTokens: 2_000,
  maxOutputTokens: 100,
  preAuthMode: 'explicit',
  isStreamed: true,
}

let on: LedgerFixture
let calls: CallLedger
beforeAll(async () => {
  on = await startLedgerFixture()
  calls = on.gateway()
})
afterAll(() => on.stop())

const project = () => on.run<{ ledgerCatchUp: number }>(sql`select ledger_catch_up()`)
const callOf = async ({ invocationId }: HoldRequest) => {
  const [row] = await on.run(sql`
    select i.status, i.charged, i.fee, i.promotional, i.error_code, i.attempts, i.latency_ms,
      i.finished_at is not null as is_finished,
      exists (select from open_calls o where o.invocation_id = i.id) as is_open,
      exists (select from free_answers f where f.invocation_id = i.id) as is_free,
      (select sum(e.amount)::bigint from entries e where e.reference = i.id) as sum,
      (select count(*) from entries e where e.reference = i.id) as entries
    from invocations i where i.id = ${invocationId}`)
  return row
}
const accountOf = async (id: string) => {
  const [row] = await on.run<{ posted: bigint; reserved: bigint; promotional: bigint }>(
    sql`select posted, reserved, promotional from accounts where id = ${id}`,
  )
  return row ?? { posted: 0n, reserved: 0n, promotional: 0n }
}
const consumer = ({ wallet }: Payer) => accountOf(`consumer:${wallet}`)

const PAID = {
  status: 'SUCCEEDED',
  charged: 80n,
  fee: 8n,
  promotional: 0n,
  errorCode: null,
  attempts: 1,
  latencyMs: 5,
  isFinished: true,
  isOpen: false,
  isFree: false,
  sum: 0n,
  entries: 3n,
}
const OPEN = {
  ...PAID,
  status: 'PENDING',
  charged: 0n,
  fee: 0n,
  attempts: 0,
  latencyMs: null,
  isFinished: false,
  isOpen: true,
  sum: null,
  entries: 0n,
}

describe('a call', () => {
  test('is the same whether its hold and end are projected together or separately', async () => {
    const payer = await on.payer(1_000n)
    const together = await pay(calls, on.requestOf(payer, 100n), usdc(80n))
    expect(await callOf(together)).toBeUndefined()
    await project()
    expect(await callOf(together)).toEqual(PAID)

    const { request, drawnAt } = await hold(calls, on.requestOf(payer, 100n))
    await project()
    expect(await callOf(request)).toEqual(OPEN)
    expect(await consumer(payer)).toEqual({ posted: 920n, reserved: 100n, promotional: 0n })
    await calls.settle(endingOf(request, drawnAt, 80n))
    await project()
    expect(await callOf(request)).toEqual(PAID)
    expect(await consumer(payer)).toEqual({ posted: 840n, reserved: 0n, promotional: 0n })
  })

  test('that failed or was free ends without ledger entries', async () => {
    const payer = await on.payer(1_000n)
    const { request, drawnAt } = await hold(calls, on.requestOf(payer, 100n))
    await calls.settle(endingOf(request, drawnAt, null))
    const free = await pay(calls, on.requestOf(payer, 0n), usdc(0n))
    await project()
    const failed = { status: 'FAILED_RETRYABLE', errorCode: 'UPSTREAM_ERROR', charged: 0n, fee: 0n }
    expect(await callOf(request)).toEqual({ ...PAID, ...failed, sum: null, entries: 0n })
    expect(await callOf(free)).toMatchObject({ status: 'SUCCEEDED', isFree: true, entries: 0n })
    expect(await consumer(payer)).toEqual({ posted: 1_000n, reserved: 0n, promotional: 0n })
  })

  test.each(['all at once', 'each by itself'])(
    'that awaits its usage keeps its pending result until the usage is known, projected %s',
    async how => {
      const step = () => (how === 'each by itself' ? project() : undefined)
      const payer = await on.payer(1_000n)
      const meteredOf = async () => {
        const [row] = await on.run(sql`
        select input_price, output_price, cache_read_price, cache_write_price, max_input_tokens, max_output_tokens,
          pre_auth_mode, is_streamed, fee_bps, processing_since is not null as waits, processing_reason,
          pending_result, input_tokens, output_tokens, cost, reported_by
        from metered_calls where invocation_id = ${request.invocationId}`)
        return row
      }
      const { request, drawnAt } = await hold(calls, on.requestOf(payer, 100n, { metering: METERING }))
      await step()
      const pending = '{"answer":"é😀"}'
      await calls.settle(waitingOf(request, drawnAt, pending))
      await project()
      const processing = { status: 'PROCESSING', errorCode: 'USAGE_MISSING', attempts: 1, latencyMs: 5 }
      expect(await callOf(request)).toEqual({ ...OPEN, ...processing })
      const waiting = {
        inputPrice: 3_000_000n,
        outputPrice: 15_000_000n,
        cacheReadPrice: 300_000n,
        cacheWritePrice: null,
        maxInputTokens: 2_000n,
        maxOutputTokens: 100n,
        preAuthMode: 'explicit',
        isStreamed: true,
        feeBps: 250,
        waits: true,
        processingReason: 'usage_missing',
        pendingResult: pending,
        inputTokens: null,
        outputTokens: null,
        cost: null,
        reportedBy: null,
      }
      const seen = (await meteredOf()) ?? {}
      for (const [name, value] of Object.entries(waiting))
        expect(`${name} ${seen[name]}`).toBe(`${name} ${value}`)
      expect(await on.run(sql`select * from pending_results`)).toEqual([])
      await calls.settle({
        ...endingOf(request, drawnAt, 80n),
        from: 'PROCESSING',
        metered: {
          usage: {
            inputTokens: 7,
            outputTokens: 3,
            totalTokens: 10,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
          },
          cost: usdc(81n),
          isCapped: true,
          reportedBy: 'sec_1',
        },
      })
      await project()
      expect(await callOf(request)).toEqual(PAID)
      const ended = (await meteredOf()) ?? {}
      expect([ended.waits, ended.pendingResult, ended.reportedBy]).toEqual([false, null, 'sec_1'])
      expect([ended.inputTokens, ended.outputTokens, ended.cost].map(String)).toEqual(['7', '3', '81'])
    },
  )

  test('that is held, awaits its usage and ends before a projection leaves nothing pending', async () => {
    const payer = await on.payer(1_000n)
    const { request, drawnAt } = await hold(calls, on.requestOf(payer, 100n, { metering: METERING }))
    await calls.settle(waitingOf(request, drawnAt, '{}'))
    await calls.settle({ ...endingOf(request, drawnAt, 80n), from: 'PROCESSING' })
    await project()
    expect(await callOf(request)).toEqual(PAID)
    const left = sql`
      select processing_since, pending_result from metered_calls where invocation_id = ${request.invocationId}`
    expect(await on.run(left)).toEqual([{ processingSince: null, pendingResult: null }])
    expect(await on.run(sql`select * from pending_results`)).toEqual([])
  })

  test('of a wallet to its own service debits its consumer account and credits its provider account', async () => {
    const payer = await on.payer(1_000n)
    const quote = { serviceId: on.serviceId, provider: payer.wallet, hold: usdc(100n), metering: null }
    await pay(calls, on.requestOf(payer, 100n, { quote }), usdc(80n))
    await project()
    expect(await consumer(payer)).toEqual({ posted: 920n, reserved: 0n, promotional: 0n })
    expect(await accountOf(`provider:${payer.wallet}`)).toMatchObject({ posted: 72n, reserved: 0n })
  })
})

describe('the projection', () => {
  test('adds the earnings of providers and the platform, even if balances change in the meantime', async () => {
    const payer = await on.payer(1_000n)
    await project()
    const before = [await accountOf(`provider:${on.provider}`), await accountOf('fees')]
    for (const charge of [10n, 20n, 30n]) await pay(calls, on.requestOf(payer, 100n), usdc(charge))
    await on.run(sql`update accounts set posted = posted - 1 where id = ${`provider:${on.provider}`}`)
    await project()
    const after = [await accountOf(`provider:${on.provider}`), await accountOf('fees')]
    expect(after.map(({ posted }, index) => posted - (before[index]?.posted ?? 0n))).toEqual([53n, 6n])
  })

  test('projects each row once, however many run in parallel', async () => {
    const payers = await Promise.all(Array.from({ length: 6 }, () => on.payer(10_000n)))
    await project()
    const earned = (await accountOf(`provider:${on.provider}`)).posted
    const paid = (
      await Promise.all(
        payers.map(async payer => {
          const own: HoldRequest[] = []
          for (let index = 0; index < 15; index += 1)
            own.push(await pay(calls, on.requestOf(payer, 100n), usdc(80n)))
          return own
        }),
      )
    ).flat()
    const [behind] = await on.run<{ rows: bigint }>(sql`
      select sum(head - projected)::bigint as rows from ledger_partitions join ledger_projections using (partition)`)
    const counts = await Promise.all(
      Array.from({ length: 5 }, () => on.db.query<{ rows: number }>(sql`select ledger_catch_up() as rows`)),
    )
    expect(counts.reduce((sum, [row]) => sum + (row?.rows ?? 0), 0)).toBe(Number(behind?.rows))
    expect(behind?.rows).toBeGreaterThan(0n)
    for (const request of paid) expect(await callOf(request)).toEqual(PAID)
    for (const payer of payers) expect(await consumer(payer)).toMatchObject({ posted: 8_800n, reserved: 0n })
    expect((await accountOf(`provider:${on.provider}`)).posted - earned).toBe(90n * 72n)
    expect(await project()).toEqual([{ ledgerCatchUp: 0 }])
  })

  test('numbers the entries of an account in the order in which they can be read', async () => {
    const alice = await on.payer(100n)
    let bob = await on.payer(100n)
    while (ledgerPartitionOf(bob.wallet) === ledgerPartitionOf(alice.wallet)) bob = await on.payer(100n)
    const [other, provider] = ['1', '2'].map(digit => `0x${digit.repeat(40)}`) as [string, string]
    const payTo = (payer: Payer, to: string) => {
      const quote = { serviceId: on.serviceId, provider: to, hold: usdc(5n), metering: null }
      return pay(calls, on.requestOf(payer, 5n, { quote }), usdc(5n))
    }
    for (const to of [other, provider]) await payTo(alice, to)
    await project()
    await payTo(alice, other)
    for (const payer of [alice, bob]) await payTo(payer, provider)
    const projectOf = ({ wallet }: Payer) =>
      on.run(sql`select ledger_project(array[ledger_partition_of(${wallet})])`)
    const entries = () =>
      on.run<{ id: bigint }>(
        sql`select id from entries where account = ${`provider:${provider}`} order by id desc`,
      )

    const lock = await lockRows(on.ownerUrl, 'select 1 from accounts where id = $1 for update', [
      `provider:${other}`,
    ])
    const waiting = projectOf(alice)
    await on.untilBlocked(1)
    await projectOf(bob)
    const seen = await entries()
    await lock.release()
    await waiting
    expect(seen).toHaveLength(2)
    expect((await entries()).slice(1)).toEqual(seen)
  })

  test('is repeated after its transaction is rolled back', async () => {
    const payer = await on.payer(1_000n)
    const request = await pay(calls, on.requestOf(payer, 100n), usdc(80n))
    const failing = on.db.transaction(async tx => {
      await tx.query(sql`select ledger_catch_up()`)
      throw new RangeError('lost')
    })
    await expect(failing).rejects.toThrow('lost')
    expect(await callOf(request)).toBeUndefined()
    await project()
    expect(await callOf(request)).toEqual(PAID)
  })

  test('runs in the background after appends, and before every read that must be current', async () => {
    const payer = await on.payer(1_000n)
    const projector = createProjector({ batchDb: on.batchDb, clock: systemClock, log: silent })
    const waking = on.gateway({ onAppended: projector.wake })
    const request = await pay(waking, on.requestOf(payer, 100n), usdc(80n))
    await projector.idle()
    expect(await callOf(request)).toEqual(PAID)
    const unseen = await pay(calls, on.requestOf(payer, 100n), usdc(80n))
    const statement = sql`select status from invocations where id = ${unseen.invocationId}`
    expect(await on.db.query(statement)).toEqual([])
    expect(await on.current.query(statement)).toEqual([{ status: 'SUCCEEDED' }])
  })

  test('waits up to a second for more rows, and less the more rows are appended', async () => {
    let rows = 10
    let isOver = false
    const paused: number[] = []
    let sincePause = 0
    const batchDb = {
      query: async () => {
        paused.push(sincePause)
        sincePause = 0
        isOver = paused.length === 4
        if (!isOver) projector.wake()
        rows *= 100
        return [{ rows: rows / 100 }]
      },
    } as unknown as Db
    const clock: Clock = {
      ...systemClock,
      pause: async ms => {
        sincePause += ms
      },
    }
    const projector = createProjector({ batchDb, clock, log: silent })
    projector.wake()
    await until('four projections were made', async () => isOver)
    await projector.idle()
    expect(paused).toEqual([1_000, 1_000, 1_000, 100])
  })

  test('runs after the current pause when the gateway stops', async () => {
    const paused: number[] = []
    let projections = 0
    const batchDb = {
      query: async () => {
        projections += 1
        return [{ rows: 1 }]
      },
    } as unknown as Db
    const pause = async (ms: number) => {
      paused.push(ms)
    }
    const projector = createProjector({ batchDb, clock: { ...systemClock, pause }, log: silent })
    projector.wake()
    await projector.idle()
    expect({ paused, projections }).toEqual({ paused: [100], projections: 1 })
  })

  test('that fails in the background is logged and retried after the next append', async () => {
    const payer = await on.payer(1_000n)
    const warnings: string[] = []
    let isBroken = true
    const batchDb: Db = {
      query: statement => (isBroken ? Promise.reject(new Error('away')) : on.batchDb.query(statement)),
      transaction: work => on.batchDb.transaction(work),
    }
    const log = { ...silent, warn: (_: object, message: string) => warnings.push(message) }
    const projector = createProjector({ batchDb, clock: systemClock, log })
    const waking = on.gateway({ onAppended: projector.wake })
    const request = await pay(waking, on.requestOf(payer, 100n), usdc(80n))
    await projector.idle()
    expect(warnings).toContain('the log could not be projected')
    expect(await callOf(request)).toBeUndefined()
    isBroken = false
    await pay(waking, on.requestOf(payer, 100n), usdc(80n))
    await projector.idle()
    expect(await callOf(request)).toEqual(PAID)
  })
})
