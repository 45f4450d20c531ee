import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'
import { only, readText } from '../../ui/state/search.ts'

/** Parses search parameters; invalid values are ignored. */
const readSearch = ({ service }: Readonly<Record<string, unknown>>): { service?: string | undefined } => ({
  service: readText(service),
})

/** The lazily loaded pages of this feature. */
export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'playground',
    validateSearch: only(readSearch),
    component: lazyPage(() => import('./playground-page.tsx'), 'PlaygroundPage'),
  }),
] as const
