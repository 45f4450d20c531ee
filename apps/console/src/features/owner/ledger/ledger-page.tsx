import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { useEffect } from 'react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../../api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { CSV_PAGE, type ReadCsvPage } from '../../../ui/tables/csv-pages.ts'
import { DownloadCsv } from '../../../ui/tables/download-csv.tsx'
import { LoadMore } from '../../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../../ui/tables/table.tsx'
import { everyOnFirstPage, usePages } from '../../../ui/tables/use-pages.ts'
import { Address, ExplorerLink, shorten } from '../../../ui/values/address.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import { accountLabels, describeEntry, type Entry, type Filter, filters, isShown } from './ledger-labels.ts'

const PAGE = 100
/** With a filter, further pages are loaded until this many rows match. */
const ROWS_WANTED = 20
/** Most pages to load for that without a click. */
const PAGES_BY_ITSELF = 10

const columns: readonly Column<Entry>[] = [
  {
    id: 'when',
    head: 'When',
    className: 'w-28',
    isExtra: true,
    cell: ({ createdAt }) => <TimeAgo iso={createdAt} />,
  },
  { id: 'what', head: 'Description', cell: entry => <EntryDescription entry={entry} /> },
  { id: 'record', head: 'Record', isExtra: true, cell: entry => <Record entry={entry} /> },
  {
    id: 'account',
    head: 'Account',
    isExtra: true,
    cell: ({ account }) => (
      <Badge tone={account === 'provider' ? 'info' : 'neutral'}>{accountLabels[account]}</Badge>
    ),
  },
  {
    id: 'amount',
    head: 'Amount',
    isNumber: true,
    amount: ({ amountUsdc }) => amountUsdc,
    cell: ({ amountUsdc }) => (
      <Amount usdc={amountUsdc} isSigned className={amountUsdc.startsWith('-') ? '' : 'text-accent'} />
    ),
  },
]

/** Reads all entries as CSV, regardless of the filter. */
const readCsvPage: ReadCsvPage = (cursor, signal) =>
  api.raw('listLedgerEntries', {
    query: { limit: CSV_PAGE, ...cursor },
    headers: { accept: 'text/csv' },
    signal,
  })

/** All ledger entries of the wallet. */
export function LedgerPage() {
  const { show = 'all' } = useSearch({ from: '/app/ledger' })
  const navigate = useNavigate()
  const list = usePages(['ledger', 'list'], (query, signal) => api.listLedgerEntries({ query, signal }), {
    limit: PAGE,
    refetchInterval: everyOnFirstPage(FIGURES_POLL_INTERVAL_MS),
  })
  const entries = list.data?.pages.flatMap(page => page.entries)
  const shown = entries?.filter(entry => isShown(entry, show))
  const looked = list.data?.pages.length ?? 0
  const isShort = shown !== undefined && shown.length < ROWS_WANTED
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const looksOn = show !== 'all' && isShort && hasNextPage && looked < PAGES_BY_ITSELF && list.error === null
  useEffect(() => {
    if (looksOn && !isFetchingNextPage) fetchNextPage()
  }, [looksOn, isFetchingNextPage, fetchNextPage])

  return (
    <>
      <PageHead
        title="Ledger"
        description="Every change to your balance, exact to a millionth of a USDC. Holds of running calls appear once they are charged."
        actions={
          <DownloadCsv name="ledger" noun="entries" isEmpty={entries?.length === 0} readPage={readCsvPage} />
        }
      />
      <Card
        isFlush
        title={
          <Select<Filter>
            label="Show"
            size="sm"
            className="w-52"
            options={filters}
            value={show}
            onChange={value =>
              navigate({ to: '/app/ledger', search: value === 'all' ? {} : { show: value }, replace: true })
            }
          />
        }
        actions={
          <span className="text-sm text-faint tabular" aria-live="polite">
            {shown === undefined
              ? ''
              : `${formatCount(shown.length)}${hasNextPage ? '+' : ''} ${shown.length === 1 && !hasNextPage ? 'entry' : 'entries'}`}
          </span>
        }
      >
        <Table
          label="Ledger"
          columns={columns}
          rows={looksOn && shown?.length === 0 ? undefined : shown}
          rowKey={({ entryId }) => entryId}
          error={list.error}
          onRetry={list.refetch}
          empty={
            show === 'all' ? (
              <NothingYet />
            ) : (
              <NoMatches hasMore={hasNextPage} looked={entries?.length ?? 0} />
            )
          }
        />
        <LoadMore list={list} />
      </Card>
    </>
  )
}

function EntryDescription({ entry }: { entry: Entry }) {
  const { what, why, record } = describeEntry(entry)
  return (
    <span className="flex flex-col">
      <span className="flex gap-x-2 whitespace-nowrap">
        <span className="font-medium">{what}</span>
        {why !== undefined && <span className="text-faint max-xl:hidden">{why}</span>}
      </span>
      <span className="flex flex-wrap gap-x-2 whitespace-nowrap text-faint md:hidden">
        <TimeAgo iso={entry.createdAt} />
        <RecordLink record={record} />
        {record.isTransaction && <ExplorerLink value={record.id} />}
      </span>
    </span>
  )
}

function Record({ entry }: { entry: Entry }) {
  const { record } = describeEntry(entry)
  if (record.isTransaction) return <Address value={record.id} />
  return (
    <span className="inline-flex items-center gap-0.5">
      <RecordLink record={record} />
      <CopyButton text={record.id} label="Copy ID" className="!size-6 [&>svg]:!size-3.5" />
    </span>
  )
}

function RecordLink({ record }: { record: ReturnType<typeof describeEntry>['record'] }) {
  const text = record.isTransaction ? shorten(record.id) : shorten(record.id, 8, 6)
  if (record.to === undefined) {
    return (
      <code className="font-mono text-[0.92em]" title={record.id}>
        {text}
      </code>
    )
  }
  return (
    <Link
      to={record.to}
      className="rounded font-mono text-[0.92em] text-accent hover:underline"
      title={record.id}
    >
      {text}
    </Link>
  )
}

function NothingYet() {
  return (
    <EmptyState
      icon={<ScrollText />}
      title="No entries yet"
      action={
        <Link to="/app/deposit" className={buttonClass({ variant: 'primary' })}>
          Make a deposit
        </Link>
      }
    >
      Deposits, calls, earnings and withdrawals appear here.
    </EmptyState>
  )
}

function NoMatches({ hasMore, looked }: { hasMore: boolean; looked: number }) {
  return (
    <EmptyState icon={<ScrollText />} title="No matching entries">
      {hasMore
        ? `No match among your newest ${formatCount(looked)} entries. Show more to search further back.`
        : 'You have no entries of this kind.'}
    </EmptyState>
  )
}
