import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, queryClient } from '../api.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { silentSince, tryNow } from '../ui/state/reachability.ts'
import { formatTime } from '../ui/values/format-time.ts'
import { TimeAgo } from '../ui/values/time-ago.tsx'

type Status = AnswerOf<'readStatus'>

/** Interval between reads of what waits at the gateway, in ms. */
const POLL_INTERVAL_MS = 30_000
/** Codes of a gateway that responds and cannot read its data. */
const CANNOT_READ: ReadonlySet<string> = new Set(['UNAVAILABLE', 'INTERNAL'])

/** A line under the header while the gateway does not respond, its data is old, or money waits. */
export function GatewayBanner() {
  const since = silentSince.use()
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['gateway', 'status'],
    queryFn: ({ signal }) => api.readStatus({ signal }),
    refetchInterval: POLL_INTERVAL_MS,
    enabled: since === null,
  })
  const isOld = error instanceof GatewayError && CANNOT_READ.has(error.code)
  const notices: Readonly<Record<string, ReactNode>> =
    since !== null
      ? { silent: <Silent since={since} /> }
      : isOld
        ? { old: <Old since={dataUpdatedAt === 0 ? null : new Date(dataUpdatedAt)} /> }
        : data === undefined
          ? {}
          : noticesOf(data)
  const shown = Object.entries(notices)
  const Icon = since === null ? TriangleAlert : Unplug
  return (
    <div role="status">
      {shown.length > 0 && (
        <div className="border-t bg-warn-soft text-sm text-warn">
          <div className="mx-auto flex max-w-7xl items-center gap-3 px-4 py-1.5 sm:px-6">
            <Icon aria-hidden className="size-4 shrink-0" />
            <div className="min-w-0 flex-1">
              {shown.map(([name, notice]) => (
                <p key={name}>{notice}</p>
              ))}
            </div>
            {isOfBooks(notices) ? (
              <Link to={'/proof' as string} className={buttonClass({ size: 'sm' })}>
                Show the checks
              </Link>
            ) : (
              <Button
                size="sm"
                onClick={() => (since === null ? void queryClient.invalidateQueries() : tryNow())}
              >
                Try now
              </Button>
            )}
          </div>
        </div>
      )}
    </div>
  )
}

function Silent({ since }: { since: Date }) {
  const isOffline = !navigator.onLine
  return (
    <>
      {isOffline ? 'This device is offline.' : 'The gateway is not responding.'} This page shows data from{' '}
      <Time at={since} />. It updates automatically when the {isOffline ? 'network' : 'gateway'} is back.
    </>
  )
}

function Old({ since }: { since: Date | null }) {
  return (
    <>
      The gateway responds but cannot read its data.{' '}
      {since !== null && (
        <>
          Figures on this page may be from <Time at={since} />.{' '}
        </>
      )}
      The page updates automatically.
    </>
  )
}

/** Returns what waits, by name, the most serious first. */
function noticesOf(status: Status): Record<string, ReactNode> {
  const { isChainReachable, isVaultPaused, ticketBlock, lastReconciledAt } = status
  const notices: Record<string, ReactNode> = {}
  if (ticketBlock === 'books_inconsistent' || ticketBlock === 'chain_finding')
    notices.books = 'The last check of the books found a difference. Withdrawals require a review.'
  if (isVaultPaused === true)
    notices.vault = 'The operator has paused the vault. Deposits and withdrawals are unavailable.'
  if (!isChainReachable) notices.chain = 'The chain is not responding. Deposits and withdrawals are delayed.'
  else if (ticketBlock === 'chain_not_followed')
    notices.chain = 'The gateway is behind the chain. Deposits and withdrawals are delayed.'
  else if (ticketBlock === 'books_unchecked' && lastReconciledAt !== null)
    notices.check = (
      <>
        The check of the books is late. The last check was <TimeAgo iso={lastReconciledAt} />. Withdrawals
        require a review.
      </>
    )
  if (Object.keys(notices).length > 0) notices.calls = 'Calls are not affected.'
  return notices
}

/** Returns whether only the operator can settle what the notices are of: to read again does not help. */
const isOfBooks = ({ books, calls, ...others }: Readonly<Record<string, ReactNode>>) =>
  books !== undefined && calls !== undefined && Object.keys(others).length === 0

/** A time, with its age once that is a minute. */
function Time({ at }: { at: Date }) {
  const iso = at.toISOString()
  return (
    <>
      <time dateTime={iso} title={formatTime(iso)}>
        {at.toLocaleTimeString()}
      </time>{' '}
      (<TimeAgo iso={iso} />)
    </>
  )
}
