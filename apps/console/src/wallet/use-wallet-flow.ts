import { useEffect, useRef, useState } from 'react'
import type { Address } from 'viem'
import { queryClient } from '../api.ts'
import type { LocalStore } from '../ui/state/local-store.ts'
import { useTabLock } from './use-tab-lock.ts'
import type { Run, Trouble } from './wallet-flow.ts'

/** The definition of a wallet flow; see wallet-flow.ts. */
export type WalletFlow<Draft, Stage extends string> = {
  /** Part of the name of its lock among the tabs. */
  readonly name: string
  readonly drafts: LocalStore<Draft>
  readonly stageOf: (draft: Draft) => Stage
  /** Final stages. */
  readonly ends: readonly Stage[]
  /** First parts of the keys of queries to invalidate on entering a stage; null is no flow. */
  readonly moved: (stage: Stage | null) => readonly string[]
}

/** The state of a flow, with its actions. */
export type WalletFlowState<Draft> = {
  readonly draft: Draft | null
  readonly trouble: Trouble | null
  /** The wallet shows a request now. */
  readonly isAsking: boolean
  /** Another tab runs the flow; this one only shows it. */
  readonly isElsewhere: boolean
  /** None, or one that has ended: another may start. */
  readonly isFree: boolean
  /** Tries again, and allows wallet requests. */
  readonly goOn: () => void
  /** Forgets the flow. What was sent or opened stays so. */
  readonly putAside: () => void
}

/** Returns whether a flow of the wallet may start: in no tab is one open. */
export function mayStart<Draft, Stage extends string>(
  { drafts, stageOf, ends }: WalletFlow<Draft, Stage>,
  owner: Address,
): boolean {
  const draft = drafts.read(owner)
  return draft === null || ends.includes(stageOf(draft))
}

/**
 * Runs the flow of a wallet in one tab at a time, resuming it from its stored draft.
 *
 * @param runFlow runs it as far as possible; must be a stable function, because a new one starts a new run
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
  /** A click allows the next run to open the wallet. */
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
    isFree: !isOpen,
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
