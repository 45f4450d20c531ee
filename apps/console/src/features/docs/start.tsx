import { Link } from '@tanstack/react-router'
import { CodeBlock } from '../../ui/code-block.tsx'
import { useFirstCalls } from '../../use-first-calls.ts'

const steps = [
  {
    to: '/app',
    title: 'Get a credential',
    text: 'Sign in with a wallet, deposit USDC, and give your agent a budget.',
  },
  {
    to: '/market',
    title: 'Choose a service',
    text: 'Each has its price, its figures, and code that calls it.',
  },
  {
    to: '/playground',
    title: 'Make a call',
    text: 'By any HTTP client, an OpenAI or Anthropic SDK, or MCP. In the playground, without code.',
  },
] as const

/** The way to a first call, and its code. */
export function Start() {
  const { snippets, isKnown } = useFirstCalls()
  return (
    <section
      aria-label="Start here"
      className="grid items-center gap-x-10 gap-y-6 rounded-lg border bg-raised p-5 lg:grid-cols-[1fr_1.3fr]"
    >
      <div>
        <h2 className="text-base font-medium">Start here</h2>
        <ol className="mt-3 flex flex-col gap-3.5">
          {steps.map(({ to, title, text }, index) => (
            <li key={to} className="flex gap-3">
              <span
                aria-hidden
                className="flex size-6 shrink-0 items-center justify-center rounded-full bg-hover text-sm tabular"
              >
                {index + 1}
              </span>
              <div>
                <Link
                  to={to as string}
                  className="font-medium text-accent underline-offset-2 hover:underline"
                >
                  {title}
                </Link>
                <p className="text-sm text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ol>
        <p className="mt-4 text-sm text-muted">
          To offer your own API,{' '}
          <Link to={'/provider/new' as string} className="underline underline-offset-2 hover:text-text">
            register it
          </Link>{' '}
          and set a price.
        </p>
      </div>
      <div className={isKnown ? 'min-w-0' : 'invisible min-w-0'}>
        <CodeBlock label="A first call" snippets={snippets} className="h-64" />
      </div>
    </section>
  )
}
