import { describe, expect, test } from 'vitest'
import { createAdmissionQueue } from './admission-queue.ts'

/**
 * A gateway in virtual time: the waiting room as it is, and a database whose batches take a fixed time and some for
 * each item. A call is shed or held; its provider takes a while; its settlement goes first into a later batch.
 */

const BATCH_MS = 2
const ITEM_MS = 0.1
const PROVIDER_MS = 5
/** Calls a second of an owner below its share, besides a hundred owners or one. */
const QUIET = 37
const WAIT_MS_MAX = 1_000
const PLACES = 8_192
const SECONDS = 4
/** Until it is known how long batches take, the bounds of the room are the bounds. */
const LEARNT_BY_MS = 2_000
/** Full batches of 256 holds and as many settlements, back to back. */
const CAPACITY = 256 / ((BATCH_MS + 512 * ITEM_MS) / 1_000)

type Call = {
  readonly at: number
  readonly owner: string
  heldAt?: number
  answeredAt?: number
  isShed?: boolean
}
type Item = { readonly call: Call; readonly isSettlement: boolean }

/** Evenly spaced arrivals of an owner, at this rate per second. */
function arrivals(owner: string, perSecond: number): Call[] {
  return Array.from({ length: Math.floor(perSecond * SECONDS) }, (_, index) => ({
    at: (index * 1_000) / perSecond,
    owner,
  }))
}
const crowd = (owners: number, perSecond: number): Call[] =>
  Array.from({ length: owners }, (_, index) =>
    // Not all in the same moment.
    arrivals(`one of ${owners}: ${index}`, perSecond / owners).map(call => ({
      ...call,
      at: call.at + (index * 1_000) / perSecond,
    })),
  ).flat()

/** Long after the last call, in ms. */
const EMPTY_MS = 60_000

/** Lets the calls come; each of them then knows what became of it. */
function run(calls: readonly Call[]): void {
  let now = 0
  const room = createAdmissionQueue<Item>(
    { placesMax: PLACES, waitMsMax: WAIT_MS_MAX },
    { elapsed: () => now },
  )
  const coming = calls.toSorted((a, b) => a.at - b.at)
  const atProvider: Call[] = []
  let came = 0
  let back = 0
  const arriveUntil = (time: number) => {
    for (let call = coming[came]; call !== undefined && call.at <= time; call = coming[came]) {
      came += 1
      now = call.at
      if (room.refusalOf(call.owner) === null) room.enter(call.owner, { call, isSettlement: false })
      else call.isShed = true
    }
    for (let call = atProvider[back]; call !== undefined; call = atProvider[back]) {
      if ((call.heldAt ?? 0) + PROVIDER_MS > time) break
      back += 1
      room.enterFirst({ call, isSettlement: true })
    }
    now = time
  }
  while (came < coming.length || room.size() > 0 || back < atProvider.length) {
    if (now > EMPTY_MS) throw new Error('The room does not become empty.')
    const { batch, late } = room.next()
    for (const { call } of late) call.isShed = true
    if (batch.length === 0) {
      arriveUntil(now + 1)
      continue
    }
    const from = now
    arriveUntil(now + BATCH_MS + batch.length * ITEM_MS)
    room.learn(batch.length, now - from)
    for (const { call, isSettlement } of batch) {
      if (isSettlement) call.answeredAt = now
      else {
        call.heldAt = now
        atProvider.push(call)
      }
    }
  }
}

const answered = (calls: readonly Call[]) => calls.filter(call => call.answeredAt !== undefined)
/** Answered calls a second, while calls came. */
const throughput = (calls: readonly Call[]) =>
  answered(calls).filter(call => (call.answeredAt ?? 0) <= SECONDS * 1_000).length / SECONDS
const p99 = (calls: readonly Call[]) => {
  const latencies = answered(calls).map(({ at, answeredAt = 0 }) => answeredAt - at)
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0
}

describe('the admission queue in virtual time', () => {
  test.for([
    [2, 'one owner', 1],
    [10, 'one owner', 1],
    [2, 'a hundred owners', 100],
    [10, 'a hundred owners', 100],
    [2, 'ten thousand owners', 10_000],
  ] as const)('sustains throughput and bounds waits at %d times capacity from %s', ([times, , owners]) => {
    const calls = crowd(owners, times * CAPACITY)
    run(calls)
    expect(throughput(calls)).toBeGreaterThan(0.9 * CAPACITY)
    const latecomers = answered(calls).filter(({ at }) => at > LEARNT_BY_MS)
    // Batches in flight are not part of the estimate.
    const waits = latecomers.map(({ at, heldAt = 0 }) => heldAt - at)
    expect(waits.toSorted((a, b) => a - b).at(-1)).toBeLessThan(1.2 * WAIT_MS_MAX)
    expect(p99(latecomers)).toBeLessThan(1.3 * WAIT_MS_MAX)
    expect(calls.every(call => (call.isShed === true) === (call.answeredAt === undefined))).toBe(true)
  })

  test('sheds no calls below saturation', () => {
    const calls = crowd(100, 0.9 * CAPACITY)
    run(calls)
    expect(answered(calls)).toHaveLength(calls.length)
  })

  test('keeps the p99 beside one busy owner within 20% of that beside many owners with the same load', () => {
    const beside = (load: Call[]) => {
      const quiet = arrivals('quiet', QUIET)
      run([...load, ...quiet])
      expect(answered(quiet)).toHaveLength(quiet.length)
      return p99(quiet)
    }
    for (const times of [1.2, 2, 10]) {
      const besideCrowd = beside(crowd(100, times * CAPACITY))
      expect(beside(crowd(1, times * CAPACITY))).toBeLessThan(1.2 * besideCrowd)
    }
  })

  test('delays a quiet owner by at most two full batches, however busy another owner is', () => {
    const quiet = arrivals('quiet', QUIET)
    const hot = crowd(1, 10 * CAPACITY)
    run([...hot, ...quiet])
    const fullBatchMs = BATCH_MS + (256 + 512) * ITEM_MS
    for (const { at, heldAt = Number.POSITIVE_INFINITY } of quiet) {
      expect(heldAt - at).toBeLessThanOrEqual(2 * fullBatchMs)
    }
  })
})
