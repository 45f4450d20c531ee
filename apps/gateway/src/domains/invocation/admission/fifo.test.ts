import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../../../test/kit/heap.ts'
import { createFifo } from './fifo.ts'

test('returns items oldest first and reports how many are queued', () => {
  const steps = fc.array(fc.oneof(fc.string(), fc.constant(null)), { maxLength: 100 })
  fc.assert(
    fc.property(steps, taken => {
      const fifo = createFifo<string>()
      const waiting: string[] = []
      for (const item of taken) {
        if (item === null) expect(fifo.shift()).toBe(waiting.shift())
        else {
          fifo.push(item)
          waiting.push(item)
        }
        expect(fifo.size()).toBe(waiting.length)
      }
    }),
  )
})

test('returns undefined when empty, initially and after the last item was taken', () => {
  const fifo = createFifo<string>()
  expect(fifo.shift()).toBeUndefined()
  fifo.push('a')
  fifo.push('b')
  expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.size()]).toEqual(['a', 'b', undefined, 0])
})

test('discards taken items once they are half of the array', async () => {
  const fifo = createFifo<{ readonly number: number }>()
  const items = Array.from({ length: 4 }, (_, number) => {
    const item = { number }
    fifo.push(item)
    return new WeakRef(item)
  })
  /** Items that are still referenced. */
  const held = async () => {
    await setImmediate()
    collectGarbage()
    return items.flatMap(item => item.deref()?.number ?? [])
  }
  expect(await held()).toEqual([0, 1, 2, 3])
  const take = () => fifo.shift()?.number
  expect([take(), take()]).toEqual([0, 1])
  expect(await held()).toEqual([2, 3])
  expect(take()).toBe(2)
  expect(await held()).toEqual([3])
})
