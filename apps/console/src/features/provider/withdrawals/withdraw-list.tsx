import { clsx } from 'clsx'
import { ArrowUpFromLine } from 'lucide-react'
import { api } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import { CSV_PAGE } from '../../../ui/tables/csv-pages.ts'
import { DownloadCsv } from '../../../ui/tables/download-csv.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { everyOnFirstPage, usePages } from '../../../ui/tables/use-pages.ts'
import { Address } from '../../../ui/values/address.tsx'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import type { WithdrawFlow } from './use-withdraw.ts'
import type { Withdrawal } from './withdraw-draft.ts'
import { standingOf } from './withdraw-labels.ts'

const POLL_INTERVAL_MS = 5_000
/** States with a reason, which phones show too. */
const isExplained: ReadonlySet<Withdrawal['status']> = new Set(['PENDING_REVIEW', 'REJECTED'])

/** Withdrawals, newest first; an open one can be continued. */
export function WithdrawList({ flow }: { flow: WithdrawFlow }) {
  const list = usePages(['withdrawals', 'list'], (query, signal) => api.listWithdrawals({ query, signal }), {
    limit: 20,
    refetchInterval: everyOnFirstPage(POLL_INTERVAL_MS),
  })
  return (
    <Card
      isFlush
      title="Withdrawals"
      actions={
        <DownloadCsv
          size="sm"
          name="withdrawals"
          noun="withdrawals"
          isEmpty={list.data?.pages[0]?.withdrawals.length === 0}
          readPage={(cursor, signal) =>
            api.raw('listWithdrawals', {
              query: { limit: CSV_PAGE, ...cursor },
              headers: { accept: 'text/csv' },
              signal,
            })
          }
        />
      }
    >
      <Table
        label="Withdrawals"
        columns={columnsFor(flow)}
        rows={list.data?.pages.flatMap(page => page.withdrawals)}
        rowKey={({ withdrawalId }) => withdrawalId}
        error={list.error}
        onRetry={list.refetch}
        empty={
          <EmptyState icon={<ArrowUpFromLine />} title="No withdrawals yet">
            Withdrawals appear here with their tickets and transactions.
          </EmptyState>
        }
      />
      <LoadMore list={list} />
    </Card>
  )
}

function columnsFor({ draft, isFree, takeUp }: WithdrawFlow): readonly Column<Withdrawal>[] {
  return [
    {
      id: 'at',
      head: 'Opened',
      className: 'whitespace-nowrap',
      cell: ({ createdAt }) => <TimeAgo iso={createdAt} />,
    },
    {
      id: 'state',
      head: 'State',
      cell: withdrawal => {
        const { label, tone, hint } = standingOf(
          withdrawal,
          draft?.hash !== undefined && draft.withdrawalId === withdrawal.withdrawalId,
        )
        return (
          <span className="flex flex-col items-start gap-0.5">
            <Badge tone={tone}>{label}</Badge>
            {withdrawal.status !== 'COMPLETED' && (
              // Why one waits or was rejected is read nowhere else.
              <span
                className={clsx('text-xs text-muted', !isExplained.has(withdrawal.status) && 'max-md:hidden')}
              >
                {hint}
              </span>
            )}
          </span>
        )
      },
    },
    {
      id: 'tx',
      head: 'Transaction',
      isExtra: true,
      cell: ({ txHash }) =>
        txHash === null ? <span className="text-faint">–</span> : <Address value={txHash} />,
    },
    {
      id: 'amount',
      head: 'Amount',
      className: 'font-medium',
      amount: ({ amountUsdc }) => amountUsdc,
    },
    {
      id: 'go',
      head: <span className="sr-only">Continue</span>,
      isNumber: true,
      cell: withdrawal =>
        withdrawal.ticket !== null &&
        withdrawal.withdrawalId !== draft?.withdrawalId && (
          <Button size="sm" disabled={!isFree} onClick={() => takeUp(withdrawal)}>
            Redeem
          </Button>
        ),
    },
  ]
}
