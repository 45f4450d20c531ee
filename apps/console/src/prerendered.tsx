import { createMemoryHistory } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'

/** React's mark for a boundary that could not be rendered on the server. */
const SUSPENDED = '<!--$!-->'

/**
 * Renders a page as HTML at build time, signed out and with nothing fetched. Its links work before the code has
 * loaded. Fields and buttons are disabled, because hydration would drop their input.
 *
 * @param path such as `/market`
 * @returns HTML
 * @throws Error when part of the page cannot be rendered without a browser, and when the path leads elsewhere
 */
export async function prerenderPage(path: string): Promise<string> {
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  const html = renderToString(
    <fieldset disabled className="contents">
      <Console router={router} />
    </fieldset>,
  )
  if (!html.includes('<main')) throw new Error(`The page at ${path} is empty: it leads to another address.`)
  if (html.includes(SUSPENDED)) throw new Error(`The page at ${path} uses a browser-only API.`)
  return html
}
