import { useNavigate, useSearch } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/feedback/states.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Card, PageHead } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { everyOnFirstPage, usePages } from '../../ui/tables/use-pages.ts'
import { Address, Id } from '../../ui/values/address.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import type { ReviewSearch } from './admin-search.ts'
import { heads } from './heads.ts'
import { ReviewDialog } from './review-dialog.tsx'
import { causes, isFirst, states, type Withdrawal } from './review-labels.ts'

type Decision = 'approve' | 'reject'

const POLL_INTERVAL_MS = 10_000
const shown = [
  { value: 'PENDING_REVIEW', label: 'Waiting for review' },
  { value: 'all', label: 'All withdrawals' },
  { value: 'APPROVED_AUTO', label: 'Approved by rule' },
  { value: 'APPROVED_MANUAL', label: 'Approved by an admin' },
  { value: 'COMPLETED', label: 'Paid out' },
  { value: 'CANCELLED', label: 'Expired' },
  { value: 'REJECTED', label: 'Rejected' },
] as const

/** Withdrawals that wait for a review, and all others. */
export function ReviewPage() {
  const { status = 'PENDING_REVIEW' } = useSearch({ strict: false }) as {
    status?: NonNullable<ReviewSearch['status']> | 'PENDING_REVIEW'
  }
  const navigate = useNavigate()
  const [asked, ask] = useState<{ withdrawal: Withdrawal; decision: Decision } | null>(null)
  // Of a queue, the oldest first: nobody waits behind those who came later.
  const isQueue = status === 'PENDING_REVIEW'
  const list = usePages(
    ['admin', 'withdrawals', status],
    (query, signal) =>
      api.listAllWithdrawals({
        query: { ...query, ...(status !== 'all' && { status }), order: isQueue ? 'oldest' : 'newest' },
        signal,
      }),
    { refetchInterval: everyOnFirstPage(POLL_INTERVAL_MS) },
  )
  return (
    <>
      <PageHead
        {...heads['/admin']}
        actions={
          <Select
            label="Show"
            size="sm"
            className="w-48"
            options={shown}
            value={status}
            onChange={value =>
              navigate({
                to: '/admin',
                search: (value === 'PENDING_REVIEW' ? {} : { status: value }) as never,
                replace: true,
              })
            }
          />
        }
      />
      <Card isFlush>
        <Table
          label="Withdrawals"
          columns={columnsFor((withdrawal, decision) => ask({ withdrawal, decision }))}
          rows={list.data?.pages.flatMap(({ withdrawals }) => withdrawals)}
          rowKey={({ withdrawalId }) => withdrawalId}
          error={list.error}
          onRetry={list.refetch}
          empty={
            <EmptyState icon={<Inbox />} title={isQueue ? 'Nothing to review' : 'No withdrawals'}>
              {isQueue
                ? 'Withdrawals that are not approved automatically appear here.'
                : 'No withdrawals are in this state.'}
            </EmptyState>
          }
        />
        <LoadMore list={list} />
      </Card>
      {asked !== null && <ReviewDialog {...asked} onClose={() => ask(null)} />}
    </>
  )
}

function columnsFor(
  ask: (withdrawal: Withdrawal, decision: Decision) => void,
): readonly Column<Withdrawal>[] {
  return [
    {
      id: 'amount',
      head: 'Amount',
      className: 'font-medium md:w-32',
      amount: ({ amountUsdc }) => amountUsdc,
    },
    {
      id: 'vouchers',
      head: 'From vouchers',
      isExtra: true,
      className: 'w-36',
      amount: ({ promotionalUsdc }) => promotionalUsdc,
    },
    {
      id: 'provider',
      head: 'Provider',
      cell: withdrawal => (
        // On phones the dialog of the decision copies and opens the address: the buttons need the room.
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 max-md:[&_a]:hidden max-md:[&_button]:hidden">
          <Address value={withdrawal.ownerAddress} />
          {isFirst(withdrawal) && <Badge tone="warn">First payment</Badge>}
        </span>
      ),
    },
    {
      id: 'why',
      head: 'Review reason',
      isExtra: true,
      cell: ({ reviewCauses }) => (
        <span className="flex flex-wrap gap-1">
          {reviewCauses.map(cause => (
            <span key={cause} title={causes[cause].sentence}>
              <Badge>{causes[cause].label}</Badge>
            </span>
          ))}
        </span>
      ),
    },
    { id: 'id', head: 'Withdrawal', isExtra: true, cell: ({ withdrawalId }) => <Id value={withdrawalId} /> },
    { id: 'when', head: 'Requested', isExtra: true, cell: ({ createdAt }) => <TimeAgo iso={createdAt} /> },
    {
      id: 'state',
      head: <span className="max-md:-ml-4 max-sm:ml-0">State</span>,
      className: 'max-md:pl-0',
      cell: withdrawal =>
        withdrawal.status === 'PENDING_REVIEW' ? (
          <span className="flex flex-wrap gap-1.5 md:flex-nowrap">
            <Button size="sm" onClick={() => ask(withdrawal, 'approve')}>
              Approve
            </Button>
            <Button size="sm" variant="danger" onClick={() => ask(withdrawal, 'reject')}>
              Reject
            </Button>
          </span>
        ) : (
          <span className="flex flex-col items-start gap-0.5">
            <Badge tone={states[withdrawal.status].tone}>{states[withdrawal.status].label}</Badge>
            {withdrawal.reason !== null && (
              <span className="max-w-64 text-xs break-words text-faint">{withdrawal.reason}</span>
            )}
          </span>
        ),
    },
  ]
}
