import { useEffect } from 'react'
import type { Store } from '../ui/state/store.ts'
import { useSession } from './session.ts'

/**
 * Decides whether a page shows an introduction: until it is complete, and then, in the tab that showed it before, until
 * it is hidden or the page is reloaded.
 *
 * @param shownFor holds the address whose introduction this tab shows
 */
export function useShownUntilHidden(shownFor: Store<string | null>, isComplete: boolean) {
  const address = useSession()?.address ?? null
  const shownAddress = shownFor.use()
  useEffect(() => {
    if (!isComplete) shownFor.set(address)
  }, [shownFor, isComplete, address])
  const isShown = !isComplete || (address !== null && shownAddress === address)
  return { isShown, hide: () => shownFor.set(null) }
}
