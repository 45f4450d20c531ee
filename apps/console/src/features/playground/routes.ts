import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.tsx'

/** Reads an address, whoever wrote it. */
function readSearch({ service }: Record<string, unknown>): { service?: string } {
  return typeof service === 'string' && service !== '' ? { service } : {}
}

/** Pages of this feature, each loaded when it is opened. */
export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'playground',
    validateSearch: readSearch,
    component: lazyRouteComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
  }),
] as const
