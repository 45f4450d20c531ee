import { clsx } from 'clsx'
import { formatMs, formatThroughput } from './format-measures.ts'
import { formatShare } from './shares.ts'

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

/** `37.5 tokens/s`. */
export function Throughput({ tokensPerSecond }: { tokensPerSecond: number | null }) {
  if (tokensPerSecond === null) return <Unknown />
  return <span className="tabular whitespace-nowrap">{formatThroughput(tokensPerSecond)}</span>
}

function Unknown() {
  return (
    <span className="text-faint" title="Too few calls">
      –
    </span>
  )
}
