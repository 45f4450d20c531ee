import { usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditWithoutChain } from '../../../test/kit/ledger/credit.ts'
import {
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
} from '../../../test/kit/ledger/ledger-fixture.ts'
import { lockPartitions } from './lock-partitions.ts'

let on: LedgerFixture
let payer: Payer
beforeAll(async () => {
  on = await startLedgerFixture()
  payer = await on.payer(1_000_000n)
})
afterAll(() => on.stop())

/** Writes recorded by the log rows after a head, in order. */
async function changesOf(wallet: string, work: () => Promise<unknown>) {
  const partition = ledgerPartitionOf(wallet)
  const [before] = await on.run<{ head: bigint }>(sql`
    select head from ledger_partitions where partition = ${partition}`)
  await work()
  const rows = await on.run<{ table: string; owner: string; isProjected: boolean; writer: string }>(sql`
    select l.changed ->> 'table' as table, l.changed ->> 'owner' as owner, l.writer,
      l.seq <= j.projected as is_projected
    from ledger_log l join ledger_projections j using (partition)
    where l.partition = ${partition} and l.seq > ${before?.head ?? 0n} order by l.seq`)
  for (const { isProjected, writer } of rows) {
    expect(isProjected).toBe(true)
    expect(writer).toMatch(/^transaction \d+$/)
  }
  return rows.map(({ table, owner }) => [table, owner])
}

describe('the log records a write outside of a call batch', () => {
  test.each<[string, string[], (of: Payer) => Promise<unknown>]>([
    [
      'a deposit',
      ['accounts'],
      ({ wallet }) => creditWithoutChain({ db: on.db, ids: on.ids }, wallet, usdc(5n)),
    ],
    [
      'a balance that is changed by hand',
      ['accounts'],
      ({ wallet }) => on.run(sql`update accounts set promotional = 1 where id = ${`consumer:${wallet}`}`),
    ],
    [
      'the revocation of a credential',
      ['credentials'],
      ({ credentialId }) => on.run(sql`update credentials set status = 'revoked' where id = ${credentialId}`),
    ],
    [
      'a change of a policy',
      ['spending_policies'],
      ({ wallet }) => on.run(sql`update spending_policies set daily_limit = 7 where owner = ${wallet}`),
    ],
    [
      'a suspension',
      ['spending_policies'],
      ({ wallet }) => on.run(sql`update wallets set suspended_at = now() where address = ${wallet}`),
    ],
  ])('%s', async (_, tables, write) => {
    const other = await on.payer(1_000n)
    const expected = tables.map(table => [table, other.wallet])
    expect(await changesOf(other.wallet, () => write(other))).toEqual(expected)
  })

  test('a call ended by hand', async () => {
    const other = await on.payer(1_000n)
    const { request } = await hold(on.gateway(), on.requestOf(other, 100n))
    await on.run(sql`select ledger_catch_up()`)
    const changes = await changesOf(other.wallet, async () => {
      await on.run(sql`
        update invocations set status = 'FAILED_FINAL', finished_at = now() where id = ${request.invocationId}`)
      await on.run(sql`delete from open_calls where invocation_id = ${request.invocationId}`)
    })
    expect(changes).toEqual([
      ['invocations', other.wallet],
      ['open_calls', other.wallet],
    ])
  })

  test('but none to provider or platform accounts, which decide no call', async () => {
    await pay(on.gateway(), on.requestOf(payer, 10n), usdc(10n))
    await on.run(sql`select ledger_catch_up()`)
    const account = `provider:${on.provider}`
    const write = () => on.run(sql`update accounts set posted = posted - 1 where id = ${account}`)
    expect(await changesOf(on.provider, write)).toEqual([])
  })

  test('but none that is rolled back', async () => {
    const write = () =>
      on.db
        .transaction(async tx => {
          await tx.query(sql`update spending_policies set daily_limit = 1 where owner = ${payer.wallet}`)
          throw new RangeError('not after all')
        })
        .catch((error: unknown) => expect(error).toBeInstanceOf(RangeError))
    expect(await changesOf(payer.wallet, write)).toEqual([])
  })
})

describe('a call decided on a stale state', () => {
  test.each<[string, (of: Payer) => Promise<unknown>, string]>([
    [
      'a lowered limit',
      ({ wallet }) => on.run(sql`update spending_policies set per_call_limit = 7 where owner = ${wallet}`),
      'BUDGET_EXHAUSTED',
    ],
    [
      'a revoked credential',
      ({ credentialId }) => on.run(sql`update credentials set status = 'revoked' where id = ${credentialId}`),
      'CREDENTIAL_INACTIVE',
    ],
    [
      'a deleted credential',
      ({ credentialId }) => on.run(sql`update credentials set status = 'deleted' where id = ${credentialId}`),
      'CREDENTIAL_INVALID',
    ],
    [
      'a suspended wallet',
      ({ wallet }) => on.run(sql`update wallets set suspended_at = now() where address = ${wallet}`),
      'WALLET_SUSPENDED',
    ],
    [
      'a lowered balance',
      ({ wallet }) =>
        on.db.transaction(async tx => {
          await lockPartitions(tx, [wallet])
          await tx.query(sql`update accounts set posted = 9 where id = ${`consumer:${wallet}`}`)
        }),
      'BUDGET_EXHAUSTED',
    ],
  ])('is not held after %s', async (_, write, code) => {
    const other = await on.payer(1_000n)
    const calls = on.gateway()
    await pay(calls, on.requestOf(other, 10n), usdc(10n))
    await write(other)
    const admission = await calls.hold(on.requestOf(other, 10n))
    expect(admission.kind === 'refused' ? admission.error.code : admission.kind).toBe(code)
  })

  test('that was refused for insufficient balance is held after a deposit', async () => {
    const other = await on.payer(5n)
    const calls = on.gateway()
    expect((await calls.hold(on.requestOf(other, 10n))).kind).toBe('refused')
    await creditWithoutChain({ db: on.db, ids: on.ids }, other.wallet, usdc(5n))
    await hold(calls, on.requestOf(other, 10n))
  })
})

describe('counters set while calls of their owner are not projected', () => {
  test.each<[string, (of: Payer) => ReturnType<typeof sql>]>([
    [
      'of an account',
      ({ wallet }) => sql`update accounts set posted = posted + 1 where id = ${`consumer:${wallet}`}`,
    ],
    [
      'of a credential',
      ({ credentialId }) => sql`update credentials set spent = 1 where id = ${credentialId}`,
    ],
    ['of a policy', ({ wallet }) => sql`update spending_policies set day_drawn = 1 where owner = ${wallet}`],
  ])('%s are rejected: the projection would overwrite them', async (_, write) => {
    const other = await on.payer(1_000n)
    await pay(on.gateway(), on.requestOf(other, 10n), usdc(10n))
    await expect(on.run(write(other))).rejects.toThrow(
      `calls of ${other.wallet} are not projected yet: nothing was written`,
    )
    await on.run(sql`select ledger_catch_up()`)
    expect(await changesOf(other.wallet, () => on.run(write(other)))).toHaveLength(1)
  })

  test('are written by a transaction that has locked the partition', async () => {
    const other = await on.payer(1_000n)
    await pay(on.gateway(), on.requestOf(other, 10n), usdc(10n))
    await on.db.transaction(async tx => {
      await lockPartitions(tx, [other.wallet])
      await tx.query(sql`update accounts set posted = posted + 1 where id = ${`consumer:${other.wallet}`}`)
    })
    const posted = sql`select posted from accounts where id = ${`consumer:${other.wallet}`}`
    expect(await on.current.query(posted)).toEqual([{ posted: 991n }])
  })
})

describe('locked partitions', () => {
  test('have rows that match the log, and accept no call until the transaction ends', async () => {
    const calls = on.gateway()
    const other = await on.payer(1_000n)
    await pay(calls, on.requestOf(other, 10n), usdc(10n))
    let next: Promise<unknown> | undefined
    await on.db.transaction(async tx => {
      await lockPartitions(tx, [other.wallet])
      const posted = sql`select posted from accounts where id = ${`consumer:${other.wallet}`}`
      expect(await tx.query(posted)).toEqual([{ posted: 990n }])
      next = pay(calls, on.requestOf(other, 10n), usdc(10n))
      await on.untilBlocked(1)
      expect(await tx.query(posted)).toEqual([{ posted: 990n }])
    })
    await next
  })

  test('block a suspension before it locks a row that their holder may write', async () => {
    const other = await on.payer(1_000n)
    let suspension: Promise<unknown> | undefined
    await on.db.transaction(async tx => {
      await lockPartitions(tx, [other.wallet])
      suspension = on.run(sql`update wallets set suspended_at = now() where address = ${other.wallet}`)
      await on.untilBlocked(1)
      await tx.query(sql`update spending_policies set daily_limit = 3 where owner = ${other.wallet}`)
    })
    await suspension
    const policies = await on.run(sql`
      select daily_limit, suspended_at is not null as is_suspended from spending_policies
      where owner = ${other.wallet}`)
    expect(policies).toEqual([{ dailyLimit: 3n, isSuspended: true }])
  })
})

test('rejects writes of a gateway of an earlier version, and allows its reads', async () => {
  const earlier = on.connect({ name: 'farebox-batches' })
  const write = sql`update spending_policies set day_drawn = 1 where owner = ${payer.wallet}`
  await expect(earlier.query(write)).rejects.toThrow(
    'a gateway of an earlier version is running beside newer ones: stop it',
  )
  const read = sql`select day_drawn from spending_policies where owner = ${payer.wallet}`
  expect(await earlier.query(read)).toMatchObject([{ dayDrawn: expect.any(BigInt) }])
  await earlier.close()
})
