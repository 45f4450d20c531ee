import { describe, expect, test } from 'vitest'
import { cached, createFlights } from './cached.ts'

const MAX_AGE_MS = 1_000

function fixture() {
  let now = 0
  const readings: PromiseWithResolvers<string>[] = []
  const start = () => {
    const reading = Promise.withResolvers<string>()
    readings.push(reading)
    return reading.promise
  }
  return {
    readings,
    start,
    read: cached({ elapsed: () => now }, MAX_AGE_MS, start),
    pass(ms: number) {
      now += ms
    },
  }
}

describe('a cached value', () => {
  test('is read once for all callers within its TTL', async () => {
    const { read, readings, pass } = fixture()
    const first = read()
    pass(MAX_AGE_MS - 1)
    expect(read()).toBe(first)
    readings[0]?.resolve('first')
    expect(await read()).toBe('first')
    expect(readings).toHaveLength(1)
  })

  test('is read again after its TTL', async () => {
    const { read, readings, pass } = fixture()
    read()
    pass(MAX_AGE_MS)
    const second = read()
    readings[1]?.resolve('second')
    expect(await second).toBe('second')
  })

  test('is read again after a failure, but not when an older read fails', async () => {
    const { read, readings, pass } = fixture()
    const first = read()
    pass(MAX_AGE_MS)
    const second = read()
    readings[0]?.reject(new Error('lost'))
    await expect(first).rejects.toThrow('lost')
    expect(read()).toBe(second)
    readings[1]?.reject(new Error('lost again'))
    await expect(second).rejects.toThrow('lost again')
    expect(read()).not.toBe(second)
  })
})

describe('work in flight', () => {
  test('is shared by key until it ends', async () => {
    const { readings, start } = fixture()
    const flights = createFlights<string, string>()
    const first = flights.join('a', start)
    expect(flights.join('a', start)).toBe(first)
    expect(flights.join('b', start)).not.toBe(first)
    readings[0]?.resolve('done')
    await first
    expect(flights.join('a', start)).not.toBe(first)
    expect(readings).toHaveLength(3)
  })

  test('is not joined once forgotten, and its end does not affect newer work', async () => {
    const { readings, start } = fixture()
    const flights = createFlights<string, string>()
    const first = flights.join('a', start)
    flights.forget()
    const second = flights.join('a', start)
    expect(second).not.toBe(first)
    readings[0]?.resolve('stale')
    await first
    expect(flights.join('a', start)).toBe(second)
  })
})
