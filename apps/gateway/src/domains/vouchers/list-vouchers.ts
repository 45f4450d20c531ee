import type { VoucherOut, VoucherStatus } from '@farebox/wire/vouchers'
import { keyOfCursor, type Page, pageOf } from '../../http/paging.ts'
import type { Queryable } from '../../ports.ts'
import { presentVoucher } from './present.ts'
import { readVouchers } from './store.ts'

/**
 * Lists vouchers, newest first, without their codes.
 *
 * @param query.status only those in this status
 * @throws GatewayError INVALID_REQUEST for an invalid cursor
 */
export async function listVouchers(
  db: Queryable,
  query: { status: VoucherStatus | undefined; limit: number; cursor: string | undefined },
): Promise<Page<VoucherOut>> {
  const { status, limit, cursor } = query
  const rows = await readVouchers(db, { status, before: keyOfCursor(cursor, /^vch_/), limit: limit + 1 })
  const page = pageOf(rows, limit, row => row.id)
  return { ...page, items: page.items.map(presentVoucher) }
}
