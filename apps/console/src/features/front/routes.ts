import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.tsx'

/** The lazily loaded pages of this feature. */
export const frontRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./front-page.tsx'), 'FrontPage'),
  }),
] as const
