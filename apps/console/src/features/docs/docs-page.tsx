import { Link, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PageHead } from '../../ui/layout/page.tsx'
import { DocsSearch } from './docs-search.tsx'
import { guideSections } from './guide-list.ts'
import { Start } from './start.tsx'

/** Anchors of the interactive reference, which was at `/docs` before. */
const REFERENCE_ANCHOR = /^#(?:tag|model|description)\b/

/** The way to a first call, all guides and the API reference. */
export function DocsPage() {
  const { q } = useSearch({ from: '/docs' })
  useEffect(() => {
    const { hash } = window.location
    if (REFERENCE_ANCHOR.test(hash)) window.location.replace(`/docs/reference/interactive${hash}`)
  }, [])
  return (
    <div className="py-8 sm:py-10">
      <PageHead
        title="Docs"
        description="How to call, provide, verify and operate."
        actions={<DocsSearch key={q} first={q ?? ''} />}
        areActionsWide
      />
      <div className="flex flex-col gap-8">
        <Start />
        {guideSections.map(({ title, guides }) => (
          <section key={title} aria-label={title}>
            <h2 className="mb-2.5 text-sm font-medium text-muted">{title}</h2>
            <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
              {guides.map(({ name, label, about }) => (
                <li key={name}>
                  <Link
                    to="/docs/$guide"
                    params={{ guide: name }}
                    className="block h-full rounded-lg border bg-raised p-4 hover:bg-hover"
                  >
                    <strong className="font-medium">{label}</strong>
                    <span className="mt-0.5 block text-sm text-muted">{about}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}
