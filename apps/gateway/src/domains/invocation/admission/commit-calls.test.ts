import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { creditWithoutChain } from '../../../../test/kit/ledger/credit.ts'
import {
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
} from '../../../../test/kit/ledger/ledger-fixture.ts'
import { systemClock } from '../../../adapters/clock.ts'
import type { LedgerStore } from '../log/ledger-store.ts'
import type { Admission } from './admit.ts'
import type { CallLedger } from './commit-calls.ts'

const PRICE = 10n
/** After a batch of another gateway, this many batches take the locks first. */
const LOCKED_TURNS = 20

let on: LedgerFixture
let payer: Payer
let one: CallLedger
let two: CallLedger
/** How the batches of gateway one were committed: `append` alone, or in a `transaction`. */
let sent: string[]
beforeAll(async () => {
  on = await startLedgerFixture()
})
afterAll(() => on.stop())
beforeEach(async () => {
  payer = await on.payer(100n)
  sent = []
  one = on.gateway({ store: watched(on.store()) })
  two = on.gateway()
})

function watched(store: LedgerStore): LedgerStore {
  return {
    append(...appends) {
      sent.push('append')
      return store.append(...appends)
    },
    transaction(work) {
      sent.push('transaction')
      return store.transaction(work)
    },
  }
}
const call = (calls: CallLedger, of = payer) => pay(calls, on.requestOf(of, PRICE), usdc(PRICE))
const outcomeOf = (admission: Admission) =>
  admission.kind === 'refused' ? [admission.error.code, admission.error.context.limit] : [admission.kind]
const tryOne = async (calls: CallLedger) => outcomeOf(await calls.hold(on.requestOf(payer, PRICE)))
const accountOf = async ({ wallet }: Payer) => {
  const [row] = await on.current.query<{ posted: bigint; reserved: bigint }>(
    sql`select posted, reserved from accounts where id = ${`consumer:${wallet}`}`,
  )
  return row
}

describe('one gateway', () => {
  test('reads an owner once, then appends each batch in a single statement', async () => {
    for (let turn = 0; turn < 3; turn += 1) await call(one)
    expect(sent).toEqual(['transaction', ...Array(5).fill('append')])
    await on.run(sql`select ledger_catch_up()`)
    await call(one)
    expect(sent.slice(6)).toEqual(['append', 'append'])
  })

  test('reads other owners and credentials without evicting the first', async () => {
    const others = await Promise.all([on.payer(100n), on.payer(100n)])
    for (const each of [payer, ...others]) await call(one, each)
    sent = []
    for (const each of [payer, ...others]) await call(one, each)
    expect(sent).toEqual(Array(6).fill('append'))
  })

  test('takes the locks once after a deposit, then appends without them again', async () => {
    await call(one)
    await creditWithoutChain({ db: on.db, ids: on.ids }, payer.wallet, usdc(PRICE))
    sent = []
    await call(one)
    expect(sent).toEqual(['append', 'transaction', 'append'])
    expect(await accountOf(payer)).toMatchObject({ posted: 90n })
  })

  test('holds and counts a call once when the append commits but its response is lost', async () => {
    const store = on.store()
    let isLosing = false
    const losing = on.gateway({
      store: {
        ...store,
        async append(...appends) {
          const appended = await store.append(...appends)
          if (isLosing) {
            isLosing = false
            throw new Error('The connection was lost.')
          }
          return appended
        },
      },
    })
    await call(losing)
    isLosing = true
    const request = on.requestOf(payer, PRICE)
    await expect(losing.hold(request)).rejects.toThrow('The connection was lost.')
    const again = await losing.hold(request)
    expect(again).toMatchObject({ kind: 'held', isNew: false })
    const drawnAt = again.kind === 'held' ? again.drawnAt : new Date(0)
    expect(await accountOf(payer)).toMatchObject({ reserved: PRICE })
    expect(await losing.settle(endingOf(request, drawnAt, PRICE))).toEqual({ kind: 'settled', isNew: true })
    const [counted] = await on.current.query(sql`
      select calls_used, held from credentials where id = ${payer.credentialId}`)
    expect(counted).toEqual({ callsUsed: 2n, held: 0n })
  })

  test('uses the database time, however wrong its own clock is', async () => {
    const ahead = on.gateway({ clock: { ...systemClock, now: () => Date.now() + 3_600_000 } })
    const from = Date.now()
    for (let turn = 0; turn < 3; turn += 1) {
      const { drawnAt } = await hold(ahead, on.requestOf(payer, PRICE))
      expect(Math.abs(drawnAt.getTime() - from)).toBeLessThan(60_000)
    }
  })

  test('counts other requests and calls against the same rate limit', async () => {
    const slow = await on.payer(100n, { rpm: 2 })
    const { credentialId, owner, tokenDigest } = on.requestOf(slow, PRICE)
    const count = () => one.count({ credentialId, owner, tokenDigest })
    await count()
    await hold(one, on.requestOf(slow, PRICE))
    await expect(count()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(outcomeOf(await two.hold(on.requestOf(slow, PRICE)))[0]).toBe('RATE_LIMITED')
  })

  test('requotes a call if its service changed, and holds it at the current version', async () => {
    await call(one)
    const { id, names } = await on.service()
    await hold(one, on.requestOf(payer, PRICE, { service: { id, names, version: 1n } }))
    await on.run(sql`update services set price = 7 where id = ${id}`)
    expect(await one.hold(on.requestOf(payer, PRICE, { service: { id, names, version: 1n } }))).toMatchObject(
      {
        kind: 'requote',
      },
    )
    await hold(one, on.requestOf(payer, PRICE, { service: { id, names, version: 2n } }))
    await on.run(sql`update services set is_active = false where id = ${id}`)
    expect(await one.hold(on.requestOf(payer, PRICE, { service: { id, names, version: 3n } }))).toMatchObject(
      {
        kind: 'requote',
      },
    )
  })
})

describe('two gateways', () => {
  test('do not spend the same money twice: a decision on stale state is made again', async () => {
    await call(one)
    for (let turn = 0; turn < 9; turn += 1) await call(two)
    expect(await tryOne(one)).toEqual(['BUDGET_EXHAUSTED', 'owner_balance'])
    expect(await tryOne(two)).toEqual(['BUDGET_EXHAUSTED', 'owner_balance'])
    expect(await accountOf(payer)).toEqual({ posted: 0n, reserved: 0n })
  })

  test('hold exactly the available balance in parallel, and settle every hold', async () => {
    const requests = Array.from({ length: 30 }, () => on.requestOf(payer, PRICE))
    const admissions = await Promise.all(
      requests.map((request, index) => (index % 2 === 0 ? one : two).hold(request)),
    )
    const held = requests.flatMap((request, index) => {
      const admission = admissions[index]
      return admission?.kind === 'held' ? [{ request, drawnAt: admission.drawnAt }] : []
    })
    expect(held).toHaveLength(10)
    // Each by the gateway that did not hold it.
    const settled = await Promise.all(
      held.map(({ request, drawnAt }) =>
        (requests.indexOf(request) % 2 === 0 ? two : one).settle(endingOf(request, drawnAt, PRICE)),
      ),
    )
    expect(settled).toEqual(Array(10).fill({ kind: 'settled', isNew: true }))
    expect(await accountOf(payer)).toEqual({ posted: 0n, reserved: 0n })
  })

  test('that receive the same key in parallel hold one call, and both refer to it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const twins = [1, 2].map(() => on.requestOf(payer, PRICE, { idempotencyKey: `round ${round}` }))
      const admissions = await Promise.all(
        twins.map((request, index) => (index === 0 ? one : two).hold(request)),
      )
      const kinds = admissions.map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(['held', 'known'])
      const known = admissions.find(each => each.kind === 'known')
      expect(known).toMatchObject({ invocation: { id: twins[kinds.indexOf('held')]?.invocationId } })
    }
    expect(await accountOf(payer)).toEqual({ posted: 100n, reserved: 50n })
  })

  test('recognize the keys of each other, projected or not, and reject a different request under the same key', async () => {
    await call(one)
    const paid = await pay(two, on.requestOf(payer, PRICE, { idempotencyKey: 'theirs' }), usdc(PRICE))
    const again = () => one.hold(on.requestOf(payer, PRICE, { idempotencyKey: 'theirs' }))
    const invocation = { id: paid.invocationId, status: 'SUCCEEDED' }
    expect(await again()).toMatchObject({ kind: 'known', invocation })
    await on.run(sql`select ledger_catch_up()`)
    expect(await again()).toMatchObject({ kind: 'known', invocation })
    const third = on.gateway()
    const known = await third.hold(on.requestOf(payer, PRICE, { idempotencyKey: 'theirs' }))
    expect(known).toMatchObject({ kind: 'known', invocation })
    const other = on.requestOf(payer, PRICE, { idempotencyKey: 'theirs', requestHash: Buffer.alloc(32, 2) })
    expect(outcomeOf(await third.hold(other))[0]).toBe('IDEMPOTENCY_CONFLICT')
    expect(await accountOf(payer)).toEqual({ posted: 80n, reserved: 0n })
  })

  test('settle a call once when both settle it in parallel', async () => {
    const { request, drawnAt } = await hold(one, on.requestOf(payer, PRICE))
    const endings = [endingOf(request, drawnAt, PRICE), endingOf(request, drawnAt, null)] as const
    const settled = await Promise.all([one.settle(endings[0]), two.settle(endings[1])])
    expect(settled.map(({ kind }) => kind).toSorted()).toEqual(['lost', 'settled'])
    const isPaid = settled[0].kind === 'settled'
    expect(await accountOf(payer)).toEqual({ posted: isPaid ? 90n : 100n, reserved: 0n })
  })

  test('take the locks first for a while after a conflict, then append without them', async () => {
    await call(one)
    await call(two)
    sent = []
    await hold(one, on.requestOf(payer, 0n))
    expect(sent).toEqual(['append', 'transaction'])
    for (let turn = 0; turn < LOCKED_TURNS; turn += 1) await hold(one, on.requestOf(payer, 0n))
    expect(sent.slice(2)).toEqual(Array(LOCKED_TURNS).fill('transaction'))
    sent = []
    await call(one)
    expect(sent).toEqual(['append', 'append'])
  })

  test('admit nothing above a lowered limit once the statement that lowers it returns', async () => {
    const rich = await on.payer(1_000_000n)
    let isLowered = false
    let isOver = false
    const late: boolean[] = []
    let refused = 0
    const callers = [one, two, one].map(async calls => {
      while (!isOver) {
        const startedAfter = isLowered
        const { kind } = await calls.hold(on.requestOf(rich, 1n))
        if (kind === 'held') late.push(startedAfter)
        else refused += 1
        if (refused > 20) isOver = true
      }
    })
    await on.untilHeld(rich, 5)
    await on.run(sql`update spending_policies set per_call_limit = 0 where owner = ${rich.wallet}`)
    isLowered = true
    await Promise.all(callers)
    expect(late).not.toContain(true)
    expect(late.length).toBeGreaterThanOrEqual(5)
    expect(await accountOf(rich)).toMatchObject({ reserved: BigInt(late.length) })
  })
})

describe('a settlement after other work', () => {
  test('commits in the same transaction', async () => {
    const { request, drawnAt } = await hold(one, on.requestOf(payer, PRICE))
    const note = sql`insert into pending_results (invocation_id, result) values ('noted', '{}')`
    const settled = await one.settleAfter(endingOf(request, drawnAt, PRICE), tx =>
      tx.query(note).then(() => undefined),
    )
    expect(settled).toEqual({ kind: 'settled', isNew: true })
    expect(
      await on.run(sql`delete from pending_results where invocation_id = 'noted' returning 1 as one`),
    ).toHaveLength(1)
    expect(await accountOf(payer)).toEqual({ posted: 90n, reserved: 0n })
    // Appended rows are in the state: the next call needs no lock.
    sent = []
    await call(one)
    expect(sent).toEqual(['append', 'append'])
  })

  test('rolls back both if the work fails or the settlement is too late', async () => {
    const { request, drawnAt } = await hold(one, on.requestOf(payer, PRICE))
    const note = sql`insert into pending_results (invocation_id, result) values ('noted', '{}')`
    const failing = one.settleAfter(endingOf(request, drawnAt, PRICE), () =>
      Promise.reject(new RangeError('no')),
    )
    await expect(failing).rejects.toThrow('no')
    await two.settle(endingOf(request, drawnAt, null))
    const late = await one.settleAfter(endingOf(request, drawnAt, PRICE), tx =>
      tx.query(note).then(() => undefined),
    )
    expect(late.kind).toBe('lost')
    expect(await on.run(sql`select 1 from pending_results`)).toEqual([])
    expect(await accountOf(payer)).toEqual({ posted: 100n, reserved: 0n })
    await call(one)
    expect(await accountOf(payer)).toEqual({ posted: 90n, reserved: 0n })
  })
})
