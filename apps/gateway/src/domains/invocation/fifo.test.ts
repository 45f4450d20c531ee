import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFifo } from './fifo.ts'

test('whatever is pushed and taken, the oldest comes first, and its size is what waits', () => {
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

test('an empty one has nothing to give, also once something was in it', () => {
  const fifo = createFifo<string>()
  expect(fifo.shift()).toBeUndefined()
  fifo.push('a')
  fifo.push('b')
  expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.size()]).toEqual(['a', 'b', undefined, 0])
})
