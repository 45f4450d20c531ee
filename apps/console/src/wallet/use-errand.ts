import { useEffect, useRef, useState } from 'react'
import type { Address } from 'viem'
import { queryClient } from '../api.ts'
import type { Kept } from '../ui/state/kept.ts'
import type { Run, Trouble } from './errand.ts'
import { useTurn } from './use-turn.ts'

/** What an errand is. */
export type Errand<Draft, Stage extends string> = {
  /** Its turn among the tabs is kept under this. */
  readonly name: string
  readonly drafts: Kept<Draft>
  readonly stageOf: (draft: Draft) => Stage
  /** Stages after which there is nothing to do. */
  readonly ends: readonly Stage[]
  /** Queries whose answers a stage changes, by the first part of their key; null is that there is no errand. */
  readonly moved: (stage: Stage | null) => readonly string[]
}

/** An errand on its way, and what can be done with it. */
export type ErrandFlow<Draft> = {
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
 * The errand of a wallet; carried on by one tab at a time, from wherever it stands.
 *
 * @param carryOn takes it as far as it goes; another function begins another run
 */
export function useErrand<Draft, Stage extends string>(
  errand: Errand<Draft, Stage>,
  owner: Address,
  carryOn: (run: Run<Draft>) => Promise<void>,
): ErrandFlow<Draft> {
  const { name, drafts, stageOf, ends, moved } = errand
  const draft = drafts.use(owner)
  const [trouble, setTrouble] = useState<Trouble | null>(null)
  const [isAsking, setAsking] = useState(false)
  const [round, setRound] = useState(0)
  /** Somebody has clicked: the wallet may be asked in the next round. */
  const mayAsk = useRef(false)
  const stage = draft === null ? null : stageOf(draft)
  const isOpen = stage !== null && !ends.includes(stage)
  const isMine = useTurn(`farebox.${name}.${owner}`, isOpen)

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
    carryOn(run).catch(error => setTrouble({ error, isPassing: false }))
    return () => {
      ending.abort()
      setAsking(false)
    }
  }, [isOpen, isMine, owner, drafts, carryOn, round])

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
      drafts.keep(owner, null)
      setTrouble(null)
    },
  }
}
