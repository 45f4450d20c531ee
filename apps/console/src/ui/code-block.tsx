import { clsx } from 'clsx'
import { type ReactNode, useState } from 'react'
import { CopyButton } from './copy.tsx'

/** Code; `copied` is what its button copies instead, such as the same with a secret that is not shown. */
export type Snippet = { readonly label: string; readonly code: string; readonly copied?: string }

/** A first tab with other content than code. */
type Lead = { readonly label: string; readonly content: ReactNode }

/** Code with a copy button; several snippets become tabs, after those of `lead`. */
export function CodeBlock(props: {
  snippets: readonly Snippet[]
  label: string
  lead?: Lead | null
  /** Of the content, such as a minimum height. */
  className?: string
}) {
  const { snippets, label, lead = null, className } = props
  const [chosen, choose] = useState<string>()
  const tabs = [...(lead === null ? [] : [lead]), ...snippets]
  const shown = tabs.find(each => each.label === chosen) ?? tabs[0]
  if (shown === undefined) return null
  return (
    <figure aria-label={label} className="overflow-hidden rounded-lg border bg-subtle">
      <figcaption className="flex h-10 items-center justify-between gap-2 border-b pr-1 pl-1">
        <div className="flex min-w-0 overflow-x-auto">
          {tabs.map(each => (
            <button
              key={each.label}
              type="button"
              aria-pressed={each === shown}
              onClick={() => choose(each.label)}
              className={clsx(
                'h-8 shrink-0 rounded px-2.5 text-sm transition-colors',
                each === shown ? 'font-medium text-text' : 'text-muted hover:text-text',
              )}
            >
              {each.label}
            </button>
          ))}
        </div>
        {'code' in shown && <CopyButton text={shown.copied ?? shown.code} label={`Copy ${shown.label}`} />}
      </figcaption>
      {'code' in shown ? <Code code={shown.code} className={className} /> : shown.content}
    </figure>
  )
}

function Code({ code, className }: { code: string; className: string | undefined }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className={clsx('overflow-auto p-3.5 font-mono text-sm leading-relaxed', className ?? 'max-h-112')}
    >
      <code>
        {code.split('\n').map((line, index) => (
          // One element per line: one large block that arrives late would become the largest contentful paint.
          // biome-ignore lint/suspicious/noArrayIndexKey: lines do not move
          <span key={index} className="block">
            {`${line}\n`}
          </span>
        ))}
      </code>
    </pre>
  )
}
