import { useSyncExternalStore } from 'react'
import { formatRelative, formatTime } from './format-time.ts'

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
