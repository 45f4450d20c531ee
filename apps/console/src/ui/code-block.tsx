import { clsx } from 'clsx'
import { useState } from 'react'
import { CopyButton } from './copy.tsx'

export type Snippet = { readonly label: string; readonly code: string }

/** Code with a copy button; several snippets become tabs. */
export function CodeBlock({ snippets, label }: { snippets: readonly Snippet[]; label: string }) {
  const [chosen, choose] = useState(0)
  const snippet = snippets[Math.min(chosen, snippets.length - 1)]
  if (snippet === undefined) return null
  return (
    <figure aria-label={label} className="overflow-hidden rounded-lg border bg-subtle">
      <figcaption className="flex h-10 items-center justify-between gap-2 border-b pr-1 pl-1">
        <div className="flex min-w-0 overflow-x-auto">
          {snippets.map((each, index) => (
            <button
              key={each.label}
              type="button"
              aria-pressed={each === snippet}
              onClick={() => choose(index)}
              className={clsx(
                'h-8 shrink-0 rounded px-2.5 text-sm transition-colors',
                each === snippet ? 'font-medium text-text' : 'text-muted hover:text-text',
              )}
            >
              {each.label}
            </button>
          ))}
        </div>
        <CopyButton text={snippet.code} label={`Copy ${snippet.label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="max-h-112 overflow-auto p-3.5 font-mono text-sm leading-relaxed">
        <code>
          {snippet.code.split('\n').map((line, index) => (
            // One element per line: one large block that arrives late would become the largest contentful paint.
            // biome-ignore lint/suspicious/noArrayIndexKey: lines do not move
            <span key={index} className="block">
              {`${line}\n`}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  )
}
