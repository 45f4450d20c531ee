import { createRoot } from 'react-dom/client'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'
import { listenToOtherTabs } from './session/session.ts'

/** Puts the console in its place; what was drawn there stands until the page can replace it. */
export async function begin(root: HTMLElement): Promise<void> {
  listenToOtherTabs()
  const router = makeRouter()
  await router.load()
  createRoot(root).render(<Console router={router} />)
}
