import { describe, expect, test } from 'vitest'
import { readScrape } from '../../test/kit/gateway/prometheus.ts'
import { silent } from '../../test/kit/silent-log.ts'
import { instruments } from '../telemetry/instruments.ts'
import { createMetrics } from './metrics.ts'

const LATE_MS = 2_000

describe('a scrape', () => {
  test('has every metric of the table with its type, and the process metrics', async () => {
    const { types, has } = readScrape(await createMetrics(silent).scrape())
    for (const [name, { type }] of Object.entries(instruments)) expect(types.get(name)).toBe(type)
    expect(has('process_cpu_seconds_total')).toBe(true)
    expect(has('nodejs_eventloop_lag_p99_seconds')).toBe(true)
  })

  test('starts counters without labels at zero, and omits gauges until they are set', async () => {
    const metrics = createMetrics(silent)
    const { has, value } = readScrape(await metrics.scrape())
    expect(has('farebox_failovers_total')).toBe(true)
    expect(has('farebox_holds_open')).toBe(false)
    metrics.shift('farebox_streams_open', {}, 1)
    metrics.shift('farebox_streams_open', {}, 1)
    metrics.shift('farebox_streams_open', {}, -1)
    const next = readScrape(await metrics.scrape())
    expect(next.value('farebox_streams_open')).toBe(1)
    metrics.clear('farebox_streams_open')
    expect(readScrape(await metrics.scrape()).has('farebox_streams_open')).toBe(false)
    expect(value('farebox_failovers_total')).toBe(0)
  })

  test('starts a counter at zero for each label of the table, so that its first event is an increase', async () => {
    const { has, value } = readScrape(await createMetrics(silent).scrape())
    for (const outcome of ['error', 'interrupted', 'failed_retryable'])
      expect(has('farebox_calls_total', { kind: 'metered', outcome })).toBe(true)
    expect(has('farebox_settlements_total', { from: 'processing', status: 'failed_final' })).toBe(true)
    expect(has('farebox_http_requests_total')).toBe(false)
    expect(value('farebox_calls_total')).toBe(0)
  })

  test('adds an observation to its bucket, sum and count', async () => {
    const metrics = createMetrics(silent)
    for (const items of [1, 3, 3, 700]) metrics.observe('farebox_batch_items', {}, items)
    const { value } = readScrape(await metrics.scrape())
    expect(value('farebox_batch_items_bucket', { le: '1' })).toBe(1)
    expect(value('farebox_batch_items_bucket', { le: '4' })).toBe(3)
    expect(value('farebox_batch_items_bucket', { le: '512' })).toBe(3)
    expect(value('farebox_batch_items_bucket', { le: '+Inf' })).toBe(4)
    expect(value('farebox_batch_items_sum')).toBe(707)
    expect(value('farebox_batch_items_count')).toBe(4)
  })

  test('counts two gateways of one process separately', async () => {
    const [one, other] = [createMetrics(silent), createMetrics(silent)]
    one.count('farebox_failovers_total', {}, 5)
    expect(readScrape(await one.scrape()).value('farebox_failovers_total')).toBe(5)
    expect(readScrape(await other.scrape()).value('farebox_failovers_total')).toBe(0)
  })
})

describe('readings for a scrape', () => {
  const reading = (value: number) => [{ gauge: 'farebox_probes_due', labels: {}, value }] as const

  test('omits the gauges of a failed reading, logs it, and keeps the others', async () => {
    const metrics = createMetrics(silent)
    let isBroken = false
    metrics.sample({
      name: 'probes',
      gauges: ['farebox_probes_due'],
      goodForMs: 0,
      read: () => (isBroken ? Promise.reject(new Error('The database is away.')) : reading(3)),
    })
    metrics.sample({
      name: 'holds',
      gauges: ['farebox_holds_open'],
      goodForMs: 0,
      read: () => [{ gauge: 'farebox_holds_open', labels: {}, value: 7 }],
    })
    expect(readScrape(await metrics.scrape()).value('farebox_probes_due')).toBe(3)
    isBroken = true
    const { has, value } = readScrape(await metrics.scrape())
    expect(has('farebox_probes_due')).toBe(false)
    expect(value('farebox_sample_up', { sample: 'probes' })).toBe(0)
    expect(value('farebox_sample_up', { sample: 'holds' })).toBe(1)
    expect(value('farebox_holds_open')).toBe(7)
    isBroken = false
    expect(readScrape(await metrics.scrape()).value('farebox_probes_due')).toBe(3)
  })

  test('stops waiting for a reading that hangs, and starts no second one meanwhile', async () => {
    const metrics = createMetrics(silent)
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof reading>>()
    let asked = 0
    metrics.sample({
      name: 'probes',
      gauges: ['farebox_probes_due'],
      goodForMs: 0,
      read() {
        asked += 1
        return promise
      },
    })
    const from = performance.now()
    const scrapes = await Promise.all([metrics.scrape(), metrics.scrape(), metrics.scrape()])
    expect(performance.now() - from).toBeLessThan(2 * LATE_MS)
    for (const text of scrapes) {
      expect(readScrape(text).value('farebox_sample_up', { sample: 'probes' })).toBe(0)
    }
    expect(asked).toBe(1)
    resolve(reading(4))
    expect(readScrape(await metrics.scrape()).value('farebox_probes_due')).toBe(4)
  })

  test('reads once per TTL, however many scrapes come', async () => {
    const metrics = createMetrics(silent)
    let asked = 0
    metrics.sample({
      name: 'probes',
      gauges: ['farebox_probes_due'],
      goodForMs: 60_000,
      read() {
        asked += 1
        return reading(asked)
      },
    })
    for (let scrapes = 0; scrapes < 5; scrapes += 1) {
      expect(readScrape(await metrics.scrape()).value('farebox_probes_due')).toBe(1)
    }
    expect(asked).toBe(1)
  })
})

test('the median of a histogram lies in its bucket, over all labels', async () => {
  const metrics = createMetrics(silent)
  expect(await metrics.median('farebox_call_overhead_seconds')).toBeNull()
  for (const seconds of [0.001, 0.002, 0.003])
    metrics.observe('farebox_call_overhead_seconds', { kind: 'fixed' }, seconds)
  for (const seconds of [0.002, 0.9])
    metrics.observe('farebox_call_overhead_seconds', { kind: 'metered' }, seconds)
  const median = await metrics.median('farebox_call_overhead_seconds')
  expect(median).toBeGreaterThan(0.001)
  expect(median).toBeLessThanOrEqual(0.003)
})
