import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { providerArea } from '../../shell/areas.tsx'
import { readNewSearch, readServiceSearch } from './provider-search.ts'

const getParentRoute = () => providerArea

/** Pages of this feature, each loaded when it is opened. */
export const providerRoutes = [
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./services-page.tsx'), 'ServicesPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'new',
    validateSearch: readNewSearch,
    component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewServicePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'earnings',
    component: lazyRouteComponent(() => import('./earnings-page.tsx'), 'EarningsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'secrets',
    component: lazyRouteComponent(() => import('./secrets-page.tsx'), 'SecretsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'usage',
    component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'withdraw',
    component: lazyRouteComponent(() => import('./withdraw-page.tsx'), 'WithdrawPage'),
  }),
  createRoute({
    getParentRoute,
    path: '$id',
    validateSearch: readServiceSearch,
    component: lazyRouteComponent(() => import('./service-page.tsx'), 'ServicePage'),
  }),
] as const
