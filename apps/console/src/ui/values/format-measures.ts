/** `120 ms` or `1.4 s`. */
export function formatMs(ms: number): string {
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms * 10) / 10} ms`
}

/** `1,204.5 tokens/s`. */
export const formatThroughput = (tokensPerSecond: number) =>
  `${formatCount(Math.round(tokensPerSecond * 10) / 10)} tokens/s`

/** Formats a time limit: `45 s`, `10 min`. */
export function formatLimit(ms: number): string {
  const seconds = ms / 1_000
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** ` · 900 read from a cache, 100 written to it`: the cached part of the input of a call; empty if there is none. */
export function describeCached(usage: { cacheReadTokens?: number; cacheWriteTokens?: number }): string {
  const { cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage
  const parts = [
    ...(read > 0 ? [`${formatCount(read)} read from a cache`] : []),
    ...(written > 0 ? [`${formatCount(written)} written to ${read > 0 ? 'it' : 'a cache'}`] : []),
  ]
  return parts.length === 0 ? '' : ` · ${parts.join(', ')}`
}

/** `1,204,311`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}
