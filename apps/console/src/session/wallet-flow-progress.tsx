import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/feedback/states.tsx'
import { Meter, type Step, Steps } from '../ui/feedback/steps.tsx'
import { Card } from '../ui/layout/page.tsx'
import { Address } from '../ui/values/address.tsx'
import type { WalletFlowState } from '../wallet/use-wallet-flow.ts'
import { UnknownTransactionError } from '../wallet/wallet-flow.ts'
import { WalletTrouble } from './wallet-trouble.tsx'

/** The card of a wallet flow in progress, with its steps. */
export function WalletFlowCard(props: {
  title: string
  /** Name of the flow in lower case: `deposit`. */
  noun: string
  flow: WalletFlowState<unknown>
  steps: readonly Step[]
  /** The active step waits for the reader, so no spinner is shown. */
  isCalm?: boolean
  /** Tells whether the page may be closed, and what the flow waits for. */
  status: string
  /** Label of the button that puts the flow aside; null when that is not possible now. */
  aside: string | null
}) {
  const { title, noun, flow, steps, isCalm = false, status, aside } = props
  return (
    <Card title={title}>
      {flow.isElsewhere && (
        <Notice className="mb-4">
          Another tab of this browser continues this {noun}. You can watch it here, or close that tab to
          continue in this one.
        </Notice>
      )}
      <Steps label={noun.charAt(0).toUpperCase() + noun.slice(1)} isCalm={isCalm} steps={steps} />
      <div className="mt-5 flex flex-wrap items-center gap-2 border-t pt-4">
        <p aria-live="polite" className="mr-auto max-w-md text-sm text-faint">
          {status}
        </p>
        {!flow.isElsewhere && aside !== null && (
          <Button size="sm" variant="ghost" onClick={flow.putAside} disabled={flow.isAsking}>
            {aside}
          </Button>
        )}
      </div>
    </Card>
  )
}

/** The card of a wallet flow that succeeded. */
export function WalletFlowDone(props: {
  title: string
  summary: string
  hash: string | undefined
  children: ReactNode
}) {
  return (
    <Card title={props.title}>
      <div role="status" className="flex flex-col items-center gap-2 py-6 text-center">
        <CircleCheck aria-hidden className="size-8 text-accent" />
        <p className="text-lg font-medium">{props.summary}</p>
        {props.hash !== undefined && (
          <p className="text-sm text-muted">
            <Transaction hash={props.hash} />
          </p>
        )}
        <div className="mt-3 flex flex-wrap justify-center gap-2">{props.children}</div>
      </div>
    </Card>
  )
}

/** A step of a wallet flow. `doing` is shown while the step is active. */
type WalletFlowStep<Place extends string> = {
  readonly place: Place
  readonly title: string
  readonly doing?: ReactNode
}

/**
 * Maps the steps of a flow to their states.
 *
 * @param frame wraps the content of the active step, for example with its error
 */
export function stepsAt<Place extends string>(
  at: { readonly place: Place; readonly isStuck: boolean },
  steps: readonly WalletFlowStep<Place>[],
  frame: (doing: ReactNode) => ReactNode,
): readonly Step[] {
  const reached = steps.findIndex(({ place }) => place === at.place)
  return steps.map(({ title, doing }, index) => {
    if (index !== reached) return { title, state: index < reached ? 'done' : 'waiting' }
    return { title, state: at.isStuck ? 'failed' : 'active', detail: frame(doing) }
  })
}

/** Returns whether the flow has stopped until the person acts. */
export function isStuck({ trouble }: Pick<WalletFlowState<unknown>, 'trouble'>): boolean {
  return trouble !== null && !trouble.isPassing
}

/** The content of the active step, with its error and the actions against it. */
export function StepDetail(props: {
  flow: WalletFlowState<unknown>
  describe: (error: unknown) => string
  /** The action offered when the chain does not know a transaction. */
  unknown: { readonly action: string; readonly act: () => void }
  /** Actions beside trying again. */
  ways?: ReactNode
  children: ReactNode
}) {
  const { flow, describe, unknown, ways, children } = props
  const { trouble } = flow
  const isUnknown = trouble?.error instanceof UnknownTransactionError
  return (
    <div className="flex flex-col items-start gap-2">
      {children}
      {trouble !== null && (
        <div role="alert" className="w-full">
          <Notice tone={trouble.isPassing ? 'warn' : 'bad'}>
            {describe(trouble.error)}
            {trouble.isPassing && !isUnknown && ' It is retried automatically.'}
          </Notice>
        </div>
      )}
      {isUnknown && (
        <Button size="sm" onClick={unknown.act}>
          {unknown.action}
        </Button>
      )}
      {trouble !== null && !trouble.isPassing && (
        <WalletTrouble error={trouble.error} onGoOn={flow.goOn}>
          {ways}
        </WalletTrouble>
      )}
    </div>
  )
}

/** The message and the next action of a flow that failed. */
export function EndDetail(props: {
  tone?: 'bad' | 'warn'
  message: string
  action: string
  onAction: () => void
}) {
  return (
    <div className="flex flex-col items-start gap-2" role="alert">
      <Notice tone={props.tone ?? 'bad'}>{props.message}</Notice>
      <Button size="sm" onClick={props.onAction}>
        {props.action}
      </Button>
    </div>
  )
}

/** A button that continues the flow with the wallet. Hidden in tabs that only watch. */
export function AskWallet({ flow, children }: { flow: WalletFlowState<unknown>; children: string }) {
  if (flow.isElsewhere) return null
  return (
    <Button size="sm" variant="primary" onClick={flow.goOn}>
      {children}
    </Button>
  )
}

export function Transaction({ hash }: { hash: string | undefined }) {
  return (
    hash !== undefined && (
      <>
        Transaction <Address value={hash} />
      </>
    )
  )
}

/** A transaction that was sent and is not in a block yet. */
export function Mining({ hash }: { hash: string | undefined }) {
  return (
    <p>
      <Transaction hash={hash} />, not in a block yet.
    </p>
  )
}

/** A transaction in a block, waiting for confirmations. */
export function Confirmations(props: {
  confirmations: number | undefined
  required: number
  hash: string | undefined
}) {
  const { confirmations = 0, required, hash } = props
  const count = Math.min(confirmations, required)
  return (
    <div className="flex max-w-sm flex-col gap-2">
      <p className="tabular">
        {count} of {required} confirmations. <Transaction hash={hash} />
      </p>
      <Meter label="Confirmations" value={count / required} isProgress />
    </div>
  )
}
