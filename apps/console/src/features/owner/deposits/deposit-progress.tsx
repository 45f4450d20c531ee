import { parseUsdc } from '@farebox/money'
import { Link } from '@tanstack/react-router'
import type { ConsoleConfig } from '../../../console-config.ts'
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
import { Button, buttonClass } from '../../../ui/button.tsx'
import { describeError } from '../../../ui/feedback/states.tsx'
import type { Step } from '../../../ui/feedback/steps.tsx'
import { formatWithUnit } from '../../../ui/values/amounts.ts'
import { type DepositDraft, stageOf } from './deposit-draft.ts'
import type { DepositFlow } from './use-deposit.ts'

type Props = { flow: DepositFlow; draft: DepositDraft; config: ConsoleConfig }

/** A deposit in progress, with its errors and the actions against them. */
export function DepositProgress(props: Props) {
  const { flow, draft } = props
  const stage = stageOf(draft)
  const amount = formatWithUnit(parseUsdc(draft.amountUsdc))
  const title = `Deposit of ${amount}`
  if (stage === 'credited')
    return (
      <WalletFlowDone title={title} summary={`${amount} added to your balance`} hash={draft.hash}>
        <Link
          to={'/app/credentials' as string}
          search={{ new: true } as never}
          className={buttonClass({ variant: 'primary' })}
          onClick={flow.putAside}
        >
          Create a credential
        </Link>
        <Button onClick={flow.putAside}>Close</Button>
      </WalletFlowDone>
    )
  return (
    <WalletFlowCard
      title={title}
      noun="deposit"
      flow={flow}
      steps={stepsOf(props)}
      status={
        stage === 'mining' || stage === 'crediting'
          ? 'You can close this page. The gateway will credit the deposit.'
          : 'You can reload or come back later. This page will continue where you left off.'
      }
      aside={draft.hash === undefined ? 'Cancel' : stage === 'ended' ? 'Close' : 'Hide'}
    />
  )
}

function stepsOf({ flow, draft, config }: Props): readonly Step[] {
  const { hash, confirmations, end } = draft
  const stage = stageOf(draft)
  const endedAt = draft.isMined ? 'crediting' : 'mining'
  const at = { place: stage === 'ended' ? endedAt : stage, isStuck: end !== undefined || isStuck(flow) }
  return stepsAt(
    at,
    [
      {
        place: 'permission',
        title: 'Approve the amount',
        doing: <Permission flow={flow} draft={draft} />,
      },
      { place: 'sending', title: 'Send the deposit', doing: <Sending flow={flow} draft={draft} /> },
      { place: 'mining', title: 'Chain confirmation', doing: <Mining hash={hash} /> },
      {
        place: 'crediting',
        title: 'Confirmations',
        doing: (
          <Confirmations confirmations={confirmations} required={config.requiredConfirmations} hash={hash} />
        ),
      },
      { place: 'credited', title: 'Credited' },
    ],
    doing =>
      end !== undefined ? (
        <EndDetail message={end.reported} action="Start over" onAction={flow.putAside} />
      ) : (
        <StepDetail
          flow={flow}
          describe={describeError}
          unknown={{ action: 'Discard and start over', act: flow.putAside }}
          ways={
            stage === 'permission' &&
            draft.way === 'permit' && (
              <Button size="sm" onClick={flow.approveInstead}>
                Approve with a transaction instead
              </Button>
            )
          }
        >
          {doing}
        </StepDetail>
      ),
  )
}

function Permission({ flow, draft }: { flow: DepositFlow; draft: DepositDraft }) {
  const isSent = draft.approval?.hash !== undefined
  if (isSent) return <p>Waiting for the chain to confirm the approval.</p>
  if (flow.isAsking)
    return (
      <p>
        {draft.way === 'permit'
          ? 'Sign the permit in your wallet. It costs nothing.'
          : 'Confirm the approval in your wallet.'}
      </p>
    )
  if (flow.trouble !== null) return null
  return <AskWallet flow={flow}>{draft.way === 'permit' ? 'Sign the permit' : 'Approve'}</AskWallet>
}

function Sending({ flow, draft }: { flow: DepositFlow; draft: DepositDraft }) {
  if (flow.isAsking) return <p>Confirm the deposit in your wallet.</p>
  if (isStuck(flow)) return null
  if (!draft.isAsked) return <AskWallet flow={flow}>Send the deposit</AskWallet>
  return (
    <>
      <p>
        Your wallet was already asked to send this deposit. If you confirmed, the transaction appears here.
        Otherwise, ask again.
      </p>
      <AskWallet flow={flow}>Ask the wallet again</AskWallet>
    </>
  )
}
