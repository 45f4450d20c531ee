import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'
import { only } from '../../ui/state/search.ts'
import { readCompareSearch, readMarketSearch } from './market-search.ts'

/** The lazily loaded pages of this feature. */
export const marketRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'market',
    validateSearch: only(readMarketSearch),
    component: lazyPage(() => import('./market-page.tsx'), 'MarketPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'models/compare',
    validateSearch: only(readCompareSearch),
    component: lazyPage(() => import('./compare-page.tsx'), 'ComparePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'services/$id',
    component: lazyPage(() => import('./service-page.tsx'), 'ServicePage'),
  }),
] as const
