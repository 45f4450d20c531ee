import type { InputOf } from '@farebox/client'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Options of the status filter. */
export const callStates = [
  { value: 'all', label: 'Any state' },
  { value: 'SUCCEEDED', label: 'Succeeded' },
  { value: 'PENDING', label: 'Running' },
  { value: 'PROCESSING', label: 'Awaiting usage' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'FAILED_RETRYABLE', label: 'Failed, may succeed later' },
  { value: 'FAILED_FINAL', label: 'Failed permanently' },
] as const
/** Options of the time filter. */
export const callSpans = [
  { value: 'all', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
  { value: 'custom', label: 'From … to …' },
] as const

export type CallState = Exclude<(typeof callStates)[number]['value'], 'all'>
export type CallSpan = Exclude<(typeof callSpans)[number]['value'], 'all'>

/**
 * Search parameters of the page. `from` and `to` are days (`2026-11-21`, both included) in the reader's time zone, or
 * hours (`2026-11-21T14:00Z`, `to` excluded).
 */
export type CallsSearch = {
  readonly service?: string
  readonly credential?: string
  /** Name of a model. */
  readonly model?: string
  readonly state?: CallState
  readonly time?: CallSpan
  readonly from?: string
  readonly to?: string
}

const ID = /^[A-Za-z0-9_-]{1,64}$/
const DAY = /^\d{4}-\d\d-\d\d(T\d\d:00Z)?$/
const MODEL = /^[\w.:/-]{1,100}$/
const spans: Readonly<Record<string, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
}

export function readCallsSearch(search: Record<string, unknown>): CallsSearch {
  const text = (name: string, pattern: RegExp) => {
    const value = search[name]
    return typeof value === 'string' && pattern.test(value) ? value : undefined
  }
  const service = text('service', ID)
  const credential = text('credential', ID)
  const model = text('model', MODEL)
  const state = callStates.find(({ value }) => value !== 'all' && value === search.state)?.value
  const time = callSpans.find(({ value }) => value !== 'all' && value === search.time)?.value
  const [from, to] = time === 'custom' ? [text('from', DAY), text('to', DAY)] : []
  return {
    ...(service !== undefined && { service }),
    ...(credential !== undefined && { credential }),
    ...(model !== undefined && { model }),
    ...(state !== undefined && { state: state as CallState }),
    ...(time !== undefined && { time: time as CallSpan }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

/** Returns true for an hour of UTC, as links from charts have them. */
export const isHour = (time: string | undefined) => time?.includes('T') === true

/** Returns midnight of a day in the reader's time zone, or an hour as it is; undefined for an invalid one. */
function startOf(day: string | undefined, daysLater = 0): string | undefined {
  if (day === undefined) return undefined
  const date = new Date(isHour(day) ? day : `${day}T00:00:00`)
  if (Number.isNaN(date.getTime())) return undefined
  if (isHour(day)) return date.toISOString()
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}

/** Converts the filters to the gateway's query, at `now` (unix ms). */
export function queryOf(search: CallsSearch, now: number): NonNullable<InputOf<'listUsage'>['query']> {
  const { service, credential, model, state, time } = search
  const span = spans[time ?? '']
  const from = span === undefined ? startOf(search.from) : new Date(now - span).toISOString()
  const to = startOf(search.to, 1)
  return {
    ...(service !== undefined && { serviceId: service }),
    ...(credential !== undefined && { credentialId: credential }),
    ...(model !== undefined && { model }),
    ...(state !== undefined && { status: state }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}
