import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'

/** Parses search parameters; invalid values are ignored. */
function readSearch({ service }: Record<string, unknown>): { service?: string } {
  return typeof service === 'string' && service !== '' ? { service } : {}
}

/** The lazily loaded pages of this feature. */
export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'playground',
    validateSearch: readSearch,
    component: lazyPage(() => import('./playground-page.tsx'), 'PlaygroundPage'),
  }),
] as const
