import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Skeleton } from '../../ui/feedback/states.tsx'
import { formatCount } from '../../ui/values/format-measures.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { type Health, judgeHealth } from './health-verdicts.ts'
import { findingsQuery, healthQuery, type Status, statusQuery } from './queries.ts'

type Tone = 'well' | 'waits' | 'bad' | 'unknown'
/** The state of a part of the operator's work; `text` undefined while it loads. */
type Part = { readonly tone: Tone; readonly text: ReactNode }

const LOADING: Part = { tone: 'unknown', text: undefined }
const UNREADABLE: Part = { tone: 'bad', text: 'Cannot be read' }
const tones: Readonly<Record<Tone, string>> = {
  well: 'text-muted',
  waits: 'font-medium text-warn',
  bad: 'font-medium text-danger',
  unknown: '',
}

/** What waits for an admin and what is wrong, above every page, with the way there. Its height never changes. */
export function NeedsAttention({ isAdmin }: { isAdmin: boolean }) {
  const health = useQuery({ ...healthQuery, enabled: isAdmin })
  const findings = useQuery({ ...findingsQuery, enabled: isAdmin })
  const status = useQuery({ ...statusQuery, enabled: isAdmin })
  const read = <Data,>(
    { data, error }: { data: Data | undefined; error: Error | null },
    partOf: (data: Data) => Part,
  ) => (data !== undefined ? partOf(data) : error === null ? LOADING : UNREADABLE)
  const parts = [
    ['/admin', 'To review', read(health, data => ofQueue(data.withdrawalsToReview))],
    ['/admin/support', 'Support tasks', read(health, data => ofQueue(data.openSupportTasks))],
    ['/admin/reconcile', 'Chain and books', read(findings, data => ofBooks(data, status.data))],
    ['/admin/health', 'Gateway', read(health, ofHealth)],
  ] as const
  return (
    <section
      aria-label="Needs attention"
      className="mb-6 grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line lg:grid-cols-4"
    >
      {parts.map(([to, label, { tone, text }]) => (
        <Link key={to} to={to} className="min-w-0 bg-raised px-3 py-2 text-sm hover:bg-hover">
          <span className="block text-xs text-faint">{label}</span>
          <span
            className={clsx('block h-5 truncate', tones[tone])}
            {...(typeof text === 'string' && { title: text })}
          >
            {text ?? <Skeleton className="mt-1 h-3.5 w-20" />}
          </span>
        </Link>
      ))}
    </section>
  )
}

function ofQueue(queue: Health['withdrawalsToReview']): Part {
  // Older gateways do not count them.
  if (queue === undefined) return { tone: 'unknown', text: '–' }
  const { count, since } = queue
  if (since === null) return { tone: 'well', text: 'None' }
  const text = (
    <>
      {formatCount(count)}, {count === 1 ? 'from' : 'oldest'} <TimeAgo iso={since} />
    </>
  )
  return { tone: 'waits', text }
}

/** Why no withdrawal is paid, as the gateway gives it. */
const blocks: Readonly<Record<NonNullable<Status['ticketBlock']>, string>> = {
  books_inconsistent: 'Not consistent: no payouts',
  chain_finding: 'They disagree: no payouts',
  chain_not_followed: 'Chain not read: no payouts',
  books_unchecked: 'Check is late: no payouts',
}

function ofBooks({ findings: { length } }: AnswerOf<'listChainFindings'>, status: Status | undefined): Part {
  if (length > 0)
    return { tone: 'bad', text: `${length === 1 ? '1 disagreement' : `${length} disagreements`}: no payouts` }
  const block = status?.ticketBlock ?? null
  return block === null ? { tone: 'well', text: 'Agree' } : { tone: 'bad', text: blocks[block] }
}

function ofHealth(health: Health): Part {
  const [first, ...others] = judgeHealth(health).filter(({ isWell }) => !isWell)
  if (first === undefined) return { tone: 'well', text: 'No problems' }
  return { tone: 'bad', text: others.length === 0 ? first.text : `${first.text} And ${others.length} more.` }
}
