import './ui/tokens.css'

/** Longest wait for the first paint, in ms: a page in the background has none. */
const PAINT_WAIT_MS = 1_000

/** Resolves when the browser has shown something (W3C Paint Timing). */
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

// A page that was drawn beforehand is shown before its code takes the machine.
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the console.')
if (root.hasChildNodes()) await firstPaint()
const { begin } = await import('./begin.tsx')
await begin(root)
