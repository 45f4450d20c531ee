import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../shell/lazy-page.ts'
import { rootRoute } from '../../../shell/root.tsx'

/** The authorization endpoint of OAuth clients: outside of the account, since its visitors come from elsewhere. */
export const connectRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'connect',
    component: lazyPage(() => import('./connect-page.tsx'), 'ConnectPage'),
  }),
] as const
