import { randomKey } from '@farebox/client'
import type { Address } from 'viem'
import {
  mayStart,
  useWalletFlow,
  type WalletFlow,
  type WalletFlowState,
} from '../../../wallet/use-wallet-flow.ts'
import { drafts, stageOf, type Withdrawal, type WithdrawDraft, type WithdrawStage } from './withdraw-draft.ts'
import { runWithdrawal } from './withdraw-flow.ts'

/** The flow of a withdrawal, with its actions. */
export type WithdrawFlow = WalletFlowState<WithdrawDraft> & {
  /** Opens a withdrawal unless one is in progress here. */
  readonly start: (amountUsdc: string) => void
  /** Continues with a withdrawal that is already open. */
  readonly takeUp: (withdrawal: Withdrawal) => void
  /** Gives up on a transaction that the chain does not know, and sends another. The vault pays a ticket only once. */
  readonly sendAgain: () => void
}

const withdrawal: WalletFlow<WithdrawDraft, WithdrawStage> = {
  name: 'withdrawal',
  drafts,
  stageOf,
  ends: ['completed', 'ended'],
  moved: () => ['withdrawals', 'earnings', 'balance'],
}

/** Runs the withdrawal of a wallet in one tab at a time, resuming it from its stored draft. */
export function useWithdraw(owner: Address): WithdrawFlow {
  const flow = useWalletFlow(withdrawal, owner, runWithdrawal)
  const { draft, goOn } = flow
  return {
    ...flow,
    start(amountUsdc) {
      if (!mayStart(withdrawal, owner)) return
      drafts.write(owner, { key: randomKey(), amountUsdc })
      // This is a click: open the wallet as soon as there is a ticket.
      goOn()
    },
    takeUp({ withdrawalId, amountUsdc, ticket }) {
      drafts.write(owner, {
        key: withdrawalId,
        amountUsdc,
        withdrawalId,
        ...(ticket === null ? { isReviewed: true } : { ticket }),
      })
      goOn()
    },
    sendAgain() {
      if (draft !== null) {
        const { hash: _, nonce: __, ...unsent } = draft
        drafts.write(owner, unsent)
      }
      goOn()
    },
  }
}
