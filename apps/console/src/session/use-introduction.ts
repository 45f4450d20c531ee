import { useEffect } from 'react'
import { createLocalStore, type LocalStore } from '../ui/state/local-store.ts'
import { createStore, type Store } from '../ui/state/store.ts'
import { useSession } from './session.ts'

/** State of an introduction: the wallet for which this tab shows it, and the wallets that have hidden it. */
export type Introduction = {
  readonly shownFor: Store<string | null>
  readonly hidden: LocalStore<true>
}

/**
 * Creates the state of an introduction.
 *
 * @param name part of the storage key
 */
export function createIntroduction(name: string): Introduction {
  return {
    shownFor: createStore<string | null>(null),
    hidden: createLocalStore<true>(`hidden-introduction.${name}`, found => found === true),
  }
}

/**
 * Decides whether a page shows an introduction: until it is complete, and then, in the tab that showed it before, until
 * the page is reloaded. One that was hidden is not shown again.
 */
export function useIntroduction({ shownFor, hidden }: Introduction, isComplete: boolean) {
  const address = useSession()?.address ?? ''
  const isShownHere = shownFor.use() === address
  const isHidden = hidden.use(address) !== null
  useEffect(() => {
    if (!isComplete) shownFor.set(address)
  }, [shownFor, isComplete, address])
  return {
    isShown: !isHidden && (!isComplete || isShownHere),
    hide: () => hidden.write(address, true),
  }
}
