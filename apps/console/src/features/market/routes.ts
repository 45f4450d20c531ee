import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.tsx'
import { readMarketSearch } from './market-search.ts'

/** The lazily loaded pages of this feature. */
export const marketRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'market',
    validateSearch: readMarketSearch,
    component: lazyRouteComponent(() => import('./market-page.tsx'), 'MarketPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'services/$id',
    component: lazyRouteComponent(() => import('./service-page.tsx'), 'ServicePage'),
  }),
] as const
