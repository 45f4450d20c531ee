import { depositStatuses } from '@farebox/wire/deposits'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DepositEvidence,
  isBookable,
  judgeDeposit,
  matchEvents,
  NEXT,
  nextRange,
  statesBefore,
} from './rules.ts'

const minedIn = fc.record({
  status: fc.constantFrom('success' as const, 'reverted' as const),
  isCanonical: fc.boolean(),
  confirmations: fc.integer({ min: 0, max: 100 }),
  depositors: fc.subarray(['0xa', '0xb']),
})
const sightIn: fc.Arbitrary<DepositEvidence> = fc.record({
  requiredConfirmations: fc.integer({ min: 1, max: 20 }),
  mined: fc.option(minedIn),
})

describe('a claim', () => {
  test('is credited only when a canonical, confirmed, successful transaction names its wallet', () => {
    fc.assert(
      fc.property(sightIn, fc.boolean(), (evidence, isOverdue) => {
        const verdict = judgeDeposit(evidence, '0xa', isOverdue)
        const { mined, requiredConfirmations } = evidence
        const isGood =
          mined?.isCanonical === true &&
          mined.status === 'success' &&
          mined.depositors.includes('0xa') &&
          mined.confirmations >= requiredConfirmations
        expect(verdict.kind === 'credited').toBe(isGood)
      }),
    )
  })

  test('is never rejected for what a reorganisation could still undo', () => {
    fc.assert(
      fc.property(sightIn, evidence => {
        const verdict = judgeDeposit(evidence, '0xa', false)
        if (verdict.kind === 'rejected') {
          expect(verdict.confirmations).toBeGreaterThanOrEqual(evidence.requiredConfirmations)
        }
      }),
    )
  })

  test('to an unknown transaction is given up after a day and not before', () => {
    const evidence = { requiredConfirmations: 1, mined: null }
    expect(judgeDeposit(evidence, '0xa', false)).toEqual({ kind: 'unknown' })
    expect(judgeDeposit(evidence, '0xa', true)).toMatchObject({
      kind: 'rejected',
      reason: 'unknown_after_24h',
    })
  })

  test('once credited stays so; once rejected it can still be credited', () => {
    expect(NEXT.credited).toEqual([])
    expect(statesBefore('credited').sort()).toEqual(
      depositStatuses.filter(status => status !== 'credited').sort(),
    )
    expect(statesBefore('rejected').sort()).toEqual(['confirming', 'pending'])
  })
})

describe('the follower', () => {
  const situation = fc.record({
    cursor: fc.bigInt(-1n, 500n),
    confirmed: fc.bigInt(-10n, 500n),
    startBlock: fc.bigInt(0n, 50n),
    rereadBlocks: fc.bigInt(0n, 64n),
    blocksMax: fc.bigInt(1n, 100n),
  })

  test('leaves no gap, never reads what is not confirmed, and never goes back', () => {
    fc.assert(
      fc.property(situation, input => {
        const cursor = input.cursor < input.startBlock - 1n ? input.startBlock - 1n : input.cursor
        const range = nextRange({ ...input, cursor })
        if (range === null) {
          expect(input.confirmed < cursor || input.confirmed < input.startBlock).toBe(true)
          return
        }
        expect(range.to <= input.confirmed).toBe(true)
        expect(range.to >= cursor).toBe(true)
        expect(range.from <= cursor + 1n).toBe(true)
        expect(range.from >= input.startBlock).toBe(true)
        expect(range.to - cursor <= input.blocksMax).toBe(true)
      }),
    )
  })
})

test('rejects an amount that the books cannot hold', () => {
  expect([0n, -1n, 10n ** 18n].map(isBookable)).toEqual([false, false, false])
  expect([1n, 10n ** 18n - 1n].map(isBookable)).toEqual([true, true])
})

describe('the events of a transaction that was mined again', () => {
  const event = fc.record({
    logIndex: fc.integer({ min: 0, max: 9 }),
    owner: fc.constantFrom('0xa', '0xb'),
    amount: fc.bigInt(1n, 3n),
  })
  const eventsIn = fc.uniqueArray(event, { maxLength: 6, selector: ({ logIndex }) => logIndex })
  const recordedIn = fc.uniqueArray(
    fc.tuple(event, fc.boolean()).map(([deposit, isCredited]) => ({ ...deposit, isCredited })),
    { maxLength: 6, selector: ({ logIndex }) => logIndex },
  )
  const moneyOf = ({ owner, amount }: { owner: string; amount: bigint }) => `${owner} ${amount}`

  test('are each matched or fresh, and no credited deposit is credited again', () => {
    fc.assert(
      fc.property(recordedIn, eventsIn, (recorded, events) => {
        const { known, fresh, stale } = matchEvents(recorded, events)
        expect([...known.map(match => match.event), ...fresh].toSorted(byIndex)).toEqual(
          events.toSorted(byIndex),
        )
        for (const { logIndex, event: matched } of known) {
          const row = recorded.find(deposit => deposit.logIndex === logIndex)
          expect(row && moneyOf(row)).toBe(moneyOf(matched))
        }
        expect(new Set(known.map(({ logIndex }) => logIndex)).size).toBe(known.length)
        // Fresh events will be credited, so no credited deposit of the same money may be left without its event.
        const matched = new Set(known.map(({ logIndex }) => logIndex))
        const without = recorded.filter(row => row.isCredited && !matched.has(row.logIndex)).map(moneyOf)
        expect(fresh.map(moneyOf).filter(money => without.includes(money))).toEqual([])
        const gone = recorded.filter(row => !row.isCredited && !matched.has(row.logIndex))
        expect([...stale].sort()).toEqual(gone.map(({ logIndex }) => logIndex).sort())
      }),
    )
  })

  const byIndex = (a: { logIndex: number }, b: { logIndex: number }) => a.logIndex - b.logIndex

  test('that are unchanged are matched one to one', () => {
    fc.assert(
      fc.property(recordedIn, recorded => {
        const { known, fresh, stale } = matchEvents(recorded, recorded)
        expect(known.every(match => match.logIndex === match.event.logIndex)).toBe(true)
        expect([fresh, stale, known.length]).toEqual([[], [], recorded.length])
      }),
    )
  })
})
