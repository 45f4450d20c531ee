import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'
import { listenToOtherTabs } from './session/session.ts'
import { listenToNetwork } from './ui/state/reachability.ts'

/**
 * Renders the console, in a task of its own after that which has loaded the code. The prerendered page stays visible until
 * React replaces it.
 */
export async function begin(root: HTMLElement): Promise<void> {
  listenToOtherTabs()
  listenToNetwork()
  await new Promise(begun => setTimeout(begun))
  const router = makeRouter()
  await router.load()
  // A transition renders in small steps, so that the page can scroll and follow links in between.
  startTransition(() => createRoot(root).render(<Console router={router} />))
}
