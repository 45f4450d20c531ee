import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'

const OWNER = '0x1'
const unavailable = () => new GatewayError('UNAVAILABLE')

/** A group commit with a manual clock, and items of one owner. */
function createGroup<Item, Outcome>(options: {
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>
  tooLate?: () => Outcome
  elapsed?: () => number
  lanes?: number
}): GroupCommit<Item, Outcome> & { add(item: Item): Promise<Outcome> } {
  const group = createGroupCommit<Item, Outcome>({
    lanes: 1,
    room: { placesMax: 10_000, waitMsMax: 1_000 },
    tooLate: () => {
      throw new Error('Nothing can be late.')
    },
    elapsed: () => 0,
    ...options,
  })
  return { ...group, add: item => group.submit(item, OWNER) }
}

/** Lets one batch of a group begin and keeps it until it is opened. */
function createGate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>(done => {
    open = done
  })
  return { opened, open: () => open() }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    expect(turns).toBeLessThan(1_000)
    await new Promise(done => setImmediate(done))
  }
}

describe('group commit', () => {
  test('collects items that arrive during a batch into the next one', async () => {
    const batches: number[][] = []
    const gate = createGate()
    const group = createGroup<number, number>({
      async run(items) {
        batches.push([...items])
        if (batches.length === 1) await gate.opened
        return items.map(item => item * 2)
      },
    })
    const first = group.add(1)
    await until(() => batches.length > 0)
    const later = [2, 3, 4].map(item => group.add(item))
    gate.open()
    expect(await Promise.all([first, ...later])).toEqual([2, 4, 6, 8])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  test('rejects only the item that cannot be written', async () => {
    const group = createGroup<number, number>({
      run: async items => {
        if (items.includes(13)) throw new Error('unlucky')
        return [...items]
      },
    })
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => group.add(index)))
    const failed = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [index] : []))
    expect(failed).toEqual([13])
  })

  test('retries the same batch once after a lost connection', async () => {
    const tries: number[][] = []
    const group = createGroup<number, string>({
      run: async items => {
        tries.push([...items])
        if (tries.length === 1) throw unavailable()
        return items.map(() => 'done')
      },
    })
    expect(await Promise.all([group.add(1), group.add(2)])).toEqual(['done', 'done'])
    expect(tries).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('rejects every item after one retry if the connection stays down', async () => {
    let tries = 0
    const group = createGroup<number, string>({
      run: async () => {
        tries += 1
        throw unavailable()
      },
    })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(item => group.add(item)))
    expect(outcomes.every(outcome => outcome.status === 'rejected')).toBe(true)
    expect(tries).toBe(2)
  })

  test('takes at most 256 queued items per batch', async () => {
    const sizes: number[] = []
    const group = createGroup<number, number>({
      run: async items => {
        sizes.push(items.length)
        return [...items]
      },
    })
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => group.add(index)))
    expect(Math.max(...sizes)).toBe(256)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200)
  })

  test('resolves idle once all accepted items are done, even after failures', async () => {
    const group = createGroup<number, number>({
      lanes: 2,
      run: async items => (items.includes(1) ? Promise.reject(new Error('no')) : [...items]),
    })
    const outcomes = Promise.allSettled([0, 1, 2].map(item => group.add(item)))
    await group.idle()
    expect((await outcomes).map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await group.idle()
  })

  test('puts a priority item first in the next batch, however many items are queued', async () => {
    const batches: string[][] = []
    const gate = createGate()
    const group = createGroup<string, string>({
      async run(items) {
        batches.push([...items])
        if (batches.length === 1) await gate.opened
        return [...items]
      },
    })
    const waiting = [group.add('running')]
    await until(() => batches.length > 0)
    waiting.push(...Array.from({ length: 2_000 }, (_, index) => group.add(`hold ${index}`)))
    waiting.push(group.submitFirst('settlement'), group.submit('other', '0x2'))
    gate.open()
    await Promise.all(waiting)
    expect(batches[1]?.slice(0, 3)).toEqual(['settlement', 'hold 0', 'other'])
  })

  test('drops items that waited too long without delaying the others', async () => {
    let now = 0
    const batches: string[][] = []
    const gate = createGate()
    const group = createGroup<string, string>({
      elapsed: () => now,
      tooLate: () => 'late',
      async run(items) {
        batches.push([...items])
        if (batches.length === 1) await gate.opened
        return items.map(() => 'done')
      },
    })
    const first = group.add('running')
    await until(() => batches.length > 0)
    const late = Array.from({ length: 600 }, (_, index) => group.add(`late ${index}`))
    const settlement = group.submitFirst('settlement')
    now = 4_001
    const fresh = group.add('fresh')
    gate.open()
    expect(await Promise.all([first, fresh, settlement])).toEqual(['done', 'done', 'done'])
    expect(new Set(await Promise.all(late))).toEqual(new Set(['late']))
    expect(batches).toEqual([['running'], ['settlement', 'fresh']])
    await group.idle()
  })

  test('refuses an owner while its queue is too long, and admits it once it is shorter', async () => {
    let now = 0
    const opens: (() => void)[] = []
    const group = createGroup<number, number>({
      elapsed: () => now,
      run: items => new Promise(done => opens.push(() => done([...items]))),
    })
    const endBatch = async () => {
      const batches = opens.length
      opens.at(-1)?.()
      await until(() => opens.length > batches || group.waiting() === 0)
    }
    const waiting = [group.add(0)]
    await until(() => opens.length > 0)
    // The only batch so far takes two seconds: three of them would be ahead.
    now += 2_000
    waiting.push(...Array.from({ length: 1_100 }, (_, index) => group.add(index)))
    expect(group.refusalOf(OWNER)).toBeNull()
    await endBatch()
    expect(group.refusalOf(OWNER)).toMatchObject({ reason: 'wait', waitMs: 6_000 })
    expect(group.refusalOf('0x2')).toBeNull()
    while (group.waiting() >= 256) await endBatch()
    expect(group.refusalOf(OWNER)).toBeNull()
    while (group.waiting() > 0) await endBatch()
    opens.at(-1)?.()
    expect(await Promise.all(waiting)).toHaveLength(1_101)
  })
})
