import { parseUsdc } from '@farebox/money'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ConsoleConfig } from '../../console-config.ts'
import { WalletTrouble } from '../../session/wallet-trouble.tsx'
import { Address } from '../../ui/address.tsx'
import { tellAmount } from '../../ui/amounts.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice, tellError } from '../../ui/states.tsx'
import { Meter, type Step, Steps } from '../../ui/steps.tsx'
import { type DepositDraft, type DepositStage, stageOf } from './deposit-draft.ts'
import { UnknownTransactionError } from './deposit-flow.ts'
import type { DepositFlow } from './use-deposit.ts'

const order: readonly DepositStage[] = ['permission', 'sending', 'mining', 'crediting', 'credited']

/** A deposit on its way, step by step, with what stands in its way and what to do about it. */
export function DepositProgress(props: { flow: DepositFlow; draft: DepositDraft; config: ConsoleConfig }) {
  const { flow, draft, config } = props
  const stage = stageOf(draft)
  const amount = tellAmount(parseUsdc(draft.amountUsdc))
  if (stage === 'credited') return <Credited amount={amount} draft={draft} onDone={flow.forget} />
  return (
    <Card title={`Deposit of ${amount}`}>
      {flow.isElsewhere && (
        <Notice className="mb-4">
          Another tab of this browser carries this deposit. You can watch it here; close that tab to go on in
          this one.
        </Notice>
      )}
      <Steps label="Deposit" steps={stepsOf(flow, draft, config)} />
      <div className="mt-5 flex flex-wrap items-center gap-2 border-t pt-4">
        <p aria-live="polite" className="mr-auto max-w-md text-sm text-faint">
          {stage === 'mining' || stage === 'crediting'
            ? 'You may close this page: the gateway credits the deposit by itself.'
            : 'You may reload or come back later: this page goes on where it was.'}
        </p>
        {!flow.isElsewhere && (
          <Button size="sm" variant="ghost" onClick={flow.forget} disabled={flow.isAsking}>
            {draft.hash === undefined ? 'Cancel' : stage === 'ended' ? 'Close' : 'Hide'}
          </Button>
        )}
      </div>
    </Card>
  )
}

function Credited({ amount, draft, onDone }: { amount: string; draft: DepositDraft; onDone: () => void }) {
  return (
    <Card title={`Deposit of ${amount}`}>
      <div role="status" className="flex flex-col items-center gap-2 py-6 text-center">
        <CircleCheck aria-hidden className="size-8 text-accent" />
        <p className="text-lg font-medium">{amount} are yours to spend</p>
        {draft.hash !== undefined && (
          <p className="text-sm text-muted">
            Transaction <Address value={draft.hash} />
          </p>
        )}
        <div className="mt-3 flex flex-wrap justify-center gap-2">
          <Link
            to={'/app/credentials' as string}
            search={{ new: true } as never}
            className={buttonClass({ variant: 'primary' })}
            onClick={onDone}
          >
            Make a credential
          </Link>
          <Button onClick={onDone}>Deposit more</Button>
        </div>
      </div>
    </Card>
  )
}

function stepsOf(flow: DepositFlow, draft: DepositDraft, config: ConsoleConfig): Step[] {
  const stage = stageOf(draft)
  const endedAt: DepositStage = draft.isMined ? 'crediting' : 'mining'
  const reached = order.indexOf(stage === 'ended' ? endedAt : stage)
  const stateOf = (at: DepositStage): Step['state'] => {
    const place = order.indexOf(at)
    if (place < reached) return 'done'
    if (place > reached) return 'waiting'
    if (stage === 'ended' || (flow.trouble !== null && !flow.trouble.isPassing)) return 'failed'
    return 'active'
  }
  const tell = (at: DepositStage, doing: ReactNode): Pick<Step, 'state'> & { detail?: ReactNode } => {
    const state = stateOf(at)
    if (state === 'active' || state === 'failed')
      return {
        state,
        detail: (
          <Detail flow={flow} draft={draft}>
            {doing}
          </Detail>
        ),
      }
    return { state }
  }
  const transaction =
    draft.hash === undefined ? null : (
      <>
        Transaction <Address value={draft.hash} />
      </>
    )
  const count = Math.min(draft.confirmations ?? 0, config.requiredConfirmations)
  return [
    {
      title: 'Let the vault take the amount',
      ...tell('permission', <Permission flow={flow} draft={draft} />),
    },
    { title: 'Send the deposit', ...tell('sending', <Sending flow={flow} draft={draft} />) },
    {
      title: 'The chain takes it up',
      ...tell('mining', <p>{transaction}, not in a block yet.</p>),
    },
    {
      title: 'Confirmations',
      ...tell(
        'crediting',
        <div className="flex max-w-sm flex-col gap-2">
          <p className="tabular">
            {count} of {config.requiredConfirmations} confirmations. {transaction}
          </p>
          <Meter label="Confirmations" value={count / config.requiredConfirmations} isProgress />
        </div>,
      ),
    },
    { title: 'Credited', state: stateOf('credited') },
  ]
}

/** What a step does at the moment, and what keeps it from going on. */
function Detail({ flow, draft, children }: { flow: DepositFlow; draft: DepositDraft; children: ReactNode }) {
  const { trouble } = flow
  if (draft.end !== undefined) {
    return (
      <div className="flex flex-col items-start gap-2" role="alert">
        <Notice tone="bad">{draft.end.told}</Notice>
        <Button size="sm" onClick={flow.forget}>
          Start over
        </Button>
      </div>
    )
  }
  return (
    <div className="flex flex-col items-start gap-2">
      {children}
      {trouble !== null && (
        <div role="alert" className="w-full">
          <Notice tone={trouble.isPassing ? 'warn' : 'bad'}>
            {tellError(trouble.error)}
            {trouble.isPassing &&
              !(trouble.error instanceof UnknownTransactionError) &&
              ' It is tried again by itself.'}
          </Notice>
        </div>
      )}
      {trouble?.error instanceof UnknownTransactionError && (
        <Button size="sm" onClick={flow.forget}>
          Give it up and start over
        </Button>
      )}
      {trouble !== null && !trouble.isPassing && (
        <WalletTrouble error={trouble.error} onGoOn={flow.goOn}>
          {stageOf(draft) === 'permission' && draft.way === 'permit' && (
            <Button size="sm" onClick={flow.approveInstead}>
              Approve by a transaction instead
            </Button>
          )}
        </WalletTrouble>
      )}
    </div>
  )
}

function Permission({ flow, draft }: { flow: DepositFlow; draft: DepositDraft }) {
  const isSent = draft.approval?.hash !== undefined
  if (isSent) return <p>The approval is on its way to the chain.</p>
  if (flow.isAsking)
    return (
      <p>
        {draft.way === 'permit'
          ? 'Sign the permit in your wallet. It costs nothing.'
          : 'Confirm the approval in your wallet.'}
      </p>
    )
  if (flow.trouble !== null) return null
  return <Ask flow={flow}>{draft.way === 'permit' ? 'Sign the permit' : 'Approve'}</Ask>
}

function Sending({ flow, draft }: { flow: DepositFlow; draft: DepositDraft }) {
  if (flow.isAsking) return <p>Confirm the deposit in your wallet.</p>
  if (flow.trouble !== null && !flow.trouble.isPassing) return null
  if (!draft.isAsked) return <Ask flow={flow}>Send the deposit</Ask>
  return (
    <>
      <p>
        Your wallet was asked for this deposit before. If you confirmed it, it shows up here by itself; if
        not, ask again.
      </p>
      <Ask flow={flow}>Ask my wallet again</Ask>
    </>
  )
}

function Ask({ flow, children }: { flow: DepositFlow; children: ReactNode }) {
  if (flow.isElsewhere) return null
  return (
    <Button size="sm" variant="primary" onClick={flow.goOn}>
      {children}
    </Button>
  )
}
