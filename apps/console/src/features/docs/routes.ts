import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'
import { only, readText } from '../../ui/state/search.ts'
import { loadGuide } from './guide.ts'

/** Parses search parameters. `q` is searched at once. */
const readSearch = ({ q }: Readonly<Record<string, unknown>>): { readonly q?: string | undefined } => ({
  q: readText(q),
})

/** The lazily loaded pages of this feature. The gateway serves the interactive reference at `/docs/reference/interactive`. */
export const docsRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'docs',
    validateSearch: only(readSearch),
    component: lazyPage(() => import('./docs-page.tsx'), 'DocsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'docs/$guide',
    loader: ({ params }) => loadGuide(params.guide),
    component: lazyPage(() => import('./guide-page.tsx'), 'GuidePage'),
  }),
] as const
