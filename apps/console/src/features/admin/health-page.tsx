import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../ui/layout/page.tsx'
import { Stats } from '../../ui/layout/stats.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount } from '../../ui/values/measures.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { FeesDialog } from './fees-dialog.tsx'

type Health = AnswerOf<'readGatewayHealth'>

const POLL_INTERVAL_MS = 10_000

/** Fees and their payout, jobs, endpoints of the chain and partitions of the ledger. */
export function HealthPage() {
  const [isPaying, setPaying] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['admin', 'health'],
    queryFn: ({ signal }) => api.readGatewayHealth({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  return (
    <>
      <PageHead
        title="Fees and health"
        description="Jobs and endpoints cover this gateway since it started. Everything else covers all gateways."
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-96" />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <div className="flex flex-col gap-5">
          <Fees fees={data.fees} onPay={() => setPaying(true)} />
          <Work health={data} />
          <div className="grid items-start gap-5 xl:grid-cols-2">
            <Card title="Jobs" isFlush>
              <Table
                label="Jobs"
                columns={jobColumns}
                rows={data.jobs.toSorted((a, b) => b.failures - a.failures)}
                rowKey={({ name }) => name}
                // Longer than a window: what has the focus would be out of sight.
                className="max-h-[70vh]"
              />
            </Card>
            <div className="flex min-w-0 flex-col gap-5">
              <Card title="Chain endpoints" isFlush>
                <Table
                  label="Chain endpoints"
                  columns={endpointColumns}
                  rows={data.endpoints}
                  rowKey={({ host }) => host}
                />
              </Card>
              <Card title="Ledger partitions" isFlush>
                <Table
                  label="Ledger partitions"
                  columns={partitionColumns}
                  rows={data.partitions}
                  rowKey={({ partition }) => String(partition)}
                />
              </Card>
            </div>
          </div>
          {isPaying && <FeesDialog payableUsdc={data.fees.payableUsdc} onClose={() => setPaying(false)} />}
        </div>
      )}
    </>
  )
}

function Fees({ fees, onPay }: { fees: Health['fees']; onPay: () => void }) {
  return (
    <Card
      title="Fees"
      actions={
        <Button size="sm" disabled={Number(fees.payableUsdc) === 0} onClick={onPay}>
          Pay out fees…
        </Button>
      }
    >
      <Stats>
        <Stat label="Can be paid out">
          <Amount usdc={fees.payableUsdc} />
        </Stat>
        <Stat label="Accrued">
          <Amount usdc={fees.accruedUsdc} />
        </Stat>
        <Stat label="In open withdrawals">
          <Amount usdc={fees.lockedUsdc} />
        </Stat>
        <Stat label="Losses">
          <Amount usdc={fees.lossesUsdc} />
        </Stat>
      </Stats>
    </Card>
  )
}

/** Sums that show at once whether something is stuck. */
function Work({ health: { jobs, queue, blocksBehind, partitions } }: { health: Health }) {
  const failing = jobs.filter(({ failures }) => failures > 0).length
  const behind = partitions.reduce((sum, partition) => sum + partition.behind, 0)
  return (
    <Card title="At a glance">
      <Stats>
        <Stat label="Jobs that failed" note={`of ${jobs.length}`}>
          {formatCount(failing)}
        </Stat>
        <Stat label="Queued" note={`${formatCount(queue.running)} running`}>
          {formatCount(queue.ready + queue.scheduled)}
        </Stat>
        <Stat label="Given up" note="queued jobs">
          <span className={queue.givenUp > 0 ? 'text-danger' : undefined}>{formatCount(queue.givenUp)}</span>
        </Stat>
        <Stat label="Blocks behind" note="confirmations included">
          {blocksBehind === null ? '–' : formatCount(blocksBehind)}
        </Stat>
        <Stat label="Ledger rows behind" note={`${partitions.length} partitions`}>
          {formatCount(behind)}
        </Stat>
      </Stats>
    </Card>
  )
}

const jobColumns: readonly Column<Health['jobs'][number]>[] = [
  { id: 'name', head: 'Job', cell: ({ name }) => <code className="font-mono text-xs">{name}</code> },
  {
    id: 'done',
    head: 'Last success',
    cell: ({ lastDoneAt, failures }) => (
      <span className="flex flex-wrap items-center gap-2">
        {lastDoneAt === null ? <span className="text-faint">None yet</span> : <TimeAgo iso={lastDoneAt} />}
        {failures > 0 && <Badge tone="warn">{formatCount(failures)} failed</Badge>}
      </span>
    ),
  },
  { id: 'runs', head: 'Runs', isNumber: true, isExtra: true, cell: ({ runs }) => formatCount(runs) },
]

const endpointColumns: readonly Column<Health['endpoints'][number]>[] = [
  { id: 'host', head: 'Host', cell: ({ host }) => <span className="break-all">{host}</span> },
  {
    id: 'state',
    head: 'Rejected responses',
    cell: ({ failed, differed, wasBehind }) =>
      failed + differed + wasBehind === 0 ? (
        <Badge tone="good">None</Badge>
      ) : (
        <Badge tone="warn">
          {failed} failed, {differed} differed, {wasBehind} behind
        </Badge>
      ),
  },
  {
    id: 'block',
    head: 'Block',
    isNumber: true,
    isExtra: true,
    cell: ({ block }) => (block === null ? <span className="text-faint">–</span> : formatCount(block)),
  },
]

const partitionColumns: readonly Column<Health['partitions'][number]>[] = [
  { id: 'partition', head: 'Partition', cell: ({ partition }) => partition },
  { id: 'rows', head: 'Rows', isNumber: true, cell: ({ rows }) => formatCount(rows) },
  { id: 'behind', head: 'Behind', isNumber: true, cell: ({ behind }) => formatCount(behind) },
]
