import { useEffect, useRef, useState } from 'react'
import type { Address } from 'viem'
import { queryClient } from '../../api.ts'
import type { ConsoleConfig } from '../../console-config.ts'
import { useTurn } from '../../ui/use-turn.ts'
import { readBlockNumber } from '../../wallet/transactions.ts'
import { type DepositDraft, keepDraft, readDraft, stageOf, useDraft } from './deposit-draft.ts'
import { carryOn, type Trouble } from './deposit-flow.ts'

/** A deposit on its way, and what can be done with it. */
export type DepositFlow = {
  readonly draft: DepositDraft | null
  readonly trouble: Trouble | null
  /** The wallet is asked something right now. */
  readonly isAsking: boolean
  /** Another tab does it; this one shows it. */
  readonly isElsewhere: boolean
  /** Begins one, unless one is on its way. Throws WalletError when the chain is out of reach. */
  readonly start: (amountUsdc: string, way: DepositDraft['way']) => Promise<void>
  /** Asks the wallet (again), or looks again. */
  readonly goOn: () => void
  /** The same by an approval instead of a permit. */
  readonly approveInstead: () => void
  /** Forgets it; what has been sent stays sent, and is credited by the gateway all the same. */
  readonly forget: () => void
}

/** The deposit of a wallet; carried on by one tab at a time, from wherever it stands. */
export function useDeposit(owner: Address, config: ConsoleConfig): DepositFlow {
  const draft = useDraft(owner)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const [isAsking, setAsking] = useState(false)
  const [round, setRound] = useState(0)
  /** Somebody has clicked: the wallet may be asked in the next round. */
  const mayAsk = useRef(false)
  const isOpen = draft !== null && stageOf(draft) !== 'credited' && stageOf(draft) !== 'ended'
  const isMine = useTurn(`farebox.deposit.${owner}`, isOpen)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a run of its own
  useEffect(() => {
    if (!isOpen || !isMine) return
    const ending = new AbortController()
    const mayAskNow = mayAsk.current
    mayAsk.current = false
    const run = {
      owner,
      config,
      signal: ending.signal,
      mayAsk: mayAskNow,
      onTrouble: setTrouble,
      onAsking: setAsking,
    }
    carryOn(run).catch(error => setTrouble({ error, isPassing: false }))
    return () => {
      ending.abort()
      setAsking(false)
    }
  }, [isOpen, isMine, owner, config, round])

  const stage = draft === null ? null : stageOf(draft)
  useEffect(() => {
    for (const key of stage === 'credited'
      ? ['balance', 'deposits', 'ledger', 'purse']
      : ['deposits', 'purse'])
      queryClient.invalidateQueries({ queryKey: [key] })
  }, [stage])

  const again = () => {
    mayAsk.current = true
    setTrouble(null)
    setRound(before => before + 1)
  }
  return {
    draft,
    trouble,
    isAsking,
    isElsewhere: isOpen && !isMine,
    async start(amountUsdc, way) {
      const sinceBlock = (await readBlockNumber()).toString()
      if (readDraft(owner) !== null) return
      keepDraft(owner, { key: crypto.randomUUID(), amountUsdc, sinceBlock, way })
      again()
    },
    goOn: again,
    approveInstead() {
      if (draft !== null) keepDraft(owner, { ...draft, way: 'approve' })
      again()
    },
    forget() {
      keepDraft(owner, null)
      setTrouble(null)
    },
  }
}
