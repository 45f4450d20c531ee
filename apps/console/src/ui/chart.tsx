import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart-canvas.tsx'
import { Skeleton } from './states.tsx'

const Canvas = lazy(() => import('./chart-canvas.tsx').then(({ ChartCanvas }) => ({ default: ChartCanvas })))

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
