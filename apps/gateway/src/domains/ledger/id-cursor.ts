import { keyOfCursor } from '../../http/paging.ts'

/**
 * Returns the id in the cursor of a list ordered by id; null for the first page.
 *
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export function idOfCursor(cursor: string | undefined): bigint | null {
  const key = keyOfCursor(cursor, /^\d{1,18}$/)
  return key === null ? null : BigInt(key)
}
