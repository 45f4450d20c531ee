import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAdmissionQueue, type RoomBounds } from './admission-queue.ts'

type Item = { readonly owner: string | null; readonly number: number }

const ROOM: RoomBounds = { placesMax: 1_000, waitMsMax: 1_000 }
const IN_TURN_MAX = 256
const FIRST_MAX = 512
/** More than any room has places, and more batches than any needs to be empty. */
const NEVER = 25_000

function createRoom(bounds: RoomBounds = ROOM) {
  const room = createAdmissionQueue<Item>(bounds, { elapsed: () => 0 })
  let made = 0
  const next = (owner: string | null): Item => {
    made += 1
    return { owner, number: made }
  }
  return {
    ...room,
    /** Lets an owner's items in until one is refused; how many came in. */
    fill(owner: string, count = NEVER): number {
      let entered = 0
      while (entered < count && room.refusalOf(owner) === null) {
        room.enter(owner, next(owner))
        entered += 1
      }
      return entered
    },
    fillFirst(count: number): void {
      for (let index = 0; index < count; index += 1) room.enterFirst(next(null))
    },
    /** All batches that are left, as counts by owner. */
    drain(): Map<string | null, number>[] {
      const batches: Map<string | null, number>[] = []
      while (room.size() > 0 && batches.length < NEVER) {
        const counts = new Map<string | null, number>()
        for (const { owner } of room.next().batch) counts.set(owner, (counts.get(owner) ?? 0) + 1)
        batches.push(counts)
      }
      return batches
    },
  }
}

describe('room', () => {
  test('limits one owner to half of the places and still admits the next owner', () => {
    const room = createRoom()
    expect(room.fill('hot')).toBe(500)
    expect(room.refusalOf('hot')).toMatchObject({ reason: 'room' })
    expect(room.fill('cold', 1)).toBe(1)
  })

  test('is shared equally by owners that all want everything, with one more share left free', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), count => {
        const room = createRoom()
        const owners = Array.from({ length: count }, (_, index) => String(index))
        const entered = new Map(owners.map(owner => [owner, 0]))
        for (let round = 0, isMore = true; isMore && round <= ROOM.placesMax; round += 1) {
          isMore = false
          for (const owner of owners) {
            const more = room.fill(owner, 1)
            entered.set(owner, (entered.get(owner) ?? 0) + more)
            isMore ||= more > 0
          }
        }
        const shares = [...entered.values()]
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
        expect(ROOM.placesMax - room.waiting()).toBeGreaterThanOrEqual(Math.max(...shares) - 1)
      }),
    )
  })

  test('is never exceeded, whichever owners arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 60 }), owners => {
        const room = createRoom({ placesMax: 20, waitMsMax: 1_000 })
        for (const owner of owners) room.fill(owner, 1)
        expect(room.waiting()).toBeLessThanOrEqual(20)
      }),
    )
  })

  test('neither limits priority items nor is used by them', () => {
    const room = createRoom()
    room.fillFirst(5_000)
    expect(room.refusalOf('cold')).toBeNull()
    expect(room.fill('hot')).toBe(500)
  })
})

describe('a batch', () => {
  test('starts with the priority items', () => {
    const room = createRoom()
    room.fill('hot', 3)
    room.fillFirst(2)
    expect(room.next().batch.map(({ owner }) => owner)).toEqual([null, null, 'hot', 'hot', 'hot'])
  })

  test('takes priority items until they reach 4 MiB, at least one, and leaves the rest to the next batch', () => {
    const room = createAdmissionQueue<{ readonly bytes: number }>(ROOM, {
      elapsed: () => 0,
      bytesOf: ({ bytes }) => bytes,
    })
    for (const mebibytes of [2, 2, 2, 5, 1]) room.enterFirst({ bytes: mebibytes * 1_048_576 })
    room.enter('owner', { bytes: 0 })
    const sizes = () => room.next().batch.map(({ bytes }) => bytes / 1_048_576)
    expect([sizes(), sizes(), sizes(), sizes()]).toEqual([[2, 2, 0], [2, 5], [1], []])
  })

  test('has places for both priority and queued items, each up to its own limit', () => {
    const room = createRoom({ placesMax: 10_000, waitMsMax: 1_000 })
    room.fillFirst(FIRST_MAX + 1)
    room.fill('hot', IN_TURN_MAX + 1)
    expect(room.drain()).toEqual([
      new Map<string | null, number>([
        [null, FIRST_MAX],
        ['hot', IN_TURN_MAX],
      ]),
      new Map<string | null, number>([
        [null, 1],
        ['hot', 1],
      ]),
    ])
  })

  test('includes every owner that arrives behind a long queue of another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 100 }), (hot, others) => {
        const room = createRoom({ placesMax: 20_000, waitMsMax: 1_000 })
        room.fill('hot', hot)
        for (let other = 0; other < others; other += 1) room.fill(`other ${other}`, 1)
        const [first] = room.drain()
        for (let other = 0; other < others; other += 1) expect(first?.get(`other ${other}`)).toBe(1)
      }),
    )
  })
})

describe('a queued item', () => {
  /** Calls the queue once at a time; `waited` are the queueing times that it reports. */
  function clockedRoom() {
    const waited: number[] = []
    let now = 0
    const room = createAdmissionQueue<Item>(
      { placesMax: 10_000, waitMsMax: 10 },
      { elapsed: () => now, onTurn: ms => waited.push(ms) },
    )
    return { room, waited, pass: (ms: number) => (now += ms) }
  }

  test('reports its queueing time when its turn comes', () => {
    const { room, waited, pass } = clockedRoom()
    room.enterFirst({ owner: null, number: 0 })
    room.enter('a', { owner: 'a', number: 1 })
    pass(3)
    room.enter('b', { owner: 'b', number: 2 })
    pass(4)
    room.next()
    expect(waited).toEqual([7, 4])
  })

  test('is dropped after more than 4 x `waitMsMax`, and takes no place in the batch', () => {
    const { room, waited, pass } = clockedRoom()
    const late = Array.from({ length: IN_TURN_MAX }, (_, number) => ({ owner: `late ${number}`, number }))
    for (const item of late) room.enter(item.owner, item)
    pass(1)
    const timely = { owner: 'timely', number: 0 }
    room.enter('timely', timely)
    pass(40)
    expect(room.next()).toEqual({ batch: [timely], late })
    expect(waited).toHaveLength(IN_TURN_MAX + 1)
    expect([room.size(), room.waiting()]).toEqual([0, 0])
  })

  test('counts as waiting unless it has priority', () => {
    const { room } = clockedRoom()
    expect(room.next()).toEqual({ batch: [], late: [] })
    room.enterFirst({ owner: null, number: 0 })
    room.enter('a', { owner: 'a', number: 1 })
    expect([room.size(), room.waiting()]).toEqual([2, 1])
  })
})

describe('admission by expected wait', () => {
  /** Batches that take so long that one of them ahead is too many. */
  const slow = (bounds?: RoomBounds) => {
    const room = createRoom(bounds)
    for (let batch = 0; batch < 50; batch += 1) room.learn(512, 1_001)
    return room
  }

  test('refuses an owner with a long queue, returns the expected wait, and admits others', () => {
    const room = slow()
    expect(room.fill('hot')).toBe(IN_TURN_MAX)
    const refusal = room.refusalOf('hot')
    expect(refusal?.reason).toBe('wait')
    expect(Math.round(refusal?.waitMs ?? 0)).toBe(1_001)
    expect(room.fill('cold', 1)).toBe(1)
  })

  test('counts at most one item of each other owner ahead of each own item', () => {
    const room = slow()
    room.fill('other', 200)
    expect(room.fill('hot')).toBe(IN_TURN_MAX / 2)
  })

  test('admits an owner whose expected wait equals the maximum', () => {
    const waiting = (waitMsMax: number) => {
      const room = slow({ placesMax: 10_000, waitMsMax })
      room.fill('hot', IN_TURN_MAX)
      return room
    }
    const { waitMs } = waiting(0).refusalOf('hot') ?? { waitMs: 0 }
    expect(waitMs).toBeGreaterThan(1_000)
    expect(waiting(waitMs).refusalOf('hot')).toBeNull()
  })

  test('refuses a new owner once as many owners are queued as a batch has places', () => {
    const room = slow()
    for (let owner = 0; owner < IN_TURN_MAX; owner += 1) expect(room.fill(String(owner), 1)).toBe(1)
    expect(room.refusalOf('one more')).toMatchObject({ reason: 'wait' })
  })

  test('admits any owner when the queue is empty, however slow the batches are', () => {
    const room = slow()
    for (let batch = 0; batch < 50; batch += 1) room.learn(512, 60_000)
    expect(room.refusalOf('anyone')).toBeNull()
  })

  test('adapts within ten batches when they become fast again', () => {
    const room = slow({ placesMax: 10_000, waitMsMax: 1_000 })
    room.fill('hot')
    for (let batch = 0; batch < 10; batch += 1) room.learn(512, 10)
    expect(room.refusalOf('hot')).toBeNull()
  })

  test('never underestimates the wait while no other items arrive', () => {
    const queues = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(queues, lengths => {
        const room = createRoom({ placesMax: 100_000, waitMsMax: 0.5 })
        for (const [owner, length] of lengths.entries()) room.fill(String(owner), length)
        for (let batch = 0; batch < 200; batch += 1) room.learn(512, 1)
        const expected = Math.round(room.refusalOf('0')?.waitMs ?? 0)
        const newcomer = { owner: '0', number: 0 }
        room.enter('0', newcomer)
        let batches = 0
        while (batches <= expected && !room.next().batch.includes(newcomer)) batches += 1
        expect(batches).toBeLessThanOrEqual(expected)
      }),
    )
  })
})
