import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, ShieldAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../ui/layout/page.tsx'
import { Stats } from '../../ui/layout/stats.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { FeesDialog } from './fees-dialog.tsx'
import { heads } from './heads.ts'
import { jobColumns } from './health-jobs.tsx'
import {
  type Endpoint,
  type Health,
  judgeChain,
  judgeJobs,
  judgePartitions,
  judgeQueue,
  rejectedBy,
  sortJobs,
  type Verdict,
} from './health-verdicts.ts'
import { healthQuery } from './queries.ts'

// Longer than a window: what has the focus would be out of sight.
const LONG_TABLE = 'max-h-[70vh]'

/** The parts of the gateway with a verdict on each, those that need attention first; fees and their payout. */
export function HealthPage() {
  const [isPaying, setPaying] = useState(false)
  const { data, error, refetch } = useQuery(healthQuery)
  const sections = data && sectionsOf(data)
  return (
    <>
      <PageHead
        {...heads['/admin/health']}
        aside={sections && <Overall verdicts={sections.map(({ verdict }) => verdict)} />}
      />
      {data === undefined || sections === undefined ? (
        error === null ? (
          <Skeleton className="h-96" />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <div className="flex flex-col gap-5">
          <div className="grid items-start gap-5 xl:grid-cols-2">
            {sections.map(({ title, verdict, content }) => (
              <Card key={title} title={title} isFlush>
                <VerdictLine verdict={verdict} />
                {content}
              </Card>
            ))}
          </div>
          <Fees fees={data.fees} onPay={() => setPaying(true)} />
          {isPaying && <FeesDialog payableUsdc={data.fees.payableUsdc} onClose={() => setPaying(false)} />}
        </div>
      )}
    </>
  )
}

type Section = { readonly title: string; readonly verdict: Verdict; readonly content: ReactNode }

/** Returns the sections, those that need attention first. */
function sectionsOf(health: Health): Section[] {
  const sections = [
    {
      title: 'Background jobs',
      verdict: judgeJobs(health),
      content: (
        <Table
          label="Jobs"
          columns={jobColumns(health.asOf)}
          rows={sortJobs(health)}
          rowKey={({ name }) => name}
          className={LONG_TABLE}
        />
      ),
    },
    {
      title: 'Ledger partitions',
      verdict: judgePartitions(health),
      content: (
        <Table
          label="Ledger partitions"
          columns={partitionColumns}
          rows={health.partitions.toSorted((a, b) => b.behind - a.behind || a.partition - b.partition)}
          rowKey={({ partition }) => String(partition)}
          className={LONG_TABLE}
        />
      ),
    },
    { title: 'Chain', verdict: judgeChain(health), content: <Chain health={health} /> },
    { title: 'Queue', verdict: judgeQueue(health), content: <Queue queue={health.queue} /> },
  ]
  return sections.toSorted((a, b) => Number(a.verdict.isWell) - Number(b.verdict.isWell))
}

function Overall({ verdicts }: { verdicts: readonly Verdict[] }) {
  const unwell = verdicts.filter(({ isWell }) => !isWell).length
  if (unwell === 0) return <Badge tone="good">All well</Badge>
  return (
    <Badge tone="bad">{unwell === 1 ? '1 part needs attention' : `${unwell} parts need attention`}</Badge>
  )
}

function VerdictLine({ verdict: { isWell, text } }: { verdict: Verdict }) {
  const Icon = isWell ? BadgeCheck : ShieldAlert
  return (
    <p className="flex items-start gap-2 border-b px-4 py-2.5 text-sm">
      <Icon
        aria-hidden
        className={isWell ? 'mt-0.5 size-4 shrink-0 text-accent' : 'mt-0.5 size-4 shrink-0 text-danger'}
      />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  )
}

function Chain({ health: { blocksBehind, endpoints } }: { health: Health }) {
  return (
    <>
      <div className="border-b p-4">
        <Stats>
          <Stat label="Blocks behind" note="confirmations included">
            {blocksBehind === null ? '–' : formatCount(blocksBehind)}
          </Stat>
        </Stats>
      </div>
      <Table
        label="Chain endpoints"
        columns={endpointColumns}
        rows={endpoints.toSorted((a, b) => rejectedBy(b) - rejectedBy(a))}
        rowKey={({ host }) => host}
      />
    </>
  )
}

function Queue({ queue: { ready, scheduled, running, givenUp } }: { queue: Health['queue'] }) {
  return (
    <div className="p-4">
      <Stats>
        <Stat label="Given up" note="after all retries">
          <span className={givenUp > 0 ? 'text-danger' : undefined}>{formatCount(givenUp)}</span>
        </Stat>
        <Stat label="Due">{formatCount(ready)}</Stat>
        <Stat label="Scheduled" note="retries included">
          {formatCount(scheduled)}
        </Stat>
        <Stat label="Running">{formatCount(running)}</Stat>
      </Stats>
    </div>
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

const endpointColumns: readonly Column<Endpoint>[] = [
  { id: 'host', head: 'Host', cell: ({ host }) => <span className="break-all">{host}</span> },
  {
    id: 'state',
    head: 'Rejected responses',
    cell: endpoint =>
      rejectedBy(endpoint) === 0 ? (
        <Badge tone="good">None</Badge>
      ) : (
        <Badge tone="warn">
          {endpoint.failed} failed, {endpoint.differed} differed, {endpoint.wasBehind} behind
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
