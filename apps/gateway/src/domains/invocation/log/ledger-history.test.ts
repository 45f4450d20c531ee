import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  endingOf,
  hold,
  type LedgerFixture,
  type Payer,
  startLedgerFixture,
  waitingOf,
} from '../../../../test/kit/ledger/ledger-fixture.ts'
import type { HoldRequest } from '../admission/admit.ts'
import type { CallLedger } from '../admission/commit-calls.ts'

const BALANCE = 1_000n
const RUNS = 12

let on: LedgerFixture
let calls: CallLedger
beforeAll(async () => {
  on = await startLedgerFixture()
  calls = on.gateway()
})
afterAll(() => on.stop())

/** Possible next acts of a payer. Impossible ones are skipped. */
type Step = { readonly kind: 'hold' | 'pay' | 'release' | 'wait' | 'project'; readonly amount: bigint }
/** A payer's books, computed without any code of the gateway. */
type Books = { posted: bigint; readonly open: { hold: bigint; isWaiting: boolean }[]; paid: number }
type OpenCall = { readonly request: HoldRequest; readonly drawnAt: Date; from: 'PENDING' | 'PROCESSING' }

const reservedOf = ({ open }: Books) => open.reduce((sum, call) => sum + call.hold, 0n)

/** One payer whose calls go through the ledger and, side by side, through books of a few lines. */
function createPlayer(payer: Payer) {
  const books: Books = { posted: BALANCE, open: [], paid: 0 }
  const open: OpenCall[] = []
  const acts: Record<Step['kind'], (amount: bigint) => Promise<void>> = {
    async project() {
      await on.run(sql`select ledger_catch_up()`)
    },
    async hold(amount) {
      const request = on.requestOf(payer, amount)
      if (amount > books.posted - reservedOf(books)) {
        expect((await calls.hold(request)).kind).toBe('refused')
        return
      }
      open.push({ ...(await hold(calls, request)), from: 'PENDING' })
      books.open.push({ hold: amount, isWaiting: false })
    },
    async wait() {
      const [call, own] = [open[0], books.open[0]]
      if (call === undefined || own === undefined || own.isWaiting) return
      expect(await calls.settle(waitingOf(call.request, call.drawnAt))).toMatchObject({ isNew: true })
      call.from = 'PROCESSING'
      own.isWaiting = true
    },
    async pay(amount) {
      const [call, own] = [open.shift(), books.open.shift()]
      if (call === undefined || own === undefined) return
      const charge = amount % (own.hold + 1n)
      const ending = { ...endingOf(call.request, call.drawnAt, charge), from: call.from }
      expect(await calls.settle(ending)).toMatchObject({ isNew: true })
      books.posted -= charge
      books.paid += 1
    },
    async release() {
      // A call with pending usage is not returned as retryable.
      if (books.open[0]?.isWaiting !== false) return
      const call = open.shift()
      books.open.shift()
      if (call === undefined) return
      expect(await calls.settle(endingOf(call.request, call.drawnAt, null))).toMatchObject({ isNew: true })
    },
  }
  return { payer, books, act: (step: Step) => acts[step.kind](step.amount) }
}

/** The rows of a payer are what its books say, and no gateway would give it more. */
async function expectRows({ payer, books }: ReturnType<typeof createPlayer>): Promise<void> {
  const { wallet, credentialId } = payer
  const reserved = reservedOf(books)
  const rows = await on.run(sql`
    select a.posted, a.reserved, c.held, c.spent, c.calls_used, p.month_drawn, p.day_drawn,
      (select count(*) from open_calls join invocations i on i.id = invocation_id where i.owner = ${wallet}) as open
    from accounts a, credentials c, spending_policies p
    where a.id = ${`consumer:${wallet}`} and c.id = ${credentialId} and p.owner = ${wallet}`)
  const spent = BALANCE - books.posted
  expect(rows).toEqual([
    {
      posted: books.posted,
      reserved,
      held: reserved,
      spent,
      callsUsed: BigInt(books.paid + books.open.length),
      monthDrawn: spent + reserved,
      dayDrawn: spent + reserved,
      open: BigInt(books.open.length),
    },
  ])
  const left = books.posted - reserved
  for (const ledger of [on.gateway(), calls]) {
    expect((await ledger.hold(on.requestOf(payer, left + 1n))).kind).toBe('refused')
  }
  await hold(calls, on.requestOf(payer, left))
}

test('rows match the history after any calls, and a gateway that loads them decides like one that has them in memory', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('hold', 'hold', 'pay', 'release', 'wait', 'project'),
    amount: fc.bigInt({ min: 1n, max: 600n }),
  })
  const history = fc.array(fc.tuple(fc.nat(1), step), { minLength: 5, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(history, async steps => {
      const players = [createPlayer(await on.payer(BALANCE)), createPlayer(await on.payer(BALANCE))]
      for (const [index, next] of steps) await players[index]?.act(next)
      await on.run(sql`select ledger_catch_up()`)
      for (const player of players) await expectRows(player)
    }),
    { numRuns: RUNS },
  )
})

test('every log row is hash-chained to the previous one', async () => {
  const broken = sql`
    select partition, seq from (
      select l.partition, l.seq, l.hash, ledger_hash(
          lag(l.hash, 1, decode(repeat('00', 32), 'hex')) over (partition by l.partition order by l.seq),
          l.partition, l.seq, l.writer, l.held::text, l.awaited::text, l.ended::text, l.credentials::text,
          l.policies::text, l.accounts::text, l.changed::text) as made
      from ledger_log l) chain where hash <> made`
  expect(await on.run(broken)).toEqual([])
  const rows = sql`
    select p.partition from ledger_partitions p
    where p.head <> (select count(*) from ledger_log l where l.partition = p.partition)
      or p.head > 0 and p.hash <> (select l.hash from ledger_log l where l.partition = p.partition and l.seq = p.head)`
  expect(await on.run(rows)).toEqual([])
  const [log] = await on.run<{ rows: bigint }>(sql`select count(*) as rows from ledger_log`)
  expect(log?.rows).toBeGreaterThan(100n)
})
