import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admitAtRate } from './rate-window.ts'

const START = 1_700_000_000_250
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NEVER_USED = Buffer.alloc(0)

/** Sends a request at each of the times, in ms since the start. */
function sendAt(rpm: number, times: readonly number[], before: Buffer = NEVER_USED) {
  let window = before
  return times.map(time => {
    const decision = admitAtRate(rpm, window, new Date(START + time))
    window = decision.window
    return { ...decision, time }
  })
}

/** Times in order, from bursts to pauses of a third of a minute. */
const timesIn = fc
  .array(fc.oneof(fc.nat(3), fc.nat(1_500), fc.nat(20_000)), { minLength: 1, maxLength: 400 })
  .map(pauses => {
    let now = 0
    return pauses.map(pause => {
      now += pause
      return now
    })
  })

describe('a sliding minute', () => {
  test('admits 6 and no seventh until the first is 60 seconds old, to the millisecond', () => {
    const times = [0, 1_000, 2_000, 3_000, 4_000, 5_000, 15_000, 59_500, 59_999, 60_000, 60_001]
    expect(sendAt(6, times).map(({ isAdmitted }) => isAdmitted)).toEqual([
      ...Array<boolean>(6).fill(true),
      false,
      false,
      false,
      true,
      false,
    ])
  })

  test('admits every request at exactly a small rate', () => {
    const paced = Array.from({ length: 600 }, (_, index) => (index * MINUTE) / 6)
    expect(sendAt(6, paced).every(({ isAdmitted }) => isAdmitted)).toBe(true)
  })

  test('admits the requests of a whole minute at once, and not one more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), rpm => {
        const decisions = sendAt(rpm, Array<number>(rpm + 1).fill(0))
        const [refused, last] = [decisions.at(-1), decisions.at(-2)]
        expect(decisions.map(({ remaining }) => remaining)).toEqual([
          ...Array.from({ length: rpm }, (_, index) => rpm - 1 - index),
          0,
        ])
        expect(last).toMatchObject({ isAdmitted: true, seconds: 60 })
        expect(refused).toMatchObject({ isAdmitted: false, seconds: 60, window: last?.window })
      }),
      { numRuns: 20 },
    )
  })

  test('never exceeds the rate in any 60 seconds, and rejects only what it used up in the last 61', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 55, max: 120 })),
        timesIn,
        (rpm, times) => {
          const decisions = sendAt(rpm, times)
          const admitted = decisions.flatMap(({ isAdmitted, time }) => (isAdmitted ? [time] : []))
          const counted = (from: number, to: number) =>
            admitted.filter(time => time > from && time <= to).length
          for (const time of admitted) expect(counted(time - MINUTE, time)).toBeLessThanOrEqual(rpm)
          const reach = rpm <= 60 ? MINUTE : MINUTE + 1_000
          for (const { isAdmitted, time } of decisions) {
            if (!isAdmitted) expect(counted(time - reach, time)).toBe(rpm)
          }
        },
      ),
    )
  })

  test('returns the wait after which a request is admitted, and a second earlier none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), timesIn, (rpm, times) => {
        const last = sendAt(rpm, times).at(-1)
        if (last === undefined || last.isAdmitted) return
        const after = (seconds: number) =>
          admitAtRate(rpm, last.window, new Date(START + last.time + seconds * 1_000)).isAdmitted
        expect(after(last.seconds)).toBe(true)
        expect(after(last.seconds - 1)).toBe(false)
      }),
    )
  })

  test('returns the wait after the rate was lowered', () => {
    const { window = NEVER_USED } = sendAt(5, [0, 10_000, 20_000, 30_000, 40_000]).at(-1) ?? {}
    expect(admitAtRate(2, window, new Date(START + 40_000))).toMatchObject({ isAdmitted: false, seconds: 50 })
  })

  test('stays small, whatever the rate and its changes', () => {
    let window: Buffer = NEVER_USED
    for (let time = 0; time < 2 * MINUTE; time += 250) {
      const rpm = time < MINUTE - 5_000 ? 60 : 10_000_000
      window = admitAtRate(rpm, window, new Date(START + time)).window
      expect(window.length).toBeLessThanOrEqual(6 + 121 * 5)
    }
  })

  test('keeps counting when the clock steps back', () => {
    const { window = NEVER_USED } = sendAt(2, [5_000]).at(-1) ?? {}
    const second = admitAtRate(2, window, new Date(START))
    expect(second).toMatchObject({ isAdmitted: true, remaining: 0 })
    expect(admitAtRate(2, second.window, new Date(START + 1_000))).toMatchObject({
      isAdmitted: false,
      seconds: 64,
    })
  })

  test('admits its rate again as soon as the clock was set back by more than a minute', () => {
    const { window = NEVER_USED } = sendAt(2, [4 * HOUR, 4 * HOUR + 1]).at(-1) ?? {}
    const [first, second, third] = sendAt(2, [0, 1, 2], window)
    expect([first, second]).toMatchObject([{ remaining: 1 }, { remaining: 0, seconds: 60 }])
    expect(third).toMatchObject({ isAdmitted: false, seconds: 60 })
  })
})
