import { clsx } from 'clsx'
import { type ReactNode, useEffect } from 'react'
import { useOpenedHeading } from './use-opened-heading.ts'

/** The header of a page: title, description and actions. Sets the title of the tab too. */
export function PageHead(props: {
  title: string
  description?: ReactNode
  actions?: ReactNode
  /** Actions take the whole line on narrow screens, such as a search. */
  areActionsWide?: boolean
  /** Shown beside the title, such as a badge. */
  aside?: ReactNode
  /** A link to the list that the page is of, which starts the breadcrumb. */
  parent?: ReactNode
}) {
  const { title } = props
  const heading = useOpenedHeading()
  useEffect(() => {
    document.title = `${title} · Farebox`
  }, [title])
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {props.parent !== undefined && (
          <nav aria-label="Breadcrumb" className="mb-1.5 text-sm text-muted">
            <ol className="flex min-w-0 gap-1.5">
              <li className="shrink-0 [&>a]:rounded [&>a:hover]:text-text">{props.parent}</li>
              <li aria-hidden className="text-faint">
                /
              </li>
              <li aria-current="page" className="min-w-0 truncate text-faint">
                {title}
              </li>
            </ol>
          </nav>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <h1 ref={heading} tabIndex={-1} className="min-w-0 text-xl font-semibold break-words outline-none">
            {title}
          </h1>
          {props.aside}
        </div>
        {props.description !== undefined && (
          <div className="mt-1 max-w-2xl break-words text-muted">{props.description}</div>
        )}
      </div>
      {props.actions !== undefined && (
        <div className={clsx('flex flex-wrap gap-2', props.areActionsWide === true && 'max-sm:w-full')}>
          {props.actions}
        </div>
      )}
    </header>
  )
}

/** A framed section, with an optional title. */
export function Card(props: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  className?: string
  /** Without padding, for tables. */
  isFlush?: boolean
}) {
  return (
    <section className={clsx('min-w-0 rounded-lg border bg-raised', props.className)}>
      {props.title !== undefined && (
        <header className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b px-4 py-1.5">
          <h2 className="text-base font-medium">{props.title}</h2>
          {props.actions}
        </header>
      )}
      <div className={props.isFlush === true ? 'overflow-hidden rounded-b-lg' : 'p-4'}>{props.children}</div>
    </section>
  )
}

/** A figure with a label. */
export function Stat(props: { label: ReactNode; children: ReactNode; note?: ReactNode; className?: string }) {
  return (
    <div className={clsx('flex min-w-0 flex-col gap-0.5', props.className)}>
      <dt className="text-sm text-muted">{props.label}</dt>
      {/* A long amount breaks before its unit, or else its last digits would be cut off. */}
      <dd className="min-h-8 text-xl font-semibold wrap-anywhere tabular [&>span]:whitespace-normal">
        {props.children}
      </dd>
      {props.note !== undefined && <dd className="text-sm text-faint">{props.note}</dd>}
    </div>
  )
}

/** A list of names and values. */
export function Facts({ items }: { items: readonly (readonly [name: ReactNode, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] items-baseline items-baseline gap-x-6 gap-y-1.5">
      {items.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts do not move
        <div key={index} className="contents [&>*]:py-0.5">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
