import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'
import { listenToOtherTabs } from './session/session.ts'

/** Puts the console in its place; what was drawn there stands until the page can replace it. */
export async function begin(root: HTMLElement): Promise<void> {
  listenToOtherTabs()
  const router = makeRouter()
  await router.load()
  // In small steps, between which the page scrolls and links are followed.
  startTransition(() => createRoot(root).render(<Console router={router} />))
}
