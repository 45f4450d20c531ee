import { DAYS_SHOWN, type MarketAnswer, type MarketQuery } from '@farebox/wire/market'
import type { Deps } from '../../../ports.ts'
import { trueMsOf } from '../pricing/price-notice-rules.ts'
import { type Catalogue, EVERYTHING } from './catalogue.ts'
import { presentFound } from './listing-present.ts'
import { readListed, readRatings } from './listing-store.ts'
import { daysOf } from './market-rules.ts'
import { readDaysOfCalls } from './rating-store.ts'

/**
 * Returns a page of the market, for people: callable services with their statistics.
 *
 * @returns JSON text
 * @throws GatewayError UNAVAILABLE
 */
export async function searchMarket(
  deps: Pick<Deps, 'db' | 'clock'> & { readonly catalogue: Catalogue },
  query: MarketQuery,
): Promise<string> {
  const { catalogue, db, clock } = deps
  const { page, pageSize, q = '', tag = '', kind = null } = query
  const text = q.trim()
  const found = await catalogue.find({
    text,
    filter: {
      ...EVERYTHING,
      tags: tag.trim() === '' ? [] : [tag.trim()],
      kind,
      owner: query.provider ?? null,
      maxCallPrice: query.maxPricePerCallUsdc ?? null,
      maxInputPrice: query.maxInputPricePer1M ?? null,
      maxOutputPrice: query.maxOutputPricePer1M ?? null,
      minContextTokens: query.minContextLength === 0 ? null : query.minContextLength,
    },
    sort: query.sort ?? (text === '' ? 'newest' : 'best_match'),
  })
  return catalogue.page(found, `market ${page} ${pageSize}`, async () => {
    const ids = found.ids.slice((page - 1) * pageSize, page * pageSize)
    const [listed, ratings, days] = await Promise.all([
      readListed(db, ids),
      readRatings(db, ids),
      readDaysOfCalls(db, ids, DAYS_SHOWN),
    ])
    const answer: MarketAnswer = {
      status: 'success',
      pagination: { page, pageSize, total: found.ids.length },
      services: listed.map(row => ({
        ...presentFound(row, ratings.get(row.id)),
        days: daysOf(days.get(row.id) ?? [], clock.now(), DAYS_SHOWN),
      })),
    }
    return { json: JSON.stringify(answer), isWhole: listed.length === ids.length, trueMs: trueMsOf(listed) }
  })
}
