import { createRoot } from 'react-dom/client'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'
import { listenToOtherTabs } from './session/session.ts'
import { listenToNetwork } from './ui/state/reachability.ts'

/** Renders the console. The prerendered page stays visible until this replaces it. */
export async function begin(root: HTMLElement): Promise<void> {
  listenToOtherTabs()
  listenToNetwork()
  const router = makeRouter()
  await router.load()
  createRoot(root).render(<Console router={router} />)
}
