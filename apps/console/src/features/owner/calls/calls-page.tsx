import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Activity, SearchX } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import { api } from '../../../api.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { describeError, EmptyState, Notice } from '../../../ui/feedback/states.tsx'
import { Card, PageHead } from '../../../ui/layout/page.tsx'
import { CSV_PAGE, type ReadCsvPage } from '../../../ui/tables/csv-pages.ts'
import { DownloadCsv } from '../../../ui/tables/download-csv.tsx'
import { Table } from '../../../ui/tables/table.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { useNames } from '../use-names.ts'
import { callColumns } from './call-columns.tsx'
import { CallReceipt } from './call-receipt.tsx'
import { CallsFilter } from './calls-filter.tsx'
import { type CallsSearch, queryOf } from './calls-search.ts'
import { useCalls } from './use-calls.ts'

/** All calls of all credentials. The receipt of a call opens beside them, with its own address. */
export function CallsPage() {
  const search = useSearch({ from: '/app/calls/{-$id}' })
  const { id } = useParams({ from: '/app/calls/{-$id}' })
  const navigate = useNavigate()
  const open = (to: string | undefined) =>
    navigate({
      to: '/app/calls/{-$id}',
      params: { id: to },
      search,
      replace: to === undefined,
      resetScroll: false,
    })
  const list = useCalls(search)
  const names = useNames()
  const calls = list.data?.pages.flatMap(({ logs }) => logs)
  const { hasNextPage, fetchNextPage, isFetchNextPageError } = list
  const onEnd = useReadOn(list)

  return (
    <>
      <PageHead
        title="Calls"
        description="Every call of your credentials with its hold, charge and outcome."
        actions={
          <DownloadCsv name="calls" noun="calls" isEmpty={calls?.length === 0} readPage={csvPageOf(search)} />
        }
      />
      <Card
        isFlush
        title={<CallsFilter search={search} />}
        actions={
          <span className="text-sm text-faint tabular" aria-live="polite">
            {calls === undefined
              ? ''
              : `${formatCount(calls.length)}${hasNextPage ? '+' : ''} ${calls.length === 1 && !hasNextPage ? 'call' : 'calls'}`}
          </span>
        }
      >
        <Table
          label="Calls"
          columns={callColumns(names, search)}
          rows={calls}
          rowKey={({ invocationId }) => invocationId}
          onRow={({ invocationId }) => open(invocationId)}
          onEnd={onEnd}
          error={list.error}
          onRetry={list.refetch}
          empty={Object.keys(search).length === 0 ? <NothingYet /> : <NoMatches />}
        />
        {isFetchNextPageError && (
          <div role="alert" className="flex flex-wrap items-center gap-3 border-t p-3">
            <Notice tone="bad" className="min-w-0 flex-1">
              {describeError(list.error)}
            </Notice>
            <Button size="sm" onClick={() => fetchNextPage()}>
              Read more
            </Button>
          </div>
        )}
      </Card>
      {id !== undefined && (
        <CallReceipt
          id={id}
          lines={calls ?? (list.isError ? [] : undefined)}
          onClose={() => open(undefined)}
        />
      )}
    </>
  )
}

/** Returns a stable function that reads the next page, unless one is being read or has failed. */
function useReadOn(list: ReturnType<typeof useCalls>): () => void {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = list
  const mayGoOn = hasNextPage && !isFetchingNextPage && !isFetchNextPageError
  // The table needs a stable callback, so it reads the current state from a ref.
  const goOn = useRef(mayGoOn)
  useEffect(() => {
    goOn.current = mayGoOn
  }, [mayGoOn])
  return useCallback(() => {
    if (goOn.current) fetchNextPage()
  }, [fetchNextPage])
}

/** Returns the reader of the filtered list as CSV. All its pages use the same end of the time span. */
function csvPageOf(search: CallsSearch): ReadCsvPage {
  let query: ReturnType<typeof queryOf> | undefined
  return (cursor, signal) => {
    if (query === undefined || cursor.cursor === undefined) query = queryOf(search, Date.now())
    return api.raw('listUsage', {
      query: { ...query, limit: CSV_PAGE, ...cursor },
      headers: { accept: 'text/csv' },
      signal,
    })
  }
}

function NothingYet() {
  return (
    <EmptyState
      icon={<Activity />}
      title="No calls yet"
      action={
        <Link to="/app/credentials" search={{}} className={buttonClass({ variant: 'primary' })}>
          Get a credential
        </Link>
      }
    >
      Calls of your agents appear here within seconds, each with an exact receipt.
    </EmptyState>
  )
}

function NoMatches() {
  return (
    <EmptyState icon={<SearchX />} title="No matching calls">
      No calls match all of these filters.
    </EmptyState>
  )
}
