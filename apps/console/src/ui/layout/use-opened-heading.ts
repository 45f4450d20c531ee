import { type RefObject, useEffect, useRef } from 'react'

/** Path of the page with which the document was loaded; empty once another one was opened. */
let first: string | undefined

/**
 * Returns the ref of a page's heading, which takes the focus if the link that led to the page is gone with the last one:
 * screen readers then read the heading, and Tab goes on from there. A page that the browser loads starts at its top.
 */
export function useOpenedHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const { pathname } = window.location
    first ??= pathname
    if (first === pathname) return
    first = ''
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true })
  }, [])
  return heading
}
