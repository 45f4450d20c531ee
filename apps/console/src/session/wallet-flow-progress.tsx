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

/** An errand on its way, step by step. */
export function WalletFlowCard(props: {
  title: string
  /** What it is, in a word: `deposit`. */
  noun: string
  flow: WalletFlowState<unknown>
  steps: readonly Step[]
  /** It waits for the reader. */
  isCalm?: boolean
  /** What becomes of it when the reader goes. */
  status: string
  /** What putting it aside is called; null when that cannot be done now. */
  aside: string | null
}) {
  const { title, noun, flow, steps, isCalm = false, status, aside } = props
  return (
    <Card title={title}>
      {flow.isElsewhere && (
        <Notice className="mb-4">
          Another tab of this browser carries this {noun}. You can watch it here; close that tab to go on in
          this one.
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

/** An errand that is over, and went well. */
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

/** A step of an errand. `doing` is what it does at the moment. */
type WalletFlowStep<Place extends string> = {
  readonly place: Place
  readonly title: string
  readonly doing?: ReactNode
}

/**
 * The steps of an errand, of which one is under way.
 *
 * @param frame what stands around that one's doing, such as what keeps it from going on
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

/** Whether nothing happens any more unless somebody does something. */
export function isStuck({ trouble }: Pick<WalletFlowState<unknown>, 'trouble'>): boolean {
  return trouble !== null && !trouble.isPassing
}

/** What a step does at the moment, and what keeps it from going on. */
export function StepDetail(props: {
  flow: WalletFlowState<unknown>
  describe: (error: unknown) => string
  /** What can be done about a transaction that the chain does not know. */
  unknown: { readonly action: string; readonly act: () => void }
  /** Ways on beside trying again. */
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
            {trouble.isPassing && !isUnknown && ' It is tried again by itself.'}
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

/** Why an errand did not come about, and the way on. */
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

/** Has the wallet asked; by the tab whose turn it is. */
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

/** A transaction was sent, and is in no block. */
export function Mining({ hash }: { hash: string | undefined }) {
  return (
    <p>
      <Transaction hash={hash} />, not in a block yet.
    </p>
  )
}

/** A transaction is in a block; others are wanted on top of it. */
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
