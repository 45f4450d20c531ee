import { memo } from 'react'
import { CopyButton } from '../../ui/copy.tsx'

/** Longer texts are cut; the copy button copies all. */
const SHOWN_MAX = 100_000
const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g

/** JSON or plain text in a scrolling frame. */
export const JsonText = memo(function JsonText({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div className="relative">
      <CopyButton
        text={text}
        label={`Copy ${label.toLowerCase()}`}
        className="absolute top-1.5 right-1.5 bg-subtle"
      />
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-128 min-h-11 overflow-auto rounded-lg border bg-subtle p-3.5 pr-11"
      >
        <pre className="font-mono text-sm leading-relaxed break-words whitespace-pre-wrap">
          {typeof value === 'string' ? text.slice(0, SHOWN_MAX) : colour(text.slice(0, SHOWN_MAX))}
        </pre>
        {text.length > SHOWN_MAX && (
          <p className="mt-2 text-sm text-faint">The rest is not shown. Copy includes everything.</p>
        )}
      </section>
    </div>
  )
})

/** Highlights names, strings and numbers. */
function colour(json: string) {
  const parts = []
  let from = 0
  for (const found of json.matchAll(PARTS)) {
    const [whole, text, colon] = found
    if (found.index > from) parts.push(json.slice(from, found.index))
    const tone = text === undefined ? 'text-warn' : colon === undefined ? 'text-accent' : 'text-info'
    parts.push(
      <span key={found.index} className={tone}>
        {text ?? whole}
      </span>,
    )
    if (colon !== undefined) parts.push(colon)
    from = found.index + whole.length
  }
  parts.push(json.slice(from))
  return parts
}
