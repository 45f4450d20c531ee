import type { Address } from 'viem'
import { useWalletFlow, type WalletFlow, type WalletFlowState } from '../../../wallet/use-wallet-flow.ts'
import { drafts, stageOf, type Withdrawal, type WithdrawDraft, type WithdrawStage } from './withdraw-draft.ts'
import { runWithdrawal } from './withdraw-flow.ts'

/** A withdrawal on its way, and what can be done with it. */
export type WithdrawFlow = WalletFlowState<WithdrawDraft> & {
  /** Opens a withdrawal, unless one is on its way here. */
  readonly start: (amountUsdc: string) => void
  /** Takes up one that is open already. */
  readonly takeUp: (withdrawal: Withdrawal) => void
  /** Gives a transaction up that the chain does not know, and asks the wallet for another: the vault pays a ticket once. */
  readonly sendAgain: () => void
}

const withdrawal: WalletFlow<WithdrawDraft, WithdrawStage> = {
  name: 'withdrawal',
  drafts,
  stageOf,
  ends: ['completed', 'ended'],
  moved: () => ['withdrawals', 'earnings', 'balance'],
}

/** The withdrawal of a wallet; carried on by one tab at a time, from wherever it stands. */
export function useWithdraw(owner: Address): WithdrawFlow {
  const flow = useWalletFlow(withdrawal, owner, runWithdrawal)
  const { draft, goOn } = flow
  return {
    ...flow,
    start(amountUsdc) {
      if (drafts.read(owner) !== null) return
      drafts.write(owner, { key: crypto.randomUUID(), amountUsdc })
      // Whoever has clicked is there: the wallet is asked as soon as there is a ticket.
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
