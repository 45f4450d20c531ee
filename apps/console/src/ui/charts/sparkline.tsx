/** A small decorative line beside a figure, oldest value first. */
export function Sparkline({
  values,
  className = 'h-6 w-24',
}: {
  values: readonly number[]
  className?: string
}) {
  if (values.length === 0) return <span aria-hidden className={className} />
  if (values.length === 1) {
    return (
      <span aria-hidden className={`flex items-center justify-end ${className}`}>
        <span className="h-px flex-1 bg-line-strong" />
        <span className="size-1.5 rounded-full bg-accent" />
      </span>
    )
  }
  const top = Math.max(...values)
  const bottom = Math.min(...values)
  const height = top - bottom || 1
  const points = values.map(
    (value, index) =>
      `${((index / (values.length - 1)) * 100).toFixed(2)},${(22 - ((value - bottom) / height) * 20).toFixed(2)}`,
  )
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      className={`text-accent ${className}`}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
