import { createHash } from 'node:crypto'
import { usdc } from '@farebox/money'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type LedgerFixture,
  type Payer,
  pay,
  startLedgerFixture,
} from '../../../../test/kit/ledger/ledger-fixture.ts'
import type { Append } from './append-statement.ts'
import { type Appended, append, lockTails } from './append-store.ts'

let on: LedgerFixture
let alice: Payer
/** In another partition than alice. */
let bob: Payer
beforeAll(async () => {
  on = await startLedgerFixture()
  alice = await on.payer(1_000_000n)
  do bob = await on.payer(1_000_000n)
  while (ledgerPartitionOf(bob.wallet) === ledgerPartitionOf(alice.wallet))
})
afterAll(() => on.stop())

type Row = { head: bigint; hash: Buffer; projected: bigint }
const stateOf = async ({ wallet }: Payer): Promise<Row> => {
  const [row] = await on.run<Row>(sql`
    select p.head, p.hash, j.projected from ledger_partitions p join ledger_projections j using (partition)
    where partition = ${ledgerPartitionOf(wallet)}`)
  if (row === undefined) throw new Error('There is no such partition.')
  return row
}
const NOTHING: Append['columns'] = {
  held: null,
  awaited: null,
  ended: null,
  credentials: null,
  policies: null,
  accounts: null,
}
/** An append of one row, that sets the money of a payer, behind what is the head now. */
async function rowOf(payer: Payer, more: Partial<Append> = {}): Promise<Append> {
  const { head, hash } = await stateOf(payer)
  const account = { owner: payer.wallet, posted: '1000000', reserved: '0', promotional: '0' }
  return {
    partition: ledgerPartitionOf(payer.wallet),
    position: { head, hash },
    columns: { ...NOTHING, accounts: JSON.stringify([account]) },
    keys: [],
    services: [],
    answers: [],
    streams: [],
    pending: [],
    ...more,
  }
}
const send = (appends: readonly Append[], { offMs = 0 } = {}): Promise<Appended> =>
  append(on.batchDb, appends, { writer: 'gw_1 1', now: new Date(Date.now() + offMs) })
const goodOf = ({ partitions }: Appended) =>
  new Map(partitions.map(({ partition, isGood }) => [partition, isGood]))
const isGood = async (payer: Payer, more: Partial<Append>, options?: { offMs: number }): Promise<boolean> => {
  const before = await stateOf(payer)
  const appended = await send([await rowOf(payer, more)], options)
  const good = goodOf(appended).get(ledgerPartitionOf(payer.wallet)) === true
  expect((await stateOf(payer)).head - before.head).toBe(good ? 1n : 0n)
  return good
}

describe('an append', () => {
  test('advances the head by one row, whose hash covers the previous hash and its own text', async () => {
    const row = await rowOf(alice)
    const { partitions } = await send([row])
    const { head, hash } = await stateOf(alice)
    expect(head).toBe(row.position.head + 1n)
    const text = [row.partition, head, 'gw_1 1', '', '', '', '', '', row.columns.accounts, '']
    expect(hash).toEqual(createHash('sha256').update(row.position.hash).update(text.join('\n')).digest())
    expect(partitions).toEqual([
      { partition: row.partition, position: row.position, isGood: true, hash, projected: expect.any(BigInt) },
    ])
    const [stored] = await on.run(sql`
      select writer, accounts::text, hash, held from ledger_log where partition = ${row.partition} and seq = ${head}`)
    expect(stored).toEqual({ writer: 'gw_1 1', accounts: row.columns.accounts, hash, held: null })
  })

  test('at a row or hash other than the head is refused, and returns the head', async () => {
    const { position, partition } = await rowOf(alice)
    for (const wrong of [
      { head: position.head - 1n, hash: position.hash },
      { head: position.head + 1n, hash: position.hash },
      { head: position.head, hash: Buffer.alloc(32, 9) },
    ]) {
      const appended = await send([await rowOf(alice, { position: wrong })])
      expect(appended.partitions).toMatchObject([{ partition, position, isGood: false, hash: null }])
      expect(await stateOf(alice)).toMatchObject(position)
    }
  })

  test('that is refused stores none of its answers and does not affect other partitions', async () => {
    const parts = (id: string): Partial<Append> => ({
      answers: [{ id: `${id}_answer`, httpStatus: 200, body: '{"é":1}' }],
      streams: [{ id: `${id}_stream`, events: Buffer.from('events'), isWhole: true }],
      pending: [{ id: `${id}_pending`, result: '{}' }],
    })
    const good = await rowOf(alice, parts('good'))
    const position = { head: good.position.head + 7n, hash: good.position.hash }
    const missed = await rowOf(bob, { ...parts('missed'), position })
    expect(goodOf(await send([missed, good]))).toEqual(
      new Map([
        [good.partition, true],
        [missed.partition, false],
      ]),
    )
    const kept = await on.run(sql`
      select invocation_id as id from invocation_answers union all select invocation_id from invocation_streams
      union all select invocation_id from pending_results order by 1`)
    expect(kept).toEqual([{ id: 'good_answer' }, { id: 'good_pending' }, { id: 'good_stream' }])
  })

  test('with the key of an existing invocation is refused, and returns the invocation', async () => {
    const paid = await pay(on.gateway(), on.requestOf(bob, 10n, { idempotencyKey: 'mine' }), usdc(8n))
    await on.run(sql`select ledger_catch_up()`)
    expect(await isGood(bob, { keys: [on.requestOf(bob, 10n, { idempotencyKey: 'other' })] })).toBe(true)
    const row = await rowOf(bob, { keys: [on.requestOf(bob, 10n, { idempotencyKey: 'mine' })] })
    const { known, partitions } = await send([row])
    expect(partitions[0]?.isGood).toBe(false)
    expect(known).toEqual([
      {
        partition: row.partition,
        key: `${bob.credentialId} mine`,
        invocation: {
          id: paid.invocationId,
          requestHash: paid.requestHash,
          status: 'SUCCEEDED',
          drawnAt: expect.any(Date),
          hold: 10n,
        },
      },
    ])
  })

  test.each([
    ['deactivated', sql`is_active = false`],
    ['deleted', sql`is_active = false, deleted_at = now()`],
    ['suspended', sql`suspended_at = now()`],
  ])('with a service that is %s is refused, because it cannot be called', async (_, change) => {
    const { id } = await on.service()
    expect(await isGood(alice, { services: [[id, 1n]] })).toBe(true)
    await on.run(sql`update services set ${change} where id = ${id}`)
    const [service] = await on.run<{ version: bigint }>(sql`select version from services where id = ${id}`)
    const row = await rowOf(alice, { services: [[id, service?.version ?? 0n]] })
    const { stale, partitions } = await send([row])
    expect(partitions[0]?.isGood).toBe(false)
    expect(stale).toEqual(new Map([[id, null]]))
  })

  test('with an unknown service or one of a suspended wallet is refused', async () => {
    const { id } = await on.service()
    await on.run(sql`update wallets set suspended_at = now() where address = ${on.provider}`)
    expect((await send([await rowOf(alice, { services: [[id, 1n]] })])).stale).toEqual(new Map([[id, null]]))
    await on.run(sql`update wallets set suspended_at = null where address = ${on.provider}`)
    expect(await isGood(alice, { services: [[id, 1n]] })).toBe(true)
    expect(await isGood(alice, { services: [['svc_nowhere', 1n]] })).toBe(false)
  })

  test('with a changed service is refused once the change commits, and returns the new version', async () => {
    const { id } = await on.service()
    const row = () => rowOf(alice, { services: [[id, 1n]] })
    await on.db.transaction(async tx => {
      await tx.query(sql`update services set price = 1 where id = ${id}`)
      expect((await send([await row()])).partitions[0]?.isGood).toBe(true)
    })
    const { stale, partitions } = await send([await row()])
    expect(partitions[0]?.isGood).toBe(false)
    expect(stale).toEqual(new Map([[id, 2n]]))
    // For any statement, the version only increases.
    await on.run(sql`update services set version = 1 where id = ${id}`)
    expect((await send([await row()])).stale).toEqual(new Map([[id, 3n]]))
  })

  test.each([-4_000, 400])(
    'decided %i ms off the database time is refused, and returns the database time',
    async offMs => {
      const from = Date.now()
      const { now, partitions } = await send([await rowOf(alice)], { offMs })
      expect(partitions[0]?.isGood).toBe(false)
      expect(now.getTime()).toBeGreaterThanOrEqual(from - 100)
      expect(now.getTime()).toBeLessThanOrEqual(Date.now() + 100)
    },
  )

  test('decided two seconds ago is accepted, to tolerate a busy machine', async () => {
    expect((await send([await rowOf(alice)], { offMs: -2_000 })).partitions[0]?.isGood).toBe(true)
  })

  test('without changes checks the position and writes no row', async () => {
    const before = await stateOf(alice)
    const { position, ...row } = await rowOf(alice, { columns: NOTHING })
    const good = await send([{ ...row, position }])
    expect(good.partitions).toMatchObject([{ isGood: true, hash: null, position }])
    const bad = await send([{ ...row, position: { ...position, head: position.head + 1n } }])
    expect(bad.partitions).toMatchObject([{ isGood: false, hash: null, position }])
    expect(await stateOf(alice)).toEqual(before)
  })

  test('sent several times in parallel at one head succeeds once, and the others get the new head', async () => {
    for (let round = 0; round < 10; round += 1) {
      const row = await rowOf(alice)
      const all = await Promise.all(Array.from({ length: 6 }, () => send([row])))
      const made = all.filter(({ partitions }) => partitions[0]?.isGood === true)
      expect(made).toHaveLength(1)
      expect((await stateOf(alice)).head).toBe(row.position.head + 1n)
      const missed = all.find(({ partitions }) => partitions[0]?.isGood === false)
      expect(missed?.partitions[0]?.position).toMatchObject({ head: row.position.head + 1n })
    }
  })

  test('to several partitions in parallel, in any order, does not deadlock', async () => {
    for (let round = 0; round < 10; round += 1) {
      const rows = [await rowOf(alice), await rowOf(bob)]
      const all = await Promise.all(
        [rows, rows.toReversed(), rows, rows.toReversed()].map(each => send(each)),
      )
      const made = all.flatMap(({ partitions }) => partitions.filter(each => each.isGood))
      expect(made.map(({ partition }) => partition).toSorted()).toEqual(
        rows.map(({ partition }) => partition).toSorted(),
      )
    }
  })
})

describe('the tail of a partition', () => {
  const tailOf = (known: bigint | null) =>
    on.batchDb.transaction(tx => lockTails(tx, [{ partition: ledgerPartitionOf(alice.wallet), known }]))

  test('contains the known row and all later rows, in order and as written', async () => {
    const first = await rowOf(alice)
    await send([first])
    const second = await rowOf(alice, { columns: { ...NOTHING, policies: '[{"owner":"é\\u0022"}]' } })
    await send([second])
    const known = first.position.head + 1n
    const { partitions } = await tailOf(known)
    const [locked] = partitions
    expect(locked?.position).toMatchObject({ head: known + 1n })
    expect(locked?.tail).toMatchObject([
      { seq: known, hash: second.position.hash, accounts: [{ owner: alice.wallet }], policies: null },
      { seq: known + 1n, writer: 'gw_1 1', accounts: null, policies: [{ owner: 'é"' }], changed: null },
    ])
    expect((await tailOf(null)).partitions).toMatchObject([{ position: { head: known + 1n }, tail: [] }])
  })

  test('blocks appends while it is locked', async () => {
    const row = await rowOf(alice)
    let appended: Promise<Appended> | undefined
    await on.batchDb.transaction(async tx => {
      const known = row.position.head
      const wanted = [{ partition: row.partition, known }]
      expect((await lockTails(tx, wanted)).partitions[0]?.position.head).toBe(known)
      appended = send([row])
      await on.untilBlocked(1)
      expect((await lockTails(tx, wanted)).partitions[0]?.position.head).toBe(known)
    })
    expect((await appended)?.partitions[0]?.isGood).toBe(true)
  })
})
