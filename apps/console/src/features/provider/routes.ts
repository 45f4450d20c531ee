import { createRoute } from '@tanstack/react-router'
import { providerArea } from '../../shell/areas.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { only } from '../../ui/state/search.ts'
import { readNewSearch, readServiceSearch } from './provider-search.ts'
import { readTrafficSearch } from './traffic/traffic-search.ts'

const getParentRoute = () => providerArea

/** The lazily loaded pages of this feature. */
export const providerRoutes = [
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyPage(() => import('./service/services-page.tsx'), 'ServicesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'new',
    validateSearch: only(readNewSearch),
    component: lazyPage(() => import('./manifest/new-page.tsx'), 'NewServicePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'earnings',
    component: lazyPage(() => import('./earnings/earnings-page.tsx'), 'EarningsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'secrets',
    component: lazyPage(() => import('./secrets/secrets-page.tsx'), 'SecretsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'traffic',
    validateSearch: only(readTrafficSearch),
    component: lazyPage(() => import('./traffic/traffic-page.tsx'), 'TrafficPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'usage',
    component: lazyPage(() => import('./earnings/usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'withdraw',
    component: lazyPage(() => import('./withdrawals/withdraw-page.tsx'), 'WithdrawPage'),
  }),
  createRoute({
    getParentRoute,
    path: '$id',
    validateSearch: only(readServiceSearch),
    component: lazyPage(() => import('./service/service-page.tsx'), 'ServicePage'),
  }),
] as const
