import { clsx } from 'clsx'

/** `98.4%` in its colour; a dash when there are too few calls. */
export function SuccessRate({ rate }: { rate: number | null }) {
  if (rate === null) return <Unknown />
  const tone = rate >= 0.99 ? 'text-accent' : rate >= 0.95 ? 'text-warn' : 'text-danger'
  return <span className={clsx('tabular font-medium whitespace-nowrap', tone)}>{formatShare(rate)}</span>
}

/** `120 ms` or `1.4 s`. */
export function Latency({ ms }: { ms: number | null }) {
  if (ms === null) return <Unknown />
  return <span className="tabular whitespace-nowrap">{formatMs(ms)}</span>
}

function Unknown() {
  return (
    <span className="text-faint" title="Too few calls to tell">
      –
    </span>
  )
}

export function formatMs(ms: number): string {
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms * 10) / 10} ms`
}

/** Formats a share from 0 to 1 as a percentage, rounded down so that only 1 shows 100%. */
export function formatShare(share: number): string {
  const percent = Math.floor(share * 1_000) / 10
  return `${percent}%`
}

/** `1,204,311`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}
