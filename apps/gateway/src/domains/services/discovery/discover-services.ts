import type { Deps } from '../../../ports.ts'
import { trueMsOf } from '../pricing/price-notice-rules.ts'
import { type Catalogue, EVERYTHING } from './catalogue.ts'
import { presentListed } from './listing-present.ts'
import { readListed } from './listing-store.ts'

/**
 * Returns services that can be called now: active, with a healthy target. Best match first; without a text, newest
 * first.
 *
 * @param query.text free text over names, descriptions and tags; no wildcards
 * @returns JSON text of an array of summaries
 * @throws GatewayError UNAVAILABLE
 */
export async function discoverServices(
  deps: Pick<Deps, 'db'> & { readonly catalogue: Catalogue },
  query: { text: string; limit: number },
): Promise<string> {
  const { catalogue, db } = deps
  const text = query.text.trim()
  const sort = text === '' ? 'newest' : 'best_match'
  const found = await catalogue.find({ text, filter: EVERYTHING, sort })
  const ids = found.ids.slice(0, query.limit)
  return catalogue.page(found, `discover ${ids.length}`, async () => {
    const listed = await readListed(db, ids)
    return {
      json: JSON.stringify(listed.map(presentListed)),
      isWhole: listed.length === ids.length,
      trueMs: trueMsOf(listed),
    }
  })
}
