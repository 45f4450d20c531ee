import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/**
 * Returns false in a prerendered page (src/prerendered.tsx) and during hydration, when the address and the session
 * are not known, and true afterwards.
 */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
