import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { useEffect } from 'react'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { useFirstCalls } from '../../use-first-calls.ts'
import { Comparison } from './comparison.tsx'
import { Costs } from './costs.tsx'
import { Figures } from './figures.tsx'
import { LiveCall } from './live-call.tsx'
import { Picks } from './picks.tsx'

/** The front page: what the gateway does, live figures, and where to begin. */
export function FrontPage() {
  const { snippets, live, isKnown } = useFirstCalls()
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
            Deposit USDC, give each agent a budget, and call any API or model at its listed price. A call that
            fails costs nothing, and every balance is proven on chain.
          </p>
          <div className="mt-6 flex flex-wrap gap-2">
            <Link to="/market" className={buttonClass({ variant: 'primary' })}>
              Browse the market <ArrowRight aria-hidden className="size-4" />
            </Link>
            <Link to={'/app' as string} className={buttonClass()}>
              Get a credential
            </Link>
            <a href="/docs" className={buttonClass({ variant: 'ghost' })}>
              Read the docs
            </a>
          </div>
        </div>
        <div className={isKnown ? 'min-w-0' : 'invisible min-w-0'}>
          <CodeBlock
            label="A first call"
            lead={live && { label: 'Try it', content: <LiveCall service={live} /> }}
            snippets={snippets}
            className="h-84"
          />
        </div>
      </section>
      <Figures />
      <Costs />
      <Picks />
      <HowItWorks />
      <Comparison />
    </div>
  )
}

const steps = [
  [
    'Owners deposit and set limits',
    'Sign in with a wallet, deposit USDC on chain, and mint a credential for each agent with its own budget, rate and list of services.',
  ],
  [
    'Agents find and call',
    'One API finds services by what they do. A call holds its price and releases the unused part. Repeating a call with the same key is free.',
  ],
  [
    'Providers are paid',
    'Every answered call is credited immediately and can be withdrawn on chain at any time. Requests are signed. Offer your own API under Provider.',
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
