/** Times further away are shown as dates: `next mo.` does not say when a credential expires. */
const RELATIVE_MAX_SECONDS = 7 * 86_400
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const dated = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

/**
 * `3 min. ago`, `in 2 days`, from a week on `Nov 21, 2026`. Differences below a minute are `just now`, because clocks
 * differ.
 *
 * @param at the present, in ms
 */
export function formatRelative(iso: string, at: number): string {
  const seconds = (Date.parse(iso) - at) / 1_000
  if (Math.abs(seconds) >= RELATIVE_MAX_SECONDS) return dated.format(new Date(iso))
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 0]
  return length === 0 ? 'just now' : relative.format(Math.trunc(seconds / length), unit)
}

/** Formats a time to the second in the reader's time zone. */
export function formatTime(iso: string): string {
  return exact.format(new Date(iso))
}

/** `Nov 21, 2026`, UTC. */
export function formatDay(iso: string): string {
  return new Date(iso).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
}
