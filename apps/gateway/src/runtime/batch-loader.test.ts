import { describe, expect, test } from 'vitest'
import { createBatchLoader } from './batch-loader.ts'

/** A loader with manually completed reads; a value is its key in upper case, and `none` has no value. */
function heldLoader(bounds: { keysMax: number; readsMax: number }) {
  const reads: { keys: readonly string[]; end: (error?: Error) => void }[] = []
  const load = createBatchLoader<string, string>(
    keys =>
      new Promise((resolve, reject) => {
        const found = keys.filter(key => key !== 'none').map(key => [key, key.toUpperCase()] as const)
        reads.push({ keys, end: error => (error === undefined ? resolve(new Map(found)) : reject(error)) })
      }),
    bounds,
  )
  return { load, reads, keys: () => reads.map(read => read.keys) }
}

const turn = () => new Promise<void>(done => void setImmediate(done))

describe('a batch loader', () => {
  test('reads the keys of one turn in one batch and returns each its own value', async () => {
    const { load, reads, keys } = heldLoader({ keysMax: 10, readsMax: 2 })
    const values = Promise.all([load('a'), load('none'), load('b')])
    await turn()
    expect(keys()).toEqual([['a', 'none', 'b']])
    reads[0]?.end()
    expect(await values).toEqual(['A', undefined, 'B'])
  })

  test('reads a repeated key again, even while the first read is in flight', async () => {
    const { load, keys } = heldLoader({ keysMax: 10, readsMax: 2 })
    void load('a')
    await turn()
    void load('a')
    await turn()
    expect(keys()).toEqual([['a'], ['a']])
  })

  test('queues keys past its limit of reads, and reads them together once one ends', async () => {
    const { load, reads, keys } = heldLoader({ keysMax: 10, readsMax: 1 })
    const first = load('a')
    await turn()
    const later = Promise.all([load('b'), load('c')])
    await turn()
    expect(keys()).toEqual([['a']])
    reads[0]?.end()
    expect(await first).toBe('A')
    await turn()
    expect(keys()).toEqual([['a'], ['b', 'c']])
    reads[1]?.end()
    expect(await later).toEqual(['B', 'C'])
  })

  test('splits batches above the size limit', async () => {
    const { load, keys } = heldLoader({ keysMax: 2, readsMax: 2 })
    for (const key of ['a', 'b', 'c']) void load(key)
    await turn()
    expect(keys()).toEqual([['a', 'b'], ['c']])
  })

  test('fails the keys of a failed read only', async () => {
    const { load, reads } = heldLoader({ keysMax: 1, readsMax: 2 })
    const [first, second] = [load('a'), load('b')]
    await turn()
    reads[0]?.end(new Error('gone'))
    reads[1]?.end()
    await expect(first).rejects.toThrow('gone')
    expect(await second).toBe('B')
    const third = load('c')
    await turn()
    reads[2]?.end()
    expect(await third).toBe('C')
  })
})
