import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { providerArea } from '../../shell/areas.tsx'
import { readNewSearch, readServiceSearch } from './provider-search.ts'

const getParentRoute = () => providerArea

/** The lazily loaded pages of this feature. */
export const providerRoutes = [
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./service/services-page.tsx'), 'ServicesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'new',
    validateSearch: readNewSearch,
    component: lazyRouteComponent(() => import('./manifest/new-page.tsx'), 'NewServicePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'earnings',
    component: lazyRouteComponent(() => import('./earnings/earnings-page.tsx'), 'EarningsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'secrets',
    component: lazyRouteComponent(() => import('./secrets/secrets-page.tsx'), 'SecretsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'usage',
    component: lazyRouteComponent(() => import('./earnings/usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'withdraw',
    component: lazyRouteComponent(() => import('./withdrawals/withdraw-page.tsx'), 'WithdrawPage'),
  }),
  createRoute({
    getParentRoute,
    path: '$id',
    validateSearch: readServiceSearch,
    component: lazyRouteComponent(() => import('./service/service-page.tsx'), 'ServicePage'),
  }),
] as const
