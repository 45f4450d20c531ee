import { formatUsdc, usdc } from '@farebox/money'
import { EXCERPT_LENGTH_MAX, type FoundService } from '@farebox/wire/discovery'
import type { ServiceSummary } from '@farebox/wire/services'
import { presentSummary } from '../present.ts'
import type { ListedRating, ListedRow } from './listing-store.ts'
import { roundThroughput } from './rating-rules.ts'

const SUCCESS_RATE_DIGITS = 4

/** Returns a service for lists: its summary, with a shortened description. */
export function presentListed(row: ListedRow): ServiceSummary {
  return presentSummary({ ...row, description: excerptOf(row.description) })
}

/** Returns a service for search results. */
export function presentFound(row: ListedRow, rating: ListedRating | undefined): FoundService {
  const latencyMs = rating?.latencyMs ?? null
  return {
    ...presentListed(row),
    typicalPriceUsdc: formatUsdc(usdc(row.typicalPrice)),
    successRate: rating === undefined ? null : Number(rating.successRate.toFixed(SUCCESS_RATE_DIGITS)),
    latencyMs: latencyMs === null ? null : Math.round(latencyMs),
    tokensPerSecond: roundThroughput(rating?.tokensPerSecond ?? null),
  }
}

function excerptOf(text: string): string {
  if (text.length <= EXCERPT_LENGTH_MAX) return text
  // Half of a surrogate pair is not a character.
  return `${text.slice(0, EXCERPT_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
