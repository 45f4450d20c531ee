import { createHash } from 'node:crypto'
import type { RegistryAnswer, RegistryQuery } from '@farebox/wire/discovery'
import type { Deps } from '../../../ports.ts'
import { trueMsOf } from '../pricing/price-notice-rules.ts'
import { type Catalogue, EVERYTHING } from './catalogue.ts'
import { presentListed } from './listing-present.ts'
import { readListed } from './listing-store.ts'

/**
 * Returns a page of the public registry: services that can be called now, best match first; without a text, newest
 * first. Each service is on exactly one page unless the list changes.
 *
 * @returns JSON text, and a strong entity tag of it (RFC 9110, 8.8.3)
 * @throws GatewayError UNAVAILABLE
 */
export async function readRegistry(
  deps: Pick<Deps, 'db'> & { readonly catalogue: Catalogue },
  query: RegistryQuery,
): Promise<{ json: string; etag: string }> {
  const { catalogue, db } = deps
  const { page, pageSize, q = '', tag = '' } = query
  const text = q.trim()
  const filter = { ...EVERYTHING, tags: tag.trim() === '' ? [] : [tag.trim()] }
  const found = await catalogue.find({ text, filter, sort: text === '' ? 'newest' : 'best_match' })
  const asked = JSON.stringify({ q, tag, page, pageSize })
  const json = await catalogue.page(found, `registry ${asked}`, async () => {
    const total = found.ids.length
    const totalPages = Math.ceil(total / pageSize)
    const ids = found.ids.slice((page - 1) * pageSize, page * pageSize)
    const listed = await readListed(db, ids)
    const answer: RegistryAnswer = {
      status: 'success',
      query: { q, tag, page, pageSize },
      pagination: {
        page,
        pageSize,
        total,
        totalPages,
        hasNextPage: page < totalPages,
        hasPreviousPage: page > 1,
      },
      services: listed.map(presentListed),
    }
    return { json: JSON.stringify(answer), isWhole: listed.length === ids.length, trueMs: trueMsOf(listed) }
  })
  return { json, etag: `"${createHash('sha256').update(json).digest('base64url')}"` }
}
