import { useQuery } from '@tanstack/react-query'
import { Stamp } from 'lucide-react'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { EmptyState, Notice } from '../../ui/feedback/states.tsx'
import { Card } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/tables/pagination.tsx'
import { type Column, Table } from '../../ui/tables/table.tsx'
import { everyOnFirstPage, usePages } from '../../ui/tables/use-pages.ts'
import { shorten } from '../../ui/values/address.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { anchorOf, type CheckedSeal, compareAnchor, readSeals, SEALS_PAGE } from './seals.ts'

/** Seals are verified again on every refetch. */
const SEALS_POLL_INTERVAL_MS = 60_000

const columns: readonly Column<CheckedSeal>[] = [
  {
    id: 'number',
    head: 'Seal',
    isExtra: true,
    cell: ({ number }) => <span className="tabular">{number}</span>,
  },
  {
    id: 'hash',
    head: 'Anchor',
    cell: seal => (
      <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
        <code className="font-mono text-[0.92em]" title={anchorOf(seal)}>
          {shorten(seal.hash, 10, 6)}
        </code>
        <CopyButton text={anchorOf(seal)} label="Copy anchor" className="!size-6 [&>svg]:!size-3.5" />
      </span>
    ),
  },
  {
    id: 'entries',
    head: 'Entries',
    isNumber: true,
    isExtra: true,
    cell: ({ entries }) => formatCount(entries),
  },
  { id: 'when', head: 'Sealed', isExtra: true, cell: ({ sealedAt }) => <TimeAgo iso={sealedAt} /> },
  {
    id: 'sound',
    head: 'Checked here',
    cell: ({ isSound }) => <Badge tone={isSound ? 'good' : 'bad'}>{isSound ? 'Sound' : 'Broken'}</Badge>,
  },
]

/** The seals of the ledger, with their hashes verified, and the comparison with this browser's anchor. */
export function SealsCard() {
  const list = usePages(['reserves', 'seals'], readSeals, {
    limit: SEALS_PAGE,
    refetchInterval: everyOnFirstPage(SEALS_POLL_INTERVAL_MS),
  })
  const seals = list.data?.pages.flatMap(page => page.seals)
  return (
    <Card title="Ledger seals" isFlush>
      <div className="flex flex-col gap-3 border-b p-4 text-muted">
        <p>
          Every ledger entry is sealed within seconds, and each seal includes the previous one. Save an anchor
          to detect any later change to earlier entries.
        </p>
        <SealAnchor />
      </div>
      <Table
        label="Seals"
        columns={columns}
        rows={seals}
        rowKey={({ number }) => String(number)}
        error={list.error}
        onRetry={list.refetch}
        empty={
          <EmptyState icon={<Stamp />} title="No seals yet">
            The first seal follows the first entry within seconds.
          </EmptyState>
        }
      />
      <LoadMore list={list} />
    </Card>
  )
}

/** The result of comparing this browser's anchor. Its place is reserved while it loads. */
function SealAnchor() {
  const { data: anchor, error } = useQuery({
    queryKey: ['reserves', 'anchor'],
    queryFn: ({ signal }) => compareAnchor(signal),
  })
  if (error !== null)
    return <Notice tone="warn">The seal saved in this browser could not be compared.</Notice>
  if (anchor === undefined) return <Notice>Comparing the seal saved in this browser…</Notice>
  if (anchor.state === 'first')
    return <Notice>This browser has saved the newest seal and compares it on every visit.</Notice>
  const seen = (
    <>
      Seal {anchor.number}, seen by this browser <TimeAgo iso={anchor.seenAt} />,
    </>
  )
  if (anchor.state === 'same')
    return <Notice tone="good">{seen} is unchanged: no earlier entry was modified.</Notice>
  if (anchor.state === 'far')
    return <Notice>{seen} is too old to be checked here. Compare its anchor with verify-ledger.</Notice>
  return (
    <Notice tone="bad">
      {seen} is {anchor.state === 'changed' ? 'different now' : 'gone'}: earlier entries were rewritten.
    </Notice>
  )
}
