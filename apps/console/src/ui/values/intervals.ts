/** Period after which a cap resets. */
export type Interval = 'never' | 'hourly' | 'daily' | 'weekly' | 'monthly'

export const intervals: readonly { readonly value: Interval; readonly label: string }[] = [
  { value: 'never', label: 'in total' },
  { value: 'hourly', label: 'per hour' },
  { value: 'daily', label: 'per day' },
  { value: 'weekly', label: 'per week' },
  { value: 'monthly', label: 'per month' },
]

/** Returns the label of an interval: `per day`, `in total`. */
export function intervalLabel(interval: Interval): string {
  return intervals.find(({ value }) => value === interval)?.label ?? interval
}
