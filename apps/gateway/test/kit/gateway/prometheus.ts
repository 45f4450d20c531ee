/** One line of a scrape. */
export type Series = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A parsed scrape. */
export type Scrape = {
  readonly series: readonly Series[]
  /** Type of each metric by name, from its TYPE line. */
  readonly types: ReadonlyMap<string, string>
  /** Returns the sum of the series with this name and these labels; 0 if there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number
  has(name: string, labels?: Readonly<Record<string, string>>): boolean
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y

/**
 * Parses the text format of Prometheus, version 0.0.4, strictly.
 *
 * @throws Error at a malformed line, a series without a TYPE or a duplicate series
 */
export function readScrape(text: string): Scrape {
  const types = new Map<string, string>()
  const series: Series[] = []
  const seen = new Set<string>()
  if (!text.endsWith('\n')) throw new Error('The last line does not end.')
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue
    if (line.startsWith('# TYPE ')) {
      const [name = '', type = ''] = line.slice('# TYPE '.length).split(' ')
      if (types.has(name)) throw new Error(`${name} has two TYPE lines.`)
      types.set(name, type)
      continue
    }
    const [, name = '', labelText = '', valueText = ''] = LINE.exec(line) ?? []
    if (name === '') throw new Error(`This is no line of a scrape: ${line}`)
    const metric = types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '')
    if (!types.has(metric)) throw new Error(`${name} has no TYPE.`)
    const key = `${name}{${labelText}}`
    if (seen.has(key)) throw new Error(`${key} is there twice.`)
    seen.add(key)
    series.push({ name, labels: readLabels(labelText), value: readValue(valueText) })
  }
  const find = (name: string, labels: Readonly<Record<string, string>>) =>
    series.filter(
      one =>
        one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    )
  return {
    series,
    types,
    value: (name, labels = {}) => find(name, labels).reduce((sum, { value }) => sum + value, 0),
    has: (name, labels = {}) => find(name, labels).length > 0,
  }
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex
    const [, name, value] = LABEL.exec(text) ?? []
    if (name === undefined || value === undefined) throw new Error(`No labels: ${text.slice(at)}`)
    labels[name] = value
  }
  return labels
}

function readValue(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  // A summary without observations; Prometheus ignores the case.
  if (/^nan$/i.test(text)) return Number.NaN
  const value = Number(text)
  if (Number.isNaN(value)) throw new Error(`No value: ${text}`)
  return value
}

/** Reads the metrics of a gateway. */
export async function scrape(gateway: { readonly url: string }, token?: string): Promise<Scrape> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(`${gateway.url}/metrics`, { headers })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`No metrics: ${answer.status} ${text}`)
  return readScrape(text)
}
