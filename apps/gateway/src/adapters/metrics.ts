import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Figure, Log, Metrics } from '../ports.ts'
import { within } from '../runtime/within.ts'
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type Instrument,
  instruments,
  type LabelsOf,
} from '../telemetry/instruments.ts'
import { type CheapHistogram, createHistogram } from './histogram.ts'

/** Sampling interval of the event loop delay, in ms: each sample wakes an idle gateway. */
const EVENT_LOOP_LOOK_MS = 100
/** Timeout for values read at a scrape, in ms; later ones are left out. */
const SCRAPE_WAIT_MS = 2_000

/** A value read for a scrape. */
export type Reading = {
  [Name in GaugeName]: { readonly gauge: Name; readonly labels: LabelsOf<Name>; readonly value: number }
}[GaugeName]

/** A source of values that is read at scrapes. */
export type Sample = {
  /** Label of `farebox_sample_up`. */
  readonly name: string
  /** Gauges that it sets; left out of scrapes in which it failed. */
  readonly gauges: readonly GaugeName[]
  /** TTL of a reading, in ms. */
  readonly goodForMs: number
  readonly read: () => Promise<readonly Reading[]> | readonly Reading[]
}

/** Metrics of one gateway, and their scrape. */
export type MetricsRegistry = Metrics & {
  /** Reads this source at every scrape. */
  sample(sample: Sample): void
  /** Returns the median of a histogram over all labels, as exact as its buckets; null before the first value. */
  median(name: HistogramName): Promise<number | null>
  /** Returns all values of some counters and gauges. Never fails: unreadable ones are left out. */
  figures(names: readonly string[]): Promise<readonly Figure[]>
  /** Returns all metrics in the text format of Prometheus. Never fails: unreadable ones are left out. */
  scrape(): Promise<string>
}

/** Content type of {@link MetricsRegistry.scrape}. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** Metrics of the process: memory, event loop, garbage collection. */
let ofProcess: Registry | null = null

function processRegistry(): Registry {
  if (ofProcess === null) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: EVENT_LOOP_LOOK_MS })
  }
  return ofProcess
}

/**
 * Creates all instruments of the table. Gauges are absent until set. Counters start at zero for all labels that the
 * table lists: Prometheus sees no increase in the first value of a series.
 */
export function createMetrics(log: Log): MetricsRegistry {
  const registry = new Registry()
  const { counters, gauges, histograms } = make(registry)
  const samples: { run: () => Promise<void> }[] = []

  const clear = (name: GaugeName) => {
    gauges[name].reset()
    if (Object.keys(instruments[name].labels).length === 0) gauges[name].remove({})
  }
  for (const name of Object.keys(gauges) as GaugeName[]) clear(name)
  for (const [name, { labels }] of Object.entries<Instrument>(instruments))
    if (name in counters) for (const each of combine(labels)) counters[name as CounterName].inc(each, 0)

  return {
    count: (name, labels, by = 1) => counters[name].inc(labels, by),
    observe: (name, labels, value) => histograms[name].observe(labels, value),
    set: (name, labels, value) => gauges[name].set(labels, value),
    shift: (name, labels, by) => gauges[name].inc(labels, by),
    clear,
    time: () => performance.now() / 1_000,
    sample(sample) {
      const up = (value: 0 | 1) => gauges.farebox_sample_up.set({ sample: sample.name }, value)
      const read = async (): Promise<void> => {
        try {
          const readings = await sample.read()
          for (const name of sample.gauges) clear(name)
          for (const { gauge, labels, value } of readings) gauges[gauge].set(labels, value)
          up(1)
        } catch (error) {
          for (const name of sample.gauges) clear(name)
          up(0)
          log.debug({ sample: sample.name, err: error }, 'a sample for the metrics failed')
        }
      }
      samples.push({
        run: keptFor(sample.goodForMs, read, () => {
          for (const name of sample.gauges) clear(name)
          up(0)
        }),
      })
    },
    async median(name) {
      const buckets = histograms[name].samples().filter(({ metricName }) => metricName.endsWith('_bucket'))
      return medianOf(
        buckets.map(({ labels, value }) => ({
          upTo: labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
          count: value,
        })),
      )
    },
    async figures(names) {
      await Promise.all(samples.map(({ run }) => run()))
      const metrics = await Promise.all(names.map(name => registry.getSingleMetric(name)?.get()))
      return metrics.flatMap(metric =>
        metric === undefined
          ? []
          : metric.values.map(({ labels, value }) => ({ name: metric.name, labels, value })),
      )
    },
    async scrape() {
      await Promise.all(samples.map(({ run }) => run()))
      const texts = await Promise.all([registry.metrics(), processRegistry().metrics()])
      return texts.join('')
    },
  }
}

/** Returns each combination of label values; none if a label has values that the table does not list. */
function combine(labels: Instrument['labels']): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) =>
      typeof values === 'string' ? [] : all.flatMap(one => values.map(value => ({ ...one, [label]: value }))),
    [{}],
  )
}

/** @param buckets cumulative, of one or more histograms with the same bounds */
function medianOf(buckets: readonly { readonly upTo: number; readonly count: number }[]): number | null {
  const counts = new Map<number, number>()
  for (const { upTo, count } of buckets) counts.set(upTo, (counts.get(upTo) ?? 0) + count)
  const bounds = [...counts].sort(([a], [b]) => a - b)
  const half = (bounds.at(-1)?.[1] ?? 0) / 2
  if (half === 0) return null
  let [from, below] = [0, 0]
  for (const [upTo, count] of bounds) {
    if (count >= half) {
      if (upTo === Number.POSITIVE_INFINITY) return from
      return from + ((upTo - from) * (half - below)) / (count - below)
    }
    ;[from, below] = [upTo, count]
  }
  return from
}

/** Shares a reading among scrapes for a while, with a timeout; one reading at a time. */
function keptFor(goodForMs: number, read: () => Promise<void>, onLate: () => void): () => Promise<void> {
  let inFlight: Promise<void> | null = null
  let readAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (inFlight === null) {
      if (performance.now() - readAt < goodForMs) return
      inFlight = read().finally(() => {
        readAt = performance.now()
        inFlight = null
      })
    }
    if ((await within(SCRAPE_WAIT_MS, inFlight)) === 'late') onLate()
  }
}

type Made = {
  counters: Record<CounterName, Counter>
  gauges: Record<GaugeName, Gauge>
  histograms: Record<HistogramName, CheapHistogram>
}

function make(registry: Registry): Made {
  const made: { [Kind in keyof Made]: Record<string, Made[Kind][keyof Made[Kind]]> } = {
    counters: {},
    gauges: {},
    histograms: {},
  }
  for (const [name, instrument] of Object.entries<Instrument>(instruments)) {
    const common = {
      name,
      help: instrument.help,
      labelNames: Object.keys(instrument.labels),
      registers: [registry],
    }
    if (instrument.type === 'histogram')
      made.histograms[name] = createHistogram(registry, { ...common, buckets: instrument.buckets })
    else if (instrument.type === 'gauge') made.gauges[name] = new Gauge(common)
    else made.counters[name] = new Counter(common)
  }
  return made as Made
}
