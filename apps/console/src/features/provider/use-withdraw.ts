import { useEffect, useRef, useState } from 'react'
import type { Address } from 'viem'
import { queryClient } from '../../api.ts'
import { useTurn } from '../../ui/use-turn.ts'
import { drafts, stageOf, type Withdrawal, type WithdrawDraft } from './withdraw-draft.ts'
import { carryOn, type Trouble } from './withdraw-flow.ts'

/** A withdrawal on its way, and what can be done with it. */
export type WithdrawFlow = {
  readonly draft: WithdrawDraft | null
  readonly trouble: Trouble | null
  /** The wallet is asked something right now. */
  readonly isAsking: boolean
  /** Another tab does it; this one shows it. */
  readonly isElsewhere: boolean
  /** Opens a withdrawal, unless one is on its way here. */
  readonly start: (amountUsdc: string) => void
  /** Takes up one that is open already. */
  readonly takeUp: (withdrawal: Withdrawal) => void
  /** Asks the wallet (again), or looks again. */
  readonly goOn: () => void
  /** Puts it aside: what is open stays open, and stands in the list. */
  readonly putAside: () => void
}

/** The withdrawal of a wallet; carried on by one tab at a time, from wherever it stands. */
export function useWithdraw(owner: Address): WithdrawFlow {
  const draft = drafts.use(owner)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const [isAsking, setAsking] = useState(false)
  const [round, setRound] = useState(0)
  /** Somebody has clicked: the wallet may be asked in the next round. */
  const mayAsk = useRef(false)
  const stage = draft === null ? null : stageOf(draft)
  const isOpen = stage !== null && stage !== 'completed' && stage !== 'ended'
  const isMine = useTurn(`farebox.withdrawal.${owner}`, isOpen)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a run of its own
  useEffect(() => {
    if (!isOpen || !isMine) return
    const ending = new AbortController()
    const mayAskNow = mayAsk.current
    mayAsk.current = false
    const run = {
      ...{ owner, signal: ending.signal, mayAsk: mayAskNow },
      onTrouble: setTrouble,
      onAsking: setAsking,
    }
    carryOn(run).catch(error => setTrouble({ error, isPassing: false }))
    return () => {
      ending.abort()
      setAsking(false)
    }
  }, [isOpen, isMine, owner, round])

  // biome-ignore lint/correctness/useExhaustiveDependencies: every stage moves what these show
  useEffect(() => {
    for (const key of ['withdrawals', 'earnings', 'balance'])
      queryClient.invalidateQueries({ queryKey: [key] })
  }, [stage])

  const again = () => {
    mayAsk.current = true
    setTrouble(null)
    setRound(before => before + 1)
  }
  return {
    ...{ draft, trouble, isAsking },
    isElsewhere: isOpen && !isMine,
    start(amountUsdc) {
      if (drafts.read(owner) !== null) return
      drafts.keep(owner, { key: crypto.randomUUID(), amountUsdc })
      // Whoever has clicked is there: the wallet is asked as soon as there is a ticket.
      again()
    },
    takeUp({ withdrawalId, amountUsdc, ticket }) {
      drafts.keep(owner, {
        ...{ key: withdrawalId, amountUsdc, withdrawalId },
        ...(ticket === null ? { isReviewed: true } : { ticket }),
      })
      again()
    },
    goOn: again,
    putAside() {
      drafts.keep(owner, null)
      setTrouble(null)
    },
  }
}
