import { createMemoryHistory } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { Console } from './console.tsx'
import { makeRouter } from './router.ts'

/** How React marks what it could not draw, and left to the browser. */
const SUSPENDED = '<!--$!-->'

/**
 * The page at an address as everybody sees it first: nobody is signed in, and nothing has been read. Made when the console
 * is built, so that there is something to look at before its code has come. Links can be followed; what is typed would be
 * lost, so fields and buttons wait.
 *
 * @param path such as `/market`
 * @returns HTML
 * @throws Error when some of it cannot be drawn
 */
export async function prerenderPage(path: string): Promise<string> {
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  const html = renderToString(
    <fieldset disabled className="contents">
      <Console router={router} />
    </fieldset>,
  )
  if (html.includes(SUSPENDED))
    throw new Error(`The page at ${path} needs something that only a browser has.`)
  return html
}
