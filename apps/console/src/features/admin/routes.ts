import { createRoute } from '@tanstack/react-router'
import { adminArea } from '../../shell/areas.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { only } from '../../ui/state/search.ts'
import {
  readAuditSearch,
  readReviewSearch,
  readSupportSearch,
  readTopicsSearch,
  readVouchersSearch,
} from './admin-search.ts'

/** Guards all pages of the area. */
const admins = createRoute({
  getParentRoute: () => adminArea,
  id: 'admins',
  component: lazyPage(() => import('./admins-only.tsx'), 'AdminsOnly'),
})
const getParentRoute = () => admins

/** The lazily loaded pages of this feature. */
export const adminRoutes = [
  admins.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      validateSearch: only(readReviewSearch),
      component: lazyPage(() => import('./review-page.tsx'), 'ReviewPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'support',
      validateSearch: only(readSupportSearch),
      component: lazyPage(() => import('./support-page.tsx'), 'SupportPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'forum',
      validateSearch: only(readTopicsSearch),
      component: lazyPage(() => import('./moderation-page.tsx'), 'ModerationPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'suspension',
      component: lazyPage(() => import('./suspension-page.tsx'), 'SuspensionPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'vouchers',
      validateSearch: only(readVouchersSearch),
      component: lazyPage(() => import('./vouchers-page.tsx'), 'VouchersPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'reconcile',
      component: lazyPage(() => import('./reconcile-page.tsx'), 'ReconcilePage'),
    }),
    createRoute({
      getParentRoute,
      path: 'health',
      component: lazyPage(() => import('./health-page.tsx'), 'HealthPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'audit',
      validateSearch: only(readAuditSearch),
      component: lazyPage(() => import('./audit-page.tsx'), 'AuditPage'),
    }),
  ]),
] as const
