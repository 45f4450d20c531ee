import type { AnswerOf } from '@farebox/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BadgeCheck } from 'lucide-react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../api.ts'
import { Skeleton } from '../../ui/feedback/states.tsx'
import { Stat } from '../../ui/layout/page.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount, formatMs } from '../../ui/values/format-measures.ts'
import { TimeAgo } from '../../ui/values/time-ago.tsx'

type Reserves = AnswerOf<'readReserves'>

/** Live figures. They keep their place while loading and their values when a refetch fails. */
export function Figures() {
  const stats = useQuery({
    queryKey: ['market', 'stats'],
    queryFn: ({ signal }) => api.readMarketStats({ signal }),
    refetchInterval: FIGURES_POLL_INTERVAL_MS,
  })
  const reserves = useQuery({
    queryKey: ['reserves'],
    queryFn: ({ signal }) => api.readReserves({ signal }),
    refetchInterval: FIGURES_POLL_INTERVAL_MS,
  })
  const figure = (value: string | undefined) =>
    value ?? (stats.isError ? '–' : <Skeleton className="mt-1 h-6 w-16" />)
  const overhead = stats.data?.medianOverheadMs
  return (
    <section aria-label="Live figures" className="rounded-lg border bg-subtle">
      <dl className="grid gap-x-8 gap-y-5 p-5 max-sm:grid-cols-2 sm:grid-cols-3 lg:grid-cols-[auto_auto_auto_1.6fr] lg:gap-x-12">
        <Stat label="Callable services" note="right now">
          {figure(stats.data && formatCount(stats.data.services))}
        </Stat>
        <Stat label="Calls" note="in the last 7 days">
          {figure(stats.data && formatCount(stats.data.callsLast7Days))}
        </Stat>
        <Stat label="Median overhead" note="added to a paid call">
          {figure(stats.data && (overhead === null || overhead === undefined ? '–' : formatMs(overhead)))}
        </Stat>
        <Stat
          className="col-span-full lg:col-span-1"
          label="Reserves against liabilities"
          note={reserves.data === undefined ? 'checked on chain' : <Check proof={reserves.data} />}
        >
          <ReservesNow proof={reserves.data} isError={reserves.isError} />
        </Stat>
      </dl>
    </section>
  )
}

function Check({ proof }: { proof: Reserves }) {
  return (
    <>
      {proof.consistent && <BadgeCheck aria-hidden className="-mt-0.5 mr-1 inline size-4 text-accent" />}
      {proof.consistent ? 'Ledger and vault agree' : 'Being checked'}, block {formatCount(proof.blockNumber)},{' '}
      <TimeAgo iso={proof.asOf} />.{' '}
      <Link to="/proof" className="text-accent underline underline-offset-2">
        Verify
      </Link>
    </>
  )
}

function ReservesNow({ proof, isError }: { proof: Reserves | undefined; isError: boolean }) {
  if (proof === undefined && isError)
    return <span className="text-base font-normal text-muted">The chain cannot be read right now</span>
  return (
    <>
      {proof === undefined ? (
        <Skeleton className="mt-1 h-6 w-56" />
      ) : (
        <span className="flex flex-wrap gap-x-2">
          <Amount usdc={proof.vaultBalanceUsdc} />
          <span className="font-normal text-faint">for</span>
          <Amount usdc={proof.liabilitiesUsdc} />
        </span>
      )}
      <Bars vault={Number(proof?.vaultBalanceUsdc ?? 0)} owed={Number(proof?.liabilitiesUsdc ?? 0)} />
    </>
  )
}

/** Reserves above liabilities, as bars on one scale. */
function Bars({ vault, owed }: { vault: number; owed: number }) {
  const scale = Math.max(vault, owed)
  const share = (amount: number) => (scale === 0 ? 0 : (amount / scale) * 100)
  return (
    <svg
      role="img"
      aria-label={`The vault holds ${vault} USDC, ${owed} USDC are owed`}
      viewBox="0 0 100 14"
      preserveAspectRatio="none"
      className="my-1.5 block h-3.5 w-full"
    >
      <rect width="100" height="6" className="fill-hover" />
      <rect width={share(vault)} height="6" className="fill-accent" />
      <rect y="8" width="100" height="6" className="fill-hover" />
      <rect y="8" width={share(owed)} height="6" className="fill-faint" />
    </svg>
  )
}
