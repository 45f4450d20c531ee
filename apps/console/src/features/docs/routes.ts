import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'
import { loadGuide } from './guide.ts'

/** The lazily loaded pages of this feature. The gateway serves the interactive reference at `/docs/reference/interactive`. */
export const docsRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'docs',
    /** `q` is searched at once. */
    validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string } =>
      typeof q === 'string' && q !== '' ? { q } : {},
    component: lazyPage(() => import('./docs-page.tsx'), 'DocsPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'docs/$guide',
    loader: ({ params }) => loadGuide(params.guide),
    component: lazyPage(() => import('./guide-page.tsx'), 'GuidePage'),
  }),
] as const
