import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.tsx'

/** Pages of this feature, each loaded when it is opened. */
export const frontRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./front-page.tsx'), 'FrontPage'),
  }),
] as const
