import { createMemoryHistory } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'
import { assumeSession, type Session } from './session/session.ts'

/** React's mark for a boundary that could not be rendered on the server. */
const SUSPENDED = '<!--$!-->'

/** A session of nobody: no page shows its address before its code has loaded. */
const ANY_SESSION: Session = { address: `0x${'0'.repeat(40)}`, token: '', expiresAt: 0 }

/**
 * Renders a page as HTML at build time, with nothing fetched. Its links work before the code has loaded. Fields and
 * buttons are disabled, because hydration would drop their input.
 *
 * @param path such as `/market`
 * @param reader whether the page is rendered signed out or signed in
 * @returns HTML
 * @throws Error when part of the page cannot be rendered without a browser, and when the path leads elsewhere
 */
export async function prerenderPage(path: string, reader: 'visitor' | 'wallet'): Promise<string> {
  assumeSession(reader === 'wallet' ? ANY_SESSION : null)
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  const html = renderToString(
    <fieldset id="prerendered" disabled className="contents">
      <Console router={router} />
    </fieldset>,
  )
  if (!html.includes('<main')) throw new Error(`The page at ${path} is empty: it leads to another address.`)
  if (html.includes(SUSPENDED)) throw new Error(`The page at ${path} uses a browser-only API.`)
  return html
}
