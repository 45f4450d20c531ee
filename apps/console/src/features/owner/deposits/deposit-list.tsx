import { ArrowDownToLine } from 'lucide-react'
import { api } from '../../../api.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { perPage, usePages } from '../../../ui/tables/use-pages.ts'
import { Address } from '../../../ui/values/address.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { type Deposit, describeRejection, isUnderWay } from './deposit-labels.ts'

const POLL_INTERVAL_MS = 3_000
const tones: Record<Deposit['status'], Tone> = {
  pending: 'info',
  confirming: 'info',
  credited: 'good',
  rejected: 'bad',
}
const labels: Record<Deposit['status'], string> = {
  pending: 'Waiting for the chain',
  confirming: 'Confirming',
  credited: 'Credited',
  rejected: 'Not credited',
}

const columns: readonly Column<Deposit>[] = [
  { id: 'when', head: 'When', cell: ({ createdAt }) => <TimeAgo iso={createdAt} /> },
  { id: 'state', head: 'State', cell: deposit => <DepositState deposit={deposit} /> },
  { id: 'transaction', head: 'Transaction', isExtra: true, cell: ({ txHash }) => <Address value={txHash} /> },
  {
    id: 'amount',
    head: 'Amount',
    amount: ({ amountUsdc }) => amountUsdc,
  },
]

/** The status of a deposit. */
function DepositState({ deposit }: { deposit: Deposit }) {
  const { status, confirmations, requiredConfirmations, reason, claimedAmountUsdc } = deposit
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={tones[status]}>{labels[status]}</Badge>
      {status === 'confirming' && (
        <span className="text-muted tabular">
          {confirmations} of {requiredConfirmations}
        </span>
      )}
      {status === 'rejected' && reason !== undefined && (
        <span className="text-muted">{describeRejection(reason)}</span>
      )}
      {claimedAmountUsdc !== undefined && <span className="text-muted">differs from the claimed amount</span>}
    </span>
  )
}

/** Past deposits, newest first, refetched while some are pending. */
export function DepositList() {
  const list = usePages(['deposits', 'list'], (query, signal) => api.listDeposits({ query, signal }), {
    limit: 20,
    refetchInterval: query =>
      query.state.data?.pages.some(({ deposits }) => deposits.some(isUnderWay))
        ? perPage(POLL_INTERVAL_MS)(query)
        : false,
  })
  return (
    <Card title="Deposits" isFlush>
      <Table
        label="Deposits"
        columns={columns}
        rows={list.data?.pages.flatMap(({ deposits }) => deposits)}
        rowKey={({ id }) => id}
        error={list.error}
        onRetry={list.refetch}
        empty={
          <EmptyState icon={<ArrowDownToLine />} title="No deposits yet">
            Deposits appear here with their transactions and confirmations.
          </EmptyState>
        }
      />
      <LoadMore list={list} />
    </Card>
  )
}
