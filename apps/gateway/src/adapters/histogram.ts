import type { Histogram, Registry } from 'prom-client'

type Labels = Readonly<Record<string, string>>
type Cell = { readonly labels: Labels; readonly counts: number[]; sum: number; count: number }

/** A line of a scrape; buckets are cumulative. */
type Sample = {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** A histogram of one registry. */
export type CheapHistogram = {
  observe(labels: Labels, value: number): void
  samples(): Sample[]
}

/**
 * Registers a histogram that prom-client can export and that is cheap to observe: prom-client's own uses the bounds as
 * property names, and converts a number to text twice per value, 2 to 3 us. A paid call observes four.
 *
 * @param options.labelNames labels of every observation
 * @param options.buckets    upper bounds, ascending
 */
export function createHistogram(
  registry: Registry,
  options: { name: string; help: string; labelNames: readonly string[]; buckets: readonly number[] },
): CheapHistogram {
  const { name, help, labelNames, buckets } = options
  const cells = new Map<string, Cell>()
  const [first = '', ...more] = labelNames
  // Most have one label, whose value needs no joining.
  const keyOf = (labels: Labels) =>
    more.length === 0 ? (labels[first] ?? '') : labelNames.map(label => labels[label]).join('\n')

  const cellOf = (labels: Labels): Cell => {
    const key = keyOf(labels)
    const known = cells.get(key)
    if (known !== undefined) return known
    const cell = {
      labels: { ...labels },
      counts: Array<number>(buckets.length + 1).fill(0),
      sum: 0,
      count: 0,
    }
    cells.set(key, cell)
    return cell
  }
  // Without labels it exists from the start, at zero.
  if (labelNames.length === 0) cellOf({})

  const samples = () => [...cells.values()].flatMap(cell => samplesOf(name, buckets, cell))
  const metric = {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: samples() }),
  }
  // A registry uses only the name and `get` of a metric.
  registry.registerMetric(metric as unknown as Histogram)

  return {
    observe(labels, value) {
      const cell = cellOf(labels)
      let bucket = 0
      while (bucket < buckets.length && value > (buckets[bucket] ?? 0)) bucket += 1
      cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1
      cell.sum += value
      cell.count += 1
    },
    samples,
  }
}

function samplesOf(name: string, buckets: readonly number[], { labels, counts, sum, count }: Cell): Sample[] {
  let below = 0
  const lines = [...buckets, '+Inf'].map((le, index) => {
    below += counts[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
  })
  return [
    ...lines,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
