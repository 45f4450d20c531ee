import { GatewayError } from '@farebox/wire/errors'
import { describe, expect, test } from 'vitest'
import { createGroupCommit } from './group-commit.ts'

const unavailable = () => new GatewayError('UNAVAILABLE')

describe('group commit', () => {
  test('what arrives while a batch runs goes together in the next one', async () => {
    const batches: number[][] = []
    let open: () => void = () => undefined
    const gate = new Promise<void>(done => {
      open = done
    })
    const group = createGroupCommit<number, number>({
      lanes: 1,
      async run(items) {
        batches.push([...items])
        if (batches.length === 1) await gate
        return items.map(item => item * 2)
      },
    })
    const first = group.submit(1)
    while (batches.length === 0) await new Promise(done => setImmediate(done))
    const later = [2, 3, 4].map(item => group.submit(item))
    open()
    expect(await Promise.all([first, ...later])).toEqual([2, 4, 6, 8])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  test('an item that cannot be written fails alone', async () => {
    const group = createGroupCommit<number, number>({
      lanes: 1,
      run: async items => {
        if (items.includes(13)) throw new Error('unlucky')
        return [...items]
      },
    })
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => group.submit(index)))
    const failed = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [index] : []))
    expect(failed).toEqual([13])
  })

  test('after a lost connection the same batch is tried once more, as it is', async () => {
    const tries: number[][] = []
    const group = createGroupCommit<number, string>({
      lanes: 1,
      run: async items => {
        tries.push([...items])
        if (tries.length === 1) throw unavailable()
        return items.map(() => 'done')
      },
    })
    expect(await Promise.all([group.submit(1), group.submit(2)])).toEqual(['done', 'done'])
    expect(tries).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('a connection that stays away fails everybody and is not hammered', async () => {
    let tries = 0
    const group = createGroupCommit<number, string>({
      lanes: 1,
      run: async () => {
        tries += 1
        throw unavailable()
      },
    })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(item => group.submit(item)))
    expect(outcomes.every(outcome => outcome.status === 'rejected')).toBe(true)
    expect(tries).toBe(2)
  })

  test('a batch holds at most 512 items', async () => {
    const sizes: number[] = []
    const group = createGroupCommit<number, number>({
      lanes: 1,
      run: async items => {
        sizes.push(items.length)
        return [...items]
      },
    })
    await Promise.all(Array.from({ length: 1_200 }, (_, index) => group.submit(index)))
    expect(Math.max(...sizes)).toBe(512)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200)
  })

  test('idle resolves once all that was taken is done, also after failures', async () => {
    const group = createGroupCommit<number, number>({
      lanes: 2,
      run: async items => (items.includes(1) ? Promise.reject(new Error('no')) : [...items]),
    })
    const outcomes = Promise.allSettled([0, 1, 2].map(item => group.submit(item)))
    await group.idle()
    expect((await outcomes).map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await group.idle()
  })
})
