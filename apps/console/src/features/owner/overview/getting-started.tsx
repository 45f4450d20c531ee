import type { AnswerOf } from '@farebox/client'
import { Link, useNavigate } from '@tanstack/react-router'
import { useConsoleConfig } from '../../../console-config.ts'
import { useSession } from '../../../session/session.ts'
import { createIntroduction, useIntroduction } from '../../../session/use-introduction.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { FirstSteps, Todo } from '../../../ui/feedback/first-steps.tsx'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { useIssuedToken } from '../credentials/issued-token.ts'
import { useFaucet } from '../deposits/use-faucet.ts'
import { useFirstCall } from '../first-call.ts'

type Call = AnswerOf<'listUsage'>['logs'][number]

const introduction = createIntroduction('owner')

/**
 * The steps to a first call: for wallets without calls, and then, all ticked off, until they are hidden or the page is
 * reloaded.
 */
export function GettingStarted(props: { hasMoney: boolean; hasCredential: boolean; calls: readonly Call[] }) {
  const { hasMoney, hasCredential, calls } = props
  const first = calls.at(-1)
  const hasCalled = first !== undefined
  const { isShown, hide } = useIntroduction(introduction, hasCalled)
  const isDevelopment = useConsoleConfig()?.hasFaucet === true
  const primary = buttonClass({ variant: 'primary', size: 'sm' })
  if (!isShown) return null
  return (
    <FirstSteps
      onHide={hasCalled ? hide : undefined}
      steps={[
        {
          title: isDevelopment ? 'Get and deposit test money' : 'Deposit some USDC',
          // A call may have spent all of it.
          isDone: hasMoney || hasCalled,
          todo: isDevelopment ? (
            <FirstTestMoney />
          ) : (
            <Todo text="Your USDC moves from your wallet into the vault. A few USDC last for many calls.">
              <Link to="/app/deposit" className={primary}>
                Deposit
              </Link>
            </Todo>
          ),
        },
        {
          title: 'Create a credential for your agent',
          isDone: hasCredential || hasCalled,
          todo: (
            <Todo text="A token with its own budget, rate limit and services.">
              <Link to="/app/credentials" search={{ new: true }} className={primary}>
                New credential
              </Link>
            </Todo>
          ),
        },
        { title: 'Make a first call', isDone: hasCalled, todo: <FirstCall /> },
        {
          title: 'See it here',
          isDone: hasCalled,
          detail:
            first === undefined ? (
              'The call appears below within seconds with its price.'
            ) : (
              <Link
                to="/app/calls/{-$id}"
                params={{ id: first.invocationId }}
                className="rounded text-accent hover:underline"
              >
                Open its receipt
              </Link>
            ),
        },
      ]}
    />
  )
}

/** Gets test money for the wallet, and goes on to its deposit. */
function FirstTestMoney() {
  const session = useSession()
  const navigate = useNavigate()
  const faucet = useFaucet(session?.address)
  const get = () => faucet.mutate(undefined, { onSuccess: () => navigate({ to: '/app/deposit' }) })
  return (
    <>
      <Failed error={faucet.error} className="mb-2" />
      <Todo text="The faucet gives your wallet free test USDC; a deposit moves it to your balance.">
        <Button variant="primary" size="sm" isBusy={faucet.isPending} onClick={get}>
          Get test money
        </Button>
        <Link to="/app/deposit" className={buttonClass({ size: 'sm' })}>
          Deposit
        </Link>
      </Todo>
    </>
  )
}

/** Snippets of a first call, with the token if it was issued on this page. */
function FirstCall() {
  const issued = useIssuedToken()
  const call = useFirstCall(issued?.token ?? null)
  if (call === undefined) return <Skeleton className="mt-1 h-80 max-w-2xl" />
  if (call.snippets === null)
    return (
      <Todo text="The page of each service has code that calls it.">
        <Link to="/market" className={buttonClass({ variant: 'primary', size: 'sm' })}>
          Choose a service
        </Link>
      </Todo>
    )
  return (
    <div className="mt-1 flex max-w-2xl flex-col gap-2">
      <p>
        {issued === null
          ? `It calls ${call.name}. Replace agt_... with your token and run it.`
          : `It calls ${call.name}, with the token that you just created. Run it in a shell.`}
      </p>
      <CodeBlock label="A first call" snippets={call.snippets} />
    </div>
  )
}
