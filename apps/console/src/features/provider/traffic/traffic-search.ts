import { type PeriodSearch, readPeriodSearch } from '../../../ui/charts/periods.ts'

const ID = /^[A-Za-z0-9_-]{1,64}$/

/** Search parameters of the traffic page. */
export type TrafficSearch = PeriodSearch & { readonly service?: string }

/** Parses search parameters; invalid values are ignored. */
export function readTrafficSearch(given: Record<string, unknown>): TrafficSearch {
  const { service } = given
  return { ...readPeriodSearch(given), ...(typeof service === 'string' && ID.test(service) && { service }) }
}
