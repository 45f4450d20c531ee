import { GatewayError } from '@farebox/wire/errors'

/** One page of a list with keyset paging; `nextCursor` is null on the last page. */
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null }

/**
 * Cuts a page from rows that were read with one more than the limit.
 *
 * @param rows  at most `limit + 1` rows in list order
 * @param keyOf returns the key after which the next page continues
 */
export function pageOf<Item>(
  rows: readonly Item[],
  limit: number,
  keyOf: (item: Item) => string,
): Page<Item> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { items, nextCursor: hasMore ? cursorOf(keyOf(last)) : null }
}

/** Returns the cursor of the page after a key. */
export function cursorOf(key: string): string {
  return Buffer.from(key).toString('base64url')
}

/**
 * Returns the key in a cursor, or null for the first page.
 *
 * @param keys matches the keys of the list
 * @throws GatewayError INVALID_REQUEST for an invalid cursor, also for one of a list with other keys
 */
export function keyOfCursor(cursor: string | undefined, keys: RegExp): string | null {
  if (cursor === undefined) return null
  const key = Buffer.from(cursor, 'base64url').toString('utf8')
  const isOurs = /^[\x21-\x7e]{1,200}$/.test(key) && Buffer.from(key).toString('base64url') === cursor
  if (!isOurs) throw invalid('The cursor is not valid.')
  if (!keys.test(key)) throw invalid('The cursor belongs to another list.')
  return key
}

const invalid = (message: string) => new GatewayError('INVALID_REQUEST', {}, { message })
