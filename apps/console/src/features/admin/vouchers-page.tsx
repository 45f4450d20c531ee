import type { AnswerOf } from '@farebox/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Ticket } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { Meter } from '../../ui/feedback/steps.tsx'
import { Card, PageHead } from '../../ui/layout/page.tsx'
import { Segments } from '../../ui/layout/segments.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { usePages } from '../../ui/tables/use-pages.ts'
import { Address, Id } from '../../ui/values/address.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import type { VouchersSearch } from './admin-search.ts'
import { heads } from './heads.ts'
import { CodesDialog, type Made, VoucherForm } from './voucher-form.tsx'

type Voucher = AnswerOf<'listVouchers'>['vouchers'][number]

const states: Record<Voucher['status'], { readonly label: string; readonly tone: Tone }> = {
  active: { label: 'Active', tone: 'good' },
  used_up: { label: 'Used up', tone: 'neutral' },
  expired: { label: 'Expired', tone: 'neutral' },
}
const shown = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'used_up', label: 'Used up' },
  { value: 'expired', label: 'Expired' },
] as const
const columns: readonly Column<Voucher>[] = [
  {
    id: 'voucher',
    head: 'Voucher',
    cell: ({ voucherId, status }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Id value={voucherId} />
        <Badge tone={states[status].tone}>{states[status].label}</Badge>
      </span>
    ),
  },
  {
    id: 'used',
    head: 'Redeemed',
    className: 'w-40',
    cell: ({ redemptions, maxRedemptions }) => (
      <span className="flex flex-col gap-1">
        <span className="tabular whitespace-nowrap">
          {formatCount(redemptions)} of {formatCount(maxRedemptions)}
        </span>
        <Meter isProgress value={redemptions / maxRedemptions} label="Redeemed" />
      </span>
    ),
  },
  { id: 'expires', head: 'Expires', isExtra: true, cell: ({ expiresAt }) => <TimeAgo iso={expiresAt} /> },
  {
    id: 'by',
    head: 'Created by',
    isExtra: true,
    cell: ({ createdBy }) => <Address value={createdBy} hasCopy={false} />,
  },
  {
    id: 'amount',
    head: 'Amount',
    amount: ({ amountUsdc }) => amountUsdc,
  },
]

/** All vouchers with their redemptions. */
export function VouchersPage() {
  const { status } = useSearch({ strict: false }) as VouchersSearch
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const list = usePages(['admin', 'vouchers', status ?? 'all'], (query, signal) =>
    api.listVouchers({ query: { ...query, ...(status !== undefined && { status }) }, signal }),
  )
  const make = (
    <Button variant="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setMaking(true)}>
      Create vouchers
    </Button>
  )
  return (
    <>
      <PageHead {...heads['/admin/vouchers']} actions={make} />
      <div className="mb-3">
        <Segments
          label="Show"
          options={shown}
          value={status ?? 'all'}
          onChange={value =>
            navigate({
              to: '/admin/vouchers' as string,
              search: (value === 'all' ? {} : { status: value }) as never,
              replace: true,
            })
          }
        />
      </div>
      <Card isFlush>
        <Table
          label="Vouchers"
          columns={columns}
          rows={list.data?.pages.flatMap(({ vouchers }) => vouchers)}
          rowKey={({ voucherId }) => voucherId}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState icon={<Ticket />} title={status === undefined ? 'No vouchers yet' : 'No matches'}>
              {status === undefined
                ? 'Use them to let new users try services or to compensate someone.'
                : 'No vouchers are in this state.'}
            </EmptyState>
          }
        />
        <LoadMore list={list} />
      </Card>
      {isMaking && (
        <VoucherForm
          onClose={() => setMaking(false)}
          onMade={vouchers => {
            setMaking(false)
            setMade(vouchers)
          }}
        />
      )}
      {made !== null && <CodesDialog made={made} onClose={() => setMade(null)} />}
    </>
  )
}
