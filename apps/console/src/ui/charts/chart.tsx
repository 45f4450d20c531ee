import { lazy, Suspense } from 'react'
import { Skeleton } from '../feedback/states.tsx'
import { loadCode } from '../state/reachability.ts'
import type { ChartProps } from './chart-canvas.tsx'

const Canvas = lazy(async () => {
  nameKnownLanguage()
  return { default: (await loadCode(() => import('./chart-canvas.tsx'))).ChartCanvas }
})

/** uPlot creates a formatter in the browser's language and throws if the language is invalid, as with `LANG=C`. */
function nameKnownLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}

/** A chart over time, loaded on demand. `label` describes it to screen readers. */
export function Chart(props: ChartProps) {
  const { height = 220 } = props
  return (
    <Suspense
      fallback={
        <div style={{ height }}>
          <Skeleton className="h-full" />
        </div>
      }
    >
      <Canvas {...props} height={height} />
    </Suspense>
  )
}
