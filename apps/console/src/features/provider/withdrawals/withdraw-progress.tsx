import { parseUsdc } from '@farebox/money'
import {
  AskWallet,
  Confirmations,
  EndDetail,
  isStuck,
  Mining,
  StepDetail,
  stepsAt,
  WalletFlowCard,
  WalletFlowDone,
} from '../../../session/wallet-flow-progress.tsx'
import { Button } from '../../../ui/button.tsx'
import type { Step } from '../../../ui/feedback/steps.tsx'
import { formatWithUnit } from '../../../ui/values/amounts.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import type { WithdrawFlow } from './use-withdraw.ts'
import { stageOf, type Withdrawal, type WithdrawDraft, type WithdrawStage } from './withdraw-draft.ts'
import { describeReview, describeTrouble } from './withdraw-labels.ts'

type Props = { flow: WithdrawFlow; draft: WithdrawDraft; requiredConfirmations: number }

/** A withdrawal in progress, with its errors and the actions against them. */
export function WithdrawProgress(props: Props) {
  const { flow, draft } = props
  const stage = stageOf(draft)
  const amount = formatWithUnit(parseUsdc(draft.amountUsdc))
  const title = `Withdrawal of ${amount}`
  if (stage === 'completed')
    return (
      <WalletFlowDone title={title} summary={`${amount} was paid to your wallet`} hash={draft.hash}>
        <Button onClick={flow.putAside}>Close</Button>
      </WalletFlowDone>
    )
  return (
    <WalletFlowCard
      title={title}
      noun="withdrawal"
      flow={flow}
      steps={stepsOf(props)}
      isCalm={stage === 'redeeming' && !flow.isAsking && draft.askedAfter === undefined}
      status={describeNextStep(stage)}
      aside={stage === 'opening' ? null : stage === 'ended' ? 'Close' : 'Later'}
    />
  )
}

function describeNextStep(stage: WithdrawStage): string {
  if (stage === 'review') return 'You can close this page and continue later from the list below.'
  if (stage === 'mining' || stage === 'confirming')
    return 'You can close this page. The gateway will complete the withdrawal.'
  return 'You can reload or come back later. This page will continue where you left off.'
}

/** Returns the step that a stage belongs to. */
function placeOf(
  stage: WithdrawStage,
  draft: WithdrawDraft,
): Exclude<WithdrawStage, 'review' | 'expired' | 'ended'> {
  if (stage === 'review') return 'opening'
  if (stage === 'expired') return 'redeeming'
  if (stage !== 'ended') return stage
  return draft.ticket === undefined ? 'opening' : 'redeeming'
}

function stepsOf({ flow, draft, requiredConfirmations }: Props): readonly Step[] {
  const { hash, confirmations, end } = draft
  const stage = stageOf(draft)
  return stepsAt(
    { place: placeOf(stage, draft), isStuck: end !== undefined || isStuck(flow) },
    [
      stage === 'review'
        ? { place: 'opening', title: 'Review', doing: <Review causes={draft.reviewCauses} /> }
        : {
            place: 'opening',
            title: 'Get the ticket',
            doing: <p>The gateway locks the amount and signs a ticket for it.</p>,
          },
      {
        place: 'redeeming',
        title: 'Redeem it with your wallet',
        doing: stage === 'expired' ? <Expired /> : <Redeeming flow={flow} draft={draft} />,
      },
      { place: 'mining', title: 'Chain confirmation', doing: <Mining hash={hash} /> },
      {
        place: 'confirming',
        title: 'Confirmations',
        doing: <Confirmations confirmations={confirmations} required={requiredConfirmations} hash={hash} />,
      },
      { place: 'completed', title: 'Paid' },
    ],
    doing =>
      end !== undefined ? (
        <EndDetail
          tone={end.why === 'CANCELLED' ? 'warn' : 'bad'}
          message={end.reported}
          action={end.why === 'REFUSED' ? 'Back' : 'Withdraw again'}
          onAction={flow.putAside}
        />
      ) : (
        <StepDetail
          flow={flow}
          describe={describeTrouble}
          unknown={{ action: 'Ask the wallet again', act: flow.sendAgain }}
        >
          {doing}
        </StepDetail>
      ),
  )
}

function Review({ causes }: { causes: Withdrawal['reviewCauses'] | undefined }) {
  return (
    <p>
      The operator reviews this withdrawal before a ticket is issued. {describeReview(causes)} The amount is
      locked until then. If the withdrawal is rejected, the amount is returned to your earnings.
    </p>
  )
}

function Expired() {
  return (
    <p>
      The ticket has expired, so the vault no longer pays it. The amount returns to your earnings once the
      chain confirms the expiry.
    </p>
  )
}

function Redeeming({ flow, draft }: { flow: WithdrawFlow; draft: WithdrawDraft }) {
  if (draft.ticket === undefined) return null
  if (flow.isAsking) return <p>Confirm the withdrawal in your wallet.</p>
  if (isStuck(flow)) return null
  const deadline = new Date(draft.ticket.deadline * 1_000).toISOString()
  return (
    <>
      <p>
        {draft.askedAfter === undefined
          ? 'Your ticket is signed. Send it to the vault to be paid immediately. You pay the network fee.'
          : 'Your wallet was already asked. If you confirmed, the transaction appears here. Otherwise, ask again.'}{' '}
        It expires <TimeAgo iso={deadline} />.
      </p>
      <AskWallet flow={flow}>{draft.askedAfter === undefined ? 'Redeem' : 'Ask the wallet again'}</AskWallet>
    </>
  )
}
