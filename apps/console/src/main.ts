import { sendEarlyRequests } from './early-requests.ts'
import './ui/tokens.css'

/** Longest wait for the first paint, in ms. A page in a background tab never paints. */
const PAINT_WAIT_MS = 1_000

/** Resolves after the browser's first paint (W3C Paint Timing). */
function firstPaint(): Promise<void> {
  return new Promise(done => {
    const observer = new PerformanceObserver(list => {
      if (list.getEntriesByName('first-contentful-paint').length === 0) return
      observer.disconnect()
      done()
    })
    observer.observe({ type: 'paint', buffered: true })
    setTimeout(done, PAINT_WAIT_MS)
  })
}

sendEarlyRequests(window.location)

// Let the browser paint the prerendered page before the code competes for the CPU.
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element for the console.')
if (root.hasChildNodes()) await firstPaint()
const code = import('./begin.tsx')
// The first use of `Intl` loads the browser's tables, which takes 20 ms: in a task of its own, while the code is fetched.
setTimeout(() => new Intl.DateTimeFormat('en'))
const { begin } = await code
await begin(root)
