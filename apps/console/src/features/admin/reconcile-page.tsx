import type { AnswerOf } from '@farebox/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { BadgeCheck, RotateCw, ShieldAlert } from 'lucide-react'
import { api, queryClient } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Failed } from '../../ui/feedback/failed.tsx'
import { ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Card, PageHead, Stat } from '../../ui/layout/page.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { Address, ExplorerLink } from '../../ui/values/address.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { ChainFindings } from './chain-findings.tsx'
import { heads } from './heads.ts'

type Reserves = AnswerOf<'readReserves'>
type Checked = AnswerOf<'reconcileNow'>
type Finding = Checked['findings'][number]
type Act = AnswerOf<'listAdminActs'>['entries'][number]

const POLL_INTERVAL_MS = 15_000
const CHECKS_SHOWN = 10
const findingColumns: readonly Column<Finding>[] = [
  { id: 'check', head: 'Check', cell: ({ check }) => <span className="font-medium">{check}</span> },
  { id: 'row', head: 'Row', cell: ({ row }) => <Row row={row} /> },
  { id: 'expected', head: 'Expected', isNumber: true, cell: ({ expected }) => expected },
  {
    id: 'found',
    head: 'Found',
    isNumber: true,
    cell: ({ found }) => <span className="text-danger">{found}</span>,
  },
]
const checkColumns: readonly Column<Act>[] = [
  { id: 'when', head: 'When', cell: ({ at }) => <TimeAgo iso={at} /> },
  { id: 'by', head: 'By', cell: ({ actor }) => <Address value={actor} hasCopy={false} /> },
  {
    id: 'outcome',
    head: 'Outcome',
    cell: ({ after }) => {
      const { consistent, findings } = (after ?? {}) as { consistent?: boolean; findings?: number }
      return consistent === true ? (
        <Badge tone="good">Consistent</Badge>
      ) : (
        <Badge tone="bad">{findings ?? 0} findings</Badge>
      )
    },
  },
  {
    id: 'reason',
    head: 'Reason',
    isExtra: true,
    cell: ({ reason }) => reason ?? <span className="text-faint">–</span>,
  },
]

/** The row that a finding is about; it may name a wallet or a transaction. */
function Row({ row }: { row: string }) {
  const [named] = /0x(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])/i.exec(row) ?? []
  return (
    <span className="inline-flex items-center gap-0.5">
      <code className="font-mono text-xs break-all">{row}</code>
      {named !== undefined && <ExplorerLink value={named} />}
    </span>
  )
}

/** The results of reconciliation: of the books with themselves and with the vault. */
export function ReconcilePage() {
  const reserves = useQuery({
    queryKey: ['reserves'],
    queryFn: ({ signal }) => api.readReserves({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
  })
  const checks = useQuery({
    queryKey: ['admin', 'checks'],
    queryFn: ({ signal }) =>
      api.listAdminActs({ query: { action: 'books.reconcile', limit: CHECKS_SHOWN }, signal }),
  })
  const checking = useMutation({
    mutationFn: () => api.reconcileNow({ body: null }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['reserves'] })
      await queryClient.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  return (
    <>
      <PageHead
        {...heads['/admin/reconcile']}
        actions={
          <Button
            variant="primary"
            icon={<RotateCw aria-hidden className="size-4" />}
            isBusy={checking.isPending}
            onClick={() => checking.mutate()}
          >
            Check now
          </Button>
        }
      />
      <div className="flex flex-col gap-6">
        <Failed error={checking.error} />
        {reserves.data === undefined && reserves.error !== null ? (
          <ErrorState error={reserves.error} onRetry={reserves.refetch} />
        ) : (
          <State reserves={reserves.data} checked={checking.data} />
        )}
        {checking.data !== undefined && checking.data.findingsCount > 0 && (
          <Findings checked={checking.data} />
        )}
        <ChainFindings />
        <Card title="Checked by admins" isFlush>
          <Table
            label="Checks"
            columns={checkColumns}
            rows={checks.data?.entries}
            rowKey={({ id }) => id}
            error={checks.error}
            onRetry={checks.refetch}
            empty="No manual checks yet."
          />
        </Card>
      </div>
    </>
  )
}

function State({ reserves, checked }: { reserves: Reserves | undefined; checked: Checked | undefined }) {
  if (reserves === undefined) return <Skeleton className="h-44" />
  const { consistent, lastReconciledAt, vaultBalanceUsdc, liabilitiesUsdc, differenceUsdc, ledgerSumUsdc } =
    reserves
  const isGood = checked?.consistent ?? consistent
  return (
    <Card>
      <div aria-live="polite" className="mb-5 flex items-center gap-3">
        {isGood ? (
          <BadgeCheck aria-hidden className="size-6 text-accent" />
        ) : (
          <ShieldAlert aria-hidden className="size-6 text-danger" />
        )}
        <div>
          <p className="text-lg font-semibold">
            {isGood ? 'The books are consistent' : 'The books are not consistent'}
          </p>
          <p className="text-sm text-muted">
            {lastReconciledAt === null ? (
              'Not checked yet'
            ) : (
              <>
                Last checked <TimeAgo iso={lastReconciledAt} />
              </>
            )}
          </p>
        </div>
      </div>
      <dl className="grid grid-cols-2 gap-4 md:grid-cols-4">
        <Stat label="In the vault">
          <Amount usdc={vaultBalanceUsdc} />
        </Stat>
        <Stat label="Owed to wallets">
          <Amount usdc={liabilitiesUsdc} />
        </Stat>
        <Stat label="Difference">
          <Amount usdc={differenceUsdc} isSigned />
        </Stat>
        <Stat label="Sum of entries">
          <Amount usdc={ledgerSumUsdc} />
        </Stat>
      </dl>
    </Card>
  )
}

function Findings({ checked: { findings, findingsCount } }: { checked: Checked }) {
  const rest = findingsCount - findings.length
  return (
    <Card title={`Findings, ${findingsCount}`} isFlush>
      <Table
        label="Findings"
        columns={findingColumns}
        rows={findings}
        rowKey={({ check, row }) => `${check} ${row}`}
      />
      {rest > 0 && <p className="px-4 py-3 text-sm text-muted">{rest} more are in the gateway's log.</p>}
    </Card>
  )
}
