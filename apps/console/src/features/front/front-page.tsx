import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, BadgeCheck } from 'lucide-react'
import { useEffect } from 'react'
import { api, FIGURES_POLL_INTERVAL_MS } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Skeleton } from '../../ui/feedback/states.tsx'
import { Stat } from '../../ui/layout/page.tsx'
import { useIsHydrated } from '../../ui/state/use-is-hydrated.ts'
import { Amount } from '../../ui/values/amount.tsx'
import { formatCount, formatMs } from '../../ui/values/measures.tsx'
import { TimeAgo } from '../../ui/values/time-ago.tsx'
import { firstCalls, useCallable } from './first-calls.ts'
import { Picks } from './picks.tsx'

/** Reserves the width of a typical origin in the prerendered page. */
const SOME_ORIGIN = 'https://gateway.example'

/** The front page: what the gateway does, live figures, and where to begin. */
export function FrontPage() {
  const isHydrated = useIsHydrated()
  const callable = useCallable()
  useEffect(() => {
    document.title = 'Farebox: pay-per-call APIs and models for software agents'
  }, [])
  return (
    <div className="flex flex-col gap-14 py-10 sm:py-16">
      <section className="grid items-center gap-x-12 gap-y-8 lg:grid-cols-[1.05fr_1fr]">
        <div>
          <h1 className="text-3xl leading-tight font-semibold tracking-tight sm:text-4xl">
            One credential for every API and model your agents call
          </h1>
          <p className="mt-4 max-w-xl text-lg text-muted">
            Farebox stands between paying software agents and the providers they use. It holds the price,
            makes the call, charges what was used, and credits the provider: in USDC, to the micro-dollar.
          </p>
          <div className="mt-6 flex flex-wrap gap-2">
            <Link to="/market" className={buttonClass({ variant: 'primary' })}>
              Browse the market <ArrowRight aria-hidden className="size-4" />
            </Link>
            <Link to={'/app' as string} className={buttonClass()}>
              Get a credential
            </Link>
            <Link to={'/provider/new' as string} className={buttonClass({ variant: 'ghost' })}>
              Offer a service
            </Link>
          </div>
        </div>
        <div className={callable === undefined ? 'invisible min-w-0' : 'min-w-0'}>
          <CodeBlock
            label="A first call"
            snippets={firstCalls(isHydrated ? window.location.origin : SOME_ORIGIN, callable)}
          />
        </div>
      </section>
      <Figures />
      <Picks />
      <HowItWorks />
    </div>
  )
}

/** Live figures. They keep their place while loading and their values when a refetch fails. */
function Figures() {
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
  const proof = reserves.data
  const figure = (value: string | undefined) =>
    value ?? (stats.isError ? '–' : <Skeleton className="mt-1 h-6 w-16" />)
  const overhead = stats.data?.medianOverheadMs
  return (
    <section aria-label="Live figures" className="rounded-lg border bg-subtle">
      <dl className="grid gap-x-8 gap-y-5 p-5 sm:grid-cols-2 lg:grid-cols-[auto_auto_auto_1.6fr] lg:gap-x-12">
        <Stat label="Services to call" note="right now">
          {figure(stats.data && formatCount(stats.data.services))}
        </Stat>
        <Stat label="Calls" note="in the last 7 days">
          {figure(stats.data && formatCount(stats.data.callsLast7Days))}
        </Stat>
        <Stat label="Median overhead" note="added to a paid call">
          {figure(stats.data && (overhead === null || overhead === undefined ? '–' : formatMs(overhead)))}
        </Stat>
        <Stat
          label="Reserves against liabilities"
          note={
            proof === undefined ? (
              <span className="inline-block">checked on chain</span>
            ) : (
              <>
                {proof.consistent && (
                  <BadgeCheck aria-hidden className="-mt-0.5 mr-1 inline size-4 text-accent" />
                )}
                {proof.consistent ? 'Books agree with the vault' : 'Being checked'}, block{' '}
                {formatCount(proof.blockNumber)}, <TimeAgo iso={proof.asOf} />.{' '}
                <Link to="/proof" className="text-accent underline underline-offset-2">
                  See the proof
                </Link>
              </>
            )
          }
        >
          {proof === undefined ? (
            reserves.isError ? (
              <span className="text-base font-normal text-muted">The chain cannot be read right now</span>
            ) : (
              <Skeleton className="mt-1 h-6 w-56" />
            )
          ) : (
            <span className="flex flex-wrap gap-x-2">
              <Amount usdc={proof.vaultBalanceUsdc} />
              <span className="font-normal text-faint">for</span>
              <Amount usdc={proof.liabilitiesUsdc} />
            </span>
          )}
        </Stat>
      </dl>
    </section>
  )
}

const steps = [
  [
    'Owners deposit and set limits',
    'Sign in with a wallet, deposit USDC on chain, and mint a credential for each agent with its own budget, rate and list of services.',
  ],
  [
    'Agents find and call',
    'One API finds services by what they do. A call holds its price, and releases what was not used. A key makes a repetition free.',
  ],
  [
    'Providers are paid',
    'Every call that was answered is credited at once, and withdrawn on chain whenever they like. Requests come signed.',
  ],
] as const

function HowItWorks() {
  return (
    <section aria-labelledby="how">
      <h2 id="how" className="text-lg font-semibold">
        How it works
      </h2>
      <ol className="mt-4 grid gap-x-10 gap-y-6 md:grid-cols-3">
        {steps.map(([title, text], index) => (
          <li key={title} className="border-t pt-4">
            <p className="text-sm text-faint tabular">{index + 1}</p>
            <h3 className="mt-1 font-medium">{title}</h3>
            <p className="mt-1 text-muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
