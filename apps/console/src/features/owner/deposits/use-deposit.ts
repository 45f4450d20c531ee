import { useCallback } from 'react'
import type { Address } from 'viem'
import type { ConsoleConfig } from '../../../console-config.ts'
import { readBlockNumber } from '../../../wallet/transactions.ts'
import { useWalletFlow, type WalletFlow, type WalletFlowState } from '../../../wallet/use-wallet-flow.ts'
import type { Run } from '../../../wallet/wallet-flow.ts'
import { type DepositDraft, type DepositStage, drafts, stageOf } from './deposit-draft.ts'
import { runDeposit } from './deposit-flow.ts'

/** A deposit on its way, and what can be done with it. */
export type DepositFlow = WalletFlowState<DepositDraft> & {
  /** Begins one, unless one is on its way. Throws WalletError when the chain is out of reach. */
  readonly start: (amountUsdc: string, way: DepositDraft['way']) => Promise<void>
  /** The same by an approval instead of a permit. */
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

/** The deposit of a wallet; carried on by one tab at a time, from wherever it stands. */
export function useDeposit(owner: Address, config: ConsoleConfig): DepositFlow {
  const carry = useCallback((run: Run<DepositDraft>) => runDeposit({ ...run, config }), [config])
  const flow = useWalletFlow(deposit, owner, carry)
  const { draft, goOn } = flow
  return {
    ...flow,
    async start(amountUsdc, way) {
      const sinceBlock = (await readBlockNumber()).toString()
      if (drafts.read(owner) !== null) return
      drafts.write(owner, { key: crypto.randomUUID(), amountUsdc, sinceBlock, way })
      goOn()
    },
    approveInstead() {
      if (draft !== null) drafts.write(owner, { ...draft, way: 'approve' })
      goOn()
    },
  }
}
