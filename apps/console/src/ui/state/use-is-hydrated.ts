import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/**
 * Whether this is the page itself, which knows its address and who is looking at it; not the picture of it that was drawn
 * when the console was built (src/prerendered.tsx).
 */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
