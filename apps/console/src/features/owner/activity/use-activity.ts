import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api.ts'
import { useNames } from '../use-names.ts'
import { type Activity, type ActivitySearch, type Grouping, periodOf, queriesOf } from './activity-search.ts'

const REFRESH_MS = 30_000

/** Reads the sums of the period of the address, with those of the period before. */
export function useActivity(search: ActivitySearch) {
  const by = search.by ?? 'service'
  return useQuery({
    queryKey: ['calls', 'activity', search],
    async queryFn({ signal }) {
      const now = Date.now()
      const period = periodOf(search, now)
      const { current, before } = queriesOf(period, by, now)
      const [sums, earlier] = await Promise.all([
        api.readSpending({ query: current, signal }),
        api.readSpending({ query: before, signal }),
      ])
      return { period, by, sums, before: earlier.total }
    },
    refetchInterval: REFRESH_MS,
    placeholderData: before => before,
  })
}

/** Result of {@link useActivity} once loaded. */
export type ActivityData = NonNullable<ReturnType<typeof useActivity>['data']>

/** Returns a function from the key of a series to its name. */
export function useSeriesName(by: Grouping): (key: string | null) => string {
  const names = useNames()
  return key => {
    if (key === null) return by === 'model' ? 'Other services' : 'Others'
    if (by === 'service') return names.service(key)
    return by === 'credential' ? names.credential(key) : key
  }
}

/** Returns the filter of the list of calls for a series. */
export function filterOf(by: Grouping, key: string | null): Record<string, string> {
  return key === null ? {} : { [by]: key }
}

type Sums = Activity['series'][number]['points'][number]

/** Returns input and output tokens together. */
export const tokensOf = ({ inputTokens, outputTokens }: Pick<Sums, 'inputTokens' | 'outputTokens'>) =>
  inputTokens + outputTokens
