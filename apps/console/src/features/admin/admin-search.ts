import { readText } from '../../ui/state/search.ts'

// Search parameters of the admin pages. Invalid values are ignored.

type Given = Readonly<Record<string, unknown>>

const WITHDRAWALS = ['all', 'APPROVED_AUTO', 'APPROVED_MANUAL', 'COMPLETED', 'CANCELLED', 'REJECTED'] as const
const VOUCHERS = ['active', 'used_up', 'expired'] as const

/** Filters withdrawals by status; by default, those waiting for a review. */
export type ReviewSearch = { readonly status?: (typeof WITHDRAWALS)[number] }

export function readReviewSearch({ status }: Given): ReviewSearch {
  const known = WITHDRAWALS.find(each => each === status)
  return known === undefined ? {} : { status: known }
}

/** Filters tasks; open ones by default. */
export type SupportSearch = { readonly status?: 'closed'; readonly open?: string | undefined }

export function readSupportSearch({ status, open }: Given): SupportSearch {
  return { ...(status === 'closed' && { status }), open: readText(open) }
}

export type TopicsSearch = { readonly q?: string | undefined; readonly open?: string | undefined }

export const readTopicsSearch = ({ q, open }: Given): TopicsSearch => ({
  q: readText(q),
  open: readText(open),
})

export type VouchersSearch = { readonly status?: (typeof VOUCHERS)[number] }

export function readVouchersSearch({ status }: Given): VouchersSearch {
  const known = VOUCHERS.find(each => each === status)
  return known === undefined ? {} : { status: known }
}

export type AuditSearch = {
  readonly action?: string | undefined
  readonly target?: string | undefined
  readonly open?: string | undefined
}

export const readAuditSearch = ({ action, target, open }: Given): AuditSearch => ({
  action: readText(action),
  target: readText(target),
  open: readText(open),
})
