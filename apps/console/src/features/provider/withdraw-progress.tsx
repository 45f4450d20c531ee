import { parseUsdc } from '@farebox/money'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { WalletTrouble } from '../../session/wallet-trouble.tsx'
import { Address } from '../../ui/address.tsx'
import { tellAmount } from '../../ui/amounts.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import { Meter, type Step, Steps } from '../../ui/steps.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import type { WithdrawFlow } from './use-withdraw.ts'
import { stageOf, type WithdrawDraft, type WithdrawStage } from './withdraw-draft.ts'
import { tellTrouble } from './withdraw-words.ts'

type Props = { flow: WithdrawFlow; draft: WithdrawDraft; requiredConfirmations: number }

/** A withdrawal on its way, step by step, with what stands in its way and what to do about it. */
export function WithdrawProgress(props: Props) {
  const { flow, draft } = props
  const stage = stageOf(draft)
  const amount = tellAmount(parseUsdc(draft.amountUsdc))
  if (stage === 'completed') return <Paid amount={amount} draft={draft} onDone={flow.putAside} />
  return (
    <Card title={`Withdrawal of ${amount}`}>
      {flow.isElsewhere && (
        <Notice className="mb-4">
          Another tab of this browser carries this withdrawal. You can watch it here; close that tab to go on
          in this one.
        </Notice>
      )}
      <Steps
        label="Withdrawal"
        isCalm={stage === 'redeeming' && !flow.isAsking && draft.askedAfter === undefined}
        steps={stepsOf(props)}
      />
      <div className="mt-5 flex flex-wrap items-center gap-2 border-t pt-4">
        <p aria-live="polite" className="mr-auto max-w-md text-sm text-faint">
          {tellRest(stage)}
        </p>
        {!flow.isElsewhere && stage !== 'opening' && (
          <Button size="sm" variant="ghost" onClick={flow.putAside} disabled={flow.isAsking}>
            {stage === 'ended' ? 'Close' : 'Later'}
          </Button>
        )}
      </div>
    </Card>
  )
}

function tellRest(stage: WithdrawStage): string {
  if (stage === 'review')
    return 'You may close this page: it stands in the list below, and waits for you there.'
  if (stage === 'mining' || stage === 'confirming')
    return 'You may close this page: the gateway completes it by itself.'
  return 'You may reload or come back later: this page goes on where it was.'
}

function Paid({ amount, draft, onDone }: { amount: string; draft: WithdrawDraft; onDone: () => void }) {
  return (
    <Card title={`Withdrawal of ${amount}`}>
      <div role="status" className="flex flex-col items-center gap-2 py-6 text-center">
        <CircleCheck aria-hidden className="size-8 text-accent" />
        <p className="text-lg font-medium">{amount} are in your wallet</p>
        {draft.hash !== undefined && (
          <p className="text-sm text-muted">
            Transaction <Address value={draft.hash} />
          </p>
        )}
        <Button className="mt-3" onClick={onDone}>
          Done
        </Button>
      </div>
    </Card>
  )
}

const order = ['opening', 'redeeming', 'mining', 'confirming', 'completed'] as const
type Place = (typeof order)[number]

/** The step that a stage belongs to. */
function placeOf(stage: WithdrawStage, draft: WithdrawDraft): Place {
  if (stage === 'review') return 'opening'
  if (stage === 'expired') return 'redeeming'
  if (stage !== 'ended') return stage
  return draft.ticket === undefined ? 'opening' : 'redeeming'
}

function stepsOf({ flow, draft, requiredConfirmations }: Props): Step[] {
  const stage = stageOf(draft)
  const at = order.indexOf(placeOf(stage, draft))
  const isStuck = stage === 'ended' || (flow.trouble !== null && !flow.trouble.isPassing)
  const tell = (place: Place, doing?: ReactNode): Pick<Step, 'state' | 'detail'> => {
    const index = order.indexOf(place)
    if (index < at) return { state: 'done' }
    if (index > at) return { state: 'waiting' }
    return {
      state: isStuck ? 'failed' : 'active',
      detail: (
        <Detail flow={flow} draft={draft}>
          {doing}
        </Detail>
      ),
    }
  }
  const count = Math.min(draft.confirmations ?? 0, requiredConfirmations)
  const transaction = draft.hash !== undefined && (
    <>
      Transaction <Address value={draft.hash} />
    </>
  )
  return [
    {
      title: stage === 'review' ? 'Review' : 'Get the ticket',
      ...tell(
        'opening',
        stage === 'review' ? (
          <p>
            A person looks at it before a ticket is made: it is above what goes out at once, or the vault is
            short at the moment. The amount is locked meanwhile; if it is rejected, it comes back.
          </p>
        ) : (
          <p>The gateway locks the amount and signs a ticket for it.</p>
        ),
      ),
    },
    {
      title: 'Redeem it with your wallet',
      ...tell('redeeming', stage === 'expired' ? <Expired /> : <Redeeming flow={flow} draft={draft} />),
    },
    { title: 'The chain takes it up', ...tell('mining', <p>{transaction}, not in a block yet.</p>) },
    {
      title: 'Confirmations',
      ...tell(
        'confirming',
        <div className="flex max-w-sm flex-col gap-2">
          <p className="tabular">
            {count} of {requiredConfirmations} confirmations. {transaction}
          </p>
          <Meter label="Confirmations" value={count / requiredConfirmations} isProgress />
        </div>,
      ),
    },
    { title: 'Paid', ...tell('completed') },
  ]
}

function Expired() {
  return (
    <p>
      The deadline of the ticket has passed, so the vault does not pay it any more. The amount comes back to
      you here as soon as the chain has confirmed that.
    </p>
  )
}

function Redeeming({ flow, draft }: { flow: WithdrawFlow; draft: WithdrawDraft }) {
  if (draft.ticket === undefined) return null
  if (flow.isAsking) return <p>Confirm the withdrawal in your wallet.</p>
  if (flow.trouble !== null && !flow.trouble.isPassing) return null
  const deadline = new Date(draft.ticket.deadline * 1_000).toISOString()
  return (
    <>
      <p>
        {draft.askedAfter === undefined
          ? 'Your ticket is signed. Send it to the vault, which pays you at once; the network fee is yours.'
          : 'Your wallet was asked for this before. If you confirmed it, it shows up here by itself; if not, ask again.'}{' '}
        It is good until <TimeAgo iso={deadline} />.
      </p>
      {!flow.isElsewhere && (
        <Button size="sm" variant="primary" onClick={flow.goOn}>
          {draft.askedAfter === undefined ? 'Redeem' : 'Ask my wallet again'}
        </Button>
      )}
    </>
  )
}

/** What a step does at the moment, and what keeps it from going on. */
function Detail({
  flow,
  draft,
  children,
}: {
  flow: WithdrawFlow
  draft: WithdrawDraft
  children: ReactNode
}) {
  const { trouble } = flow
  if (draft.end !== undefined) {
    return (
      <div className="flex flex-col items-start gap-2" role="alert">
        <Notice tone={draft.end.why === 'CANCELLED' ? 'warn' : 'bad'}>{draft.end.told}</Notice>
        <Button size="sm" onClick={flow.putAside}>
          {draft.end.why === 'REFUSED' ? 'Back' : 'Withdraw again'}
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
            {tellTrouble(trouble.error)}
            {trouble.isPassing && ' It is tried again by itself.'}
          </Notice>
        </div>
      )}
      {trouble !== null && !trouble.isPassing && <WalletTrouble error={trouble.error} onGoOn={flow.goOn} />}
    </div>
  )
}
