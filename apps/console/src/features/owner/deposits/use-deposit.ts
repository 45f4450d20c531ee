import { randomKey } from '@farebox/client'
import { useCallback } from 'react'
import type { Address } from 'viem'
import type { ConsoleConfig } from '../../../console-config.ts'
import { readBlockNumber } from '../../../wallet/transactions.ts'
import {
  mayStart,
  useWalletFlow,
  type WalletFlow,
  type WalletFlowState,
} from '../../../wallet/use-wallet-flow.ts'
import type { Run } from '../../../wallet/wallet-flow.ts'
import { type DepositDraft, type DepositStage, drafts, stageOf } from './deposit-draft.ts'
import { runDeposit } from './deposit-flow.ts'

/** The flow of a deposit, with its actions. */
export type DepositFlow = WalletFlowState<DepositDraft> & {
  /** Starts a deposit unless one is in progress. Throws WalletError when the chain cannot be reached. */
  readonly start: (amountUsdc: string, way: DepositDraft['way']) => Promise<void>
  /** Continues with an approval instead of a permit. */
  readonly approveInstead: () => void
}

const deposit: WalletFlow<DepositDraft, DepositStage> = {
  name: 'deposit',
  drafts,
  stageOf,
  ends: ['credited', 'ended'],
  moved: stage =>
    stage === 'credited'
      ? ['balance', 'deposits', 'ledger', 'wallet-balances']
      : ['deposits', 'wallet-balances'],
}

/** Runs the deposit of a wallet in one tab at a time, resuming it from its stored draft. */
export function useDeposit(owner: Address, config: ConsoleConfig): DepositFlow {
  const carry = useCallback((run: Run<DepositDraft>) => runDeposit({ ...run, config }), [config])
  const flow = useWalletFlow(deposit, owner, carry)
  const { draft, goOn } = flow
  return {
    ...flow,
    async start(amountUsdc, way) {
      const sinceBlock = (await readBlockNumber()).toString()
      if (!mayStart(deposit, owner)) return
      drafts.write(owner, { key: randomKey(), amountUsdc, sinceBlock, way })
      goOn()
    },
    approveInstead() {
      if (draft !== null) drafts.write(owner, { ...draft, way: 'approve' })
      goOn()
    },
  }
}
