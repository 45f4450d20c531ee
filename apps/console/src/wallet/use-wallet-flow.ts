import { useEffect, useRef, useState } from 'react'
import type { Address } from 'viem'
import { queryClient } from '../api.ts'
import type { LocalStore } from '../ui/state/local-store.ts'
import { useTabLock } from './use-tab-lock.ts'
import type { Run, Trouble } from './wallet-flow.ts'

/** What a wallet flow is. */
export type WalletFlow<Draft, Stage extends string> = {
  /** Its turn among the tabs is kept under this. */
  readonly name: string
  readonly drafts: LocalStore<Draft>
  readonly stageOf: (draft: Draft) => Stage
  /** Stages after which there is nothing to do. */
  readonly ends: readonly Stage[]
  /** Queries whose answers a stage changes, by the first part of their key; null is that there is no flow. */
  readonly moved: (stage: Stage | null) => readonly string[]
}

/** A wallet flow on its way, and what can be done with it. */
export type WalletFlowState<Draft> = {
  readonly draft: Draft | null
  readonly trouble: Trouble | null
  /** The wallet is asked something right now. */
  readonly isAsking: boolean
  /** Another tab does it; this one shows it. */
  readonly isElsewhere: boolean
  /** Asks the wallet (again), or looks again. */
  readonly goOn: () => void
  /** Forgets it; what has been sent stays sent, and what is open stays open. */
  readonly putAside: () => void
}

/**
 * The flow of a wallet; carried on by one tab at a time, from wherever it stands.
 *
 * @param runFlow takes it as far as it goes; another function begins another run
 */
export function useWalletFlow<Draft, Stage extends string>(
  definition: WalletFlow<Draft, Stage>,
  owner: Address,
  runFlow: (run: Run<Draft>) => Promise<void>,
): WalletFlowState<Draft> {
  const { name, drafts, stageOf, ends, moved } = definition
  const draft = drafts.use(owner)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const [isAsking, setAsking] = useState(false)
  const [round, setRound] = useState(0)
  /** Somebody has clicked: the wallet may be asked in the next round. */
  const mayAsk = useRef(false)
  const stage = draft === null ? null : stageOf(draft)
  const isOpen = stage !== null && !ends.includes(stage)
  const isMine = useTabLock(`farebox.${name}.${owner}`, isOpen)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a run of its own
  useEffect(() => {
    if (!isOpen || !isMine) return
    const ending = new AbortController()
    const run = {
      owner,
      drafts,
      signal: ending.signal,
      mayAsk: mayAsk.current,
      onTrouble: setTrouble,
      onAsking: setAsking,
    }
    mayAsk.current = false
    runFlow(run).catch(error => setTrouble({ error, isPassing: false }))
    return () => {
      ending.abort()
      setAsking(false)
    }
  }, [isOpen, isMine, owner, drafts, runFlow, round])

  useEffect(() => {
    for (const key of moved(stage)) queryClient.invalidateQueries({ queryKey: [key] })
  }, [stage, moved])

  return {
    draft,
    trouble,
    isAsking,
    isElsewhere: isOpen && !isMine,
    goOn() {
      mayAsk.current = true
      setTrouble(null)
      setRound(before => before + 1)
    },
    putAside() {
      drafts.write(owner, null)
      setTrouble(null)
    },
  }
}
