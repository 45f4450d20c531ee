import { useSyncExternalStore } from 'react'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const REFRESH_MS = 20_000

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all relative times of the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, REFRESH_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Returns the time that all relative times of the page are shown for, up to {@link REFRESH_MS} old. It must not change
 * between rendering and subscribing: React renders each of them again then, all in one task.
 */
function readNow(): number {
  if (timer === undefined && Date.now() - now > REFRESH_MS) now = Date.now()
  return now
}

/** `3 min. ago`, `in 2 days`. Differences below a minute are `just now`, because clocks differ. */
function formatRelative(iso: string, at: number): string {
  const seconds = (Date.parse(iso) - at) / 1_000
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 0]
  return length === 0 ? 'just now' : relative.format(Math.trunc(seconds / length), unit)
}

/** Formats a time to the second in the reader's time zone. */
export function formatTime(iso: string): string {
  return exact.format(new Date(iso))
}

/** `21 Nov 2026`, UTC. */
export function formatDay(iso: string): string {
  return new Date(iso).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
}

/** A relative time, with the exact time as tooltip. */
export function TimeAgo({ iso }: { iso: string }) {
  // The text, not the time: of thousands, only those that read differently are rendered again.
  const read = () => formatRelative(iso, readNow())
  const text = useSyncExternalStore(subscribe, read, read)
  return (
    <time dateTime={iso} title={formatTime(iso)} className="whitespace-nowrap">
      {text}
    </time>
  )
}
