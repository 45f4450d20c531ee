import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'

/** The lazily loaded pages of this feature. */
export const frontRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyPage(() => import('./front-page.tsx'), 'FrontPage'),
  }),
] as const
