import { lazy, Suspense } from 'react'
import { Skeleton } from '../feedback/states.tsx'
import type { ChartProps } from './chart-canvas.tsx'

const Canvas = lazy(async () => {
  nameKnownLanguage()
  return { default: (await import('./chart-canvas.tsx')).ChartCanvas }
})

/** What draws asks for a formatter in the browser's language, and some machines (`LANG=C`) name one that there is not. */
function nameKnownLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}

/** A chart over time. What it says is told in `label` for those who do not see it; the drawing comes when needed. */
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
