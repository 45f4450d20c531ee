import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Act, type Answer, type Books, EMPTY, happen, stepOf } from './books.ts'
import type { Driver } from './driver.ts'
import { atOnce, inTurn } from './runs.ts'
import { viewOf } from './view.ts'

/** Runs in which each mistake must be found. */
const RUNS_MAX = 3_000
const SEED = 6
/** A failing run is shrunk to about as many acts as it takes to show the mistake, after those that begin it. */
const SHOWN_MAX = 8

type Happened = { readonly books: Books; readonly answer: Answer }
/** A defect: changes the effect of an act. */
type Mistake = (before: Books, act: Act, happened: Happened) => Happened

/** A gateway in memory: the model itself, and a mistake. */
function gatewayWith(mistake: Mistake): Driver {
  let books = EMPTY
  return {
    async act(act) {
      const went = mistake(books, act, happen(books, act))
      books = went.books
      return went.answer
    },
    view: async () => viewOf(books),
  }
}

const add = (books: Books, who: 'ada' | 'bob', available: bigint): Books => {
  const wallet = books.wallets[who]
  const changed = { ...wallet, available: wallet.available + available }
  return { ...books, wallets: { ...books.wallets, [who]: changed } }
}

const ownerOf = (books: Books, credential: string) => books.credentials[credential]?.owner ?? 'ada'

const mistakes: Record<string, Mistake> = {
  'a failed call is charged': (_, act, went) => {
    const isReleased = act.kind === 'call' && went.answer.code === 'UPSTREAM_ERROR' && !went.answer.isReplay
    if (!isReleased) return went
    return { ...went, books: add(went.books, ownerOf(went.books, act.credential), -act.offer) }
  },
  'a replay is charged again': (_, act, went) => {
    if (act.kind !== 'call' || went.answer.isReplay !== true) return went
    const { charged = 0n } = went.answer
    return { ...went, books: add(went.books, ownerOf(went.books, act.credential), -charged) }
  },
  'a replay is not known for one': (_, __, { books, answer: { isReplay: _isReplay, ...answer } }) => ({
    books,
    answer,
  }),
  'fees are rounded up': (before, act, went) => {
    const earned = went.books.earnings.receivable - before.earnings.receivable
    const { charged = 0n } = went.answer
    const isWhole = (charged * 250n) % 10_000n === 0n
    if (act.kind !== 'call' || earned <= 0n || isWhole) return went
    const { earnings } = went.books
    return {
      ...went,
      books: { ...went.books, earnings: { ...earnings, receivable: earnings.receivable - 1n } },
    }
  },
  'a token that was rotated away is good': (before, act, went) =>
    act.kind === 'call' && went.answer.code === 'CREDENTIAL_INVALID'
      ? happen(before, { ...act, token: before.credentials[act.credential]?.rotations ?? 0 })
      : went,
  'the last micro-USDC of a balance cannot be spent': (before, act, went) => {
    if (act.kind !== 'call' || went.answer.status !== 200 || went.answer.isReplay) return went
    const isAll = before.wallets[ownerOf(before, act.credential)].available === act.offer
    const answer = { status: 402, code: 'BUDGET_EXHAUSTED', limit: 'owner_balance' }
    return isAll && act.offer > 0n ? { books: before, answer } : went
  },
  'a withdrawal that expired is paid back twice': (_, act, went) => {
    if (act.kind !== 'expire') return went
    const back = Object.values(went.books.withdrawals).filter(({ state }) => state === 'CANCELLED')
    return { ...went, books: add(went.books, 'ada', back[0]?.amount ?? 0n) }
  },
  'a second report replaces the first': (before, act, went) =>
    act.kind === 'report' && went.answer.code === 'USAGE_ALREADY_FINAL'
      ? { books: before, answer: { status: 200 } }
      : went,
}

/** Number of acts in a failure message, besides those of the setup. */
const shownActs = (message: string | undefined) => (message?.match(/\{"[^\n]*"kind":/g)?.length ?? 0) - 4

describe('the model detects a faulty gateway', () => {
  test.each(Object.entries(mistakes))('when %s', async (_, mistake) => {
    const property = inTurn(
      async () => gatewayWith(mistake),
      async () => undefined,
    )
    const result = await fc.check(property, { seed: SEED, numRuns: RUNS_MAX })
    const error = String(result.errorInstance)
    expect(result.failed).toBe(true)
    expect(error).toContain('Differs')
    expect(shownActs(error)).toBeLessThanOrEqual(SHOWN_MAX)
  })

  test('when two parallel calls both spend the same money', async () => {
    const racing = (): Driver => {
      let books = EMPTY
      return {
        async act(act) {
          const seen = books
          await Promise.resolve()
          const first = stepOf(act)(seen)
          if (act.kind !== 'call' || 'next' in first === false) {
            const went = happen(books, act)
            books = went.books
            return went.answer
          }
          // Let in by what was seen: what it costs is taken from what there is.
          const wallet = ownerOf(books, act.credential)
          const lent = happen(add(books, wallet, act.offer), act)
          books = add(lent.books, wallet, -act.offer)
          return lent.answer
        },
        view: async () => viewOf(books),
      }
    }
    const property = atOnce(
      async () => racing(),
      async () => undefined,
    )
    const { failed } = await fc.check(property, { seed: SEED, numRuns: RUNS_MAX })
    expect(failed).toBe(true)
  })

  test('and detects nothing in a correct gateway', async () => {
    const start = async () => gatewayWith((_, __, went) => went)
    const settle = async () => undefined
    for (const make of [inTurn, atOnce]) {
      const { failed } = await fc.check(make(start, settle), { seed: SEED, numRuns: 100 })
      expect(failed).toBe(false)
    }
  })
})
