import { GatewayError } from '@farebox/wire/errors'
import { keyOfCursor } from '../../http/paging.ts'

/**
 * The number inside the cursor of a list that goes by numbers; null for the first page.
 *
 * @throws GatewayError INVALID_REQUEST for a cursor that is not one of ours
 */
export function idOfCursor(cursor: string | undefined): bigint | null {
  const key = keyOfCursor(cursor)
  if (key !== null && !/^\d{1,18}$/.test(key)) {
    throw new GatewayError('INVALID_REQUEST', {}, { message: 'The cursor is not one of ours.' })
  }
  return key === null ? null : BigInt(key)
}
