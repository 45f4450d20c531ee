import { Link, useLoaderData, useParams, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { DocsSearch } from './docs-search.tsx'
import { guideList, guideSections } from './guide-list.ts'
import type { Guide, GuidePart } from './guide-parts.ts'

/** Contents are listed from so many headings on. */
const HEADINGS_LISTED_MIN = 2

/** A guide with all others beside it, and its contents. */
export function GuidePage() {
  const guide = useLoaderData({ from: '/docs/$guide' })
  const { guide: name } = useParams({ from: '/docs/$guide' })
  const hasContents = guide.headings.length >= HEADINGS_LISTED_MIN
  return (
    <div className="flex flex-1 gap-x-10 py-6 lg:py-8">
      <nav
        aria-label="Docs"
        className="sticky top-21 max-h-[calc(100dvh-6rem)] w-48 shrink-0 self-start overflow-y-auto pb-4 max-lg:hidden"
      >
        <GuideLinks />
      </nav>
      <div className="min-w-0 max-w-3xl flex-1">
        <PageHead
          title={guide.title}
          parent={<Link to="/docs">Docs</Link>}
          actions={<DocsSearch key={name} />}
          areActionsWide
        />
        {hasContents && (
          <details className="mb-6 rounded-lg border bg-subtle px-4 py-2.5 xl:hidden">
            <summary className="text-sm font-medium">On this page</summary>
            <Contents headings={guide.headings} />
          </details>
        )}
        <Body key={name} parts={guide.parts} />
        <Next name={name} />
      </div>
      {hasContents && (
        <nav
          aria-label="On this page"
          className="sticky top-21 max-h-[calc(100dvh-6rem)] w-44 shrink-0 self-start overflow-y-auto pb-4 max-xl:hidden"
        >
          <p className="text-sm font-medium">On this page</p>
          <Contents headings={guide.headings} />
        </nav>
      )}
    </div>
  )
}

function GuideLinks() {
  const look = 'block rounded px-2 py-1 text-sm text-muted hover:bg-hover hover:text-text'
  return (
    <>
      {guideSections.map(({ title, guides }) => (
        <div key={title} className="mb-4">
          <p className="px-2 pb-1 text-sm font-medium">{title}</p>
          <ul>
            {guides.map(({ name, label }) => (
              <li key={name}>
                <Link
                  to="/docs/$guide"
                  params={{ guide: name }}
                  className={look}
                  activeProps={{ className: 'bg-hover font-medium !text-text' }}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  )
}

function Contents({ headings }: Pick<Guide, 'headings'>) {
  return (
    <ul className="mt-2 flex flex-col gap-1.5 text-sm text-muted">
      {headings.map(({ id, text }) => (
        <li key={id} className="min-w-0 break-words">
          <a href={`#${id}`} className="rounded hover:text-text">
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}

function Body({ parts }: { parts: readonly GuidePart[] }) {
  const body = useRef<HTMLElement>(null)
  const router = useRouter()
  // Links within HTML are followed by the router, so that a click without a network shows the console and no error
  // page of the browser.
  useEffect(() => {
    const element = body.current
    const follow = (event: MouseEvent) => {
      const href = event.target instanceof Element ? event.target.closest('a')?.getAttribute('href') : null
      const isPlain =
        event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      if (!isPlain || href?.startsWith('/docs/') !== true || href.startsWith('/docs/reference/')) return
      event.preventDefault()
      router.history.push(href)
    }
    element?.addEventListener('click', follow)
    return () => element?.removeEventListener('click', follow)
  }, [router])
  return (
    <article ref={body} className="flex flex-col gap-4">
      {parts.map((part, index) =>
        'html' in part ? (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: parts do not move
            key={index}
            className="guide"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: made at the build from our documents, without their HTML
            dangerouslySetInnerHTML={{ __html: part.html }}
          />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts do not move
          <CodeBlock key={index} label="Code" snippets={[{ label: part.language, code: part.code }]} />
        ),
      )}
    </article>
  )
}

function Next({ name }: { name: string }) {
  const at = guideList.findIndex(guide => guide.name === name)
  const sides = [
    ['Previous', guideList[at - 1]],
    ['Next', guideList[at + 1]],
  ] as const
  return (
    <nav
      aria-label="Previous and next guide"
      className="mt-10 flex justify-between gap-4 border-t pt-4 text-sm"
    >
      {sides.map(([side, guide]) =>
        guide === undefined ? (
          <span key={side} />
        ) : (
          <Link key={side} to="/docs/$guide" params={{ guide: guide.name }} className="rounded text-accent">
            <span className="text-muted">{side}: </span>
            {guide.label}
          </Link>
        ),
      )}
    </nav>
  )
}
