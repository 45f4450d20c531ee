import { expect, test } from 'vitest'
import { lineOf, markdownOf, summarise, totalsOf } from './report.ts'
import type { RoundResult } from './round.ts'

const round = (number: number, violations: string[] = []): RoundResult => ({
  seed: 's',
  round: number,
  violations,
  ms: 4_321,
  settledMs: number * 100,
  calls: 10,
  acknowledged: 7,
  replayed: 9,
  deposits: 4,
  withdrawals: 6,
  faults: ['kill gateway 0 at 100 ms', 'reset between gateway 1 and database at 5 ms for 9 ms'],
  idle: ['kill gateway 0 at 100 ms'],
  happened: ['reset between gateway and database'],
})
const rounds = [round(1), round(2, ['call x: was lost'])]
const summary = summarise('s', new Date('2026-11-21T00:00:00Z'), rounds, 1.26)

test('adds up rounds, and counts a broken one as not clean', () => {
  expect(summary).toEqual({
    seed: 's',
    startedAt: '2026-11-21T00:00:00.000Z',
    rounds: 2,
    cleanRounds: 1,
    minutes: 1.3,
    faults: 2,
    byKind: { 'reset between gateway and database': 2 },
    slowestSettleMs: 200,
    calls: 20,
    acknowledged: 14,
    replayed: 18,
    deposits: 8,
    withdrawals: 12,
  })
  expect(totalsOf(summary)[0]).toBe('1 of 2 rounds clean, seed s, 1.3 min')
})

test('prints seed, verdict, figures and the faults that did not occur in a line', () => {
  expect(lineOf(round(1))).toContain('round    1  ok      seed s    4.3 s  10 calls, 7 acknowledged')
  expect(lineOf(round(1))).toContain('(kill gateway 0 at 100 ms: nobody came by); reset between gateway 1')
  expect(lineOf(round(2, ['x']))).toContain('BROKEN')
})

test('lists all rounds, with the command that repeats them', () => {
  expect(markdownOf(summary, rounds)).toContain('`npm run chaos -- --rounds 2 --seed s`')
  expect(markdownOf(summary, rounds)).toContain('| 2 | **no** | 10 | 7 | 9 | 200 |')
})
