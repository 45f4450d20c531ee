import { createRoute } from '@tanstack/react-router'
import { ownerArea } from '../../shell/areas.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { only } from '../../ui/state/search.ts'
import { readActivitySearch } from './activity/activity-search.ts'
import { readCallsSearch } from './calls/calls-search.ts'
import { readLedgerSearch } from './ledger/ledger-labels.ts'
import { readOpenSearch } from './open-search.ts'

const getParentRoute = () => ownerArea

/** The lazily loaded pages of this feature. */
export const ownerRoutes = [
  // biome-ignore-start format: a line a route
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyPage(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'deposit',
    component: lazyPage(() => import('./deposits/deposit-page.tsx'), 'DepositPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'credentials',
    validateSearch: only(readOpenSearch),
    component: lazyPage(() => import('./credentials/credentials-page.tsx'), 'CredentialsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'activity',
    validateSearch: only(readActivitySearch),
    component: lazyPage(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'policy',
    component: lazyPage(() => import('./policy/policy-page.tsx'), 'PolicyPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'ledger',
    validateSearch: only(readLedgerSearch),
    component: lazyPage(() => import('./ledger/ledger-page.tsx'), 'LedgerPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'calls/{-$id}',
    validateSearch: only(readCallsSearch),
    component: lazyPage(() => import('./calls/calls-page.tsx'), 'CallsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'profile',
    component: lazyPage(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute,
    path: 'alerts',
    component: lazyPage(() => import('./alerts/alerts-page.tsx'), 'AlertsPage'),
  }),
  createRoute({
    getParentRoute,
    path: 'webhooks',
    validateSearch: only(readOpenSearch),
    component: lazyPage(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  // biome-ignore-end format: a line a route
] as const
