import { encode } from 'uqr'

/** Empty modules around it, without which cameras do not find it. */
const QUIET = 4

/** A text as a QR code. Dark on white in both themes: cameras expect it so. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const side = size + 2 * QUIET
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      shapeRendering="crispEdges"
      className="size-full rounded-lg border"
    >
      <rect x={-QUIET} y={-QUIET} width={side} height={side} fill="white" />
      <path d={modules.join('')} fill="black" />
    </svg>
  )
}
