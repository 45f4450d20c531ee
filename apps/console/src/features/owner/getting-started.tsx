import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useConsoleConfig } from '../../console-config.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { type Step, Steps } from '../../ui/steps.tsx'
import { useFirstCall } from './first-call.ts'
import { useIssuedToken } from './issued-token.ts'

/** From nothing to a first call, for those who have made none. */
export function GettingStarted({ hasMoney, hasCredential }: { hasMoney: boolean; hasCredential: boolean }) {
  const isDevelopment = useConsoleConfig()?.hasFaucet === true
  const stateOf = (isDone: boolean, isNext: boolean): Step['state'] =>
    isDone ? 'done' : isNext ? 'active' : 'waiting'
  const isCalling = hasMoney && hasCredential
  return (
    <Card title="Get started">
      <Steps
        label="First steps"
        isCalm
        steps={[
          {
            title: isDevelopment ? 'Get test money, and deposit it' : 'Deposit some USDC',
            state: stateOf(hasMoney, !hasMoney),
            ...(!hasMoney && {
              detail: (
                <Todo
                  text={
                    isDevelopment
                      ? 'The faucet fills your wallet for nothing; the deposit moves it to your balance here.'
                      : 'It moves from your wallet into the vault. A few USDC last for many calls.'
                  }
                >
                  <Link to="/app/deposit" className={buttonClass({ variant: 'primary', size: 'sm' })}>
                    {isDevelopment ? 'Get test money' : 'Deposit'}
                  </Link>
                </Todo>
              ),
            }),
          },
          {
            title: 'Make a credential for your agent',
            state: stateOf(hasCredential, hasMoney && !hasCredential),
            ...(hasMoney &&
              !hasCredential && {
                detail: (
                  <Todo text="A token with limits of its own: how much it may spend, how fast, on what.">
                    <Link
                      to="/app/credentials"
                      search={{ new: true }}
                      className={buttonClass({ variant: 'primary', size: 'sm' })}
                    >
                      New credential
                    </Link>
                  </Todo>
                ),
              }),
          },
          {
            title: 'Make a first call',
            state: stateOf(false, isCalling),
            ...(isCalling && {
              detail: <FirstCall />,
            }),
          },
          {
            title: 'See it here',
            state: 'waiting',
            detail: 'The call appears below within seconds, with its price.',
          },
        ]}
      />
    </Card>
  )
}

function Todo({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-2.5">
      <p>{text}</p>
      {children}
    </div>
  )
}

/** A call to be pasted, with the token if it was made on this page. */
function FirstCall() {
  const issued = useIssuedToken()
  const call = useFirstCall(issued?.token ?? null)
  if (call === undefined) return <Skeleton className="mt-1 h-80 max-w-2xl" />
  if (call.snippets === null) return <p>No service can be called right now. Look at the market in a while.</p>
  return (
    <div className="mt-1 flex max-w-2xl flex-col gap-2">
      <p>
        {issued === null
          ? `It calls ${call.name}. Put the token that you stored where agt_... stands, and run it.`
          : `It calls ${call.name}, with the token that you just made. Run it in a shell.`}
      </p>
      <CodeBlock label="A first call" snippets={call.snippets} />
    </div>
  )
}
