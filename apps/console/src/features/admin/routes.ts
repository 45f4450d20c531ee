import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { adminArea } from '../../shell/areas.tsx'
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
  component: lazyRouteComponent(() => import('./admins-only.tsx'), 'AdminsOnly'),
})
const getParentRoute = () => admins

/** The lazily loaded pages of this feature. */
export const adminRoutes = [
  admins.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      validateSearch: readReviewSearch,
      component: lazyRouteComponent(() => import('./review-page.tsx'), 'ReviewPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'support',
      validateSearch: readSupportSearch,
      component: lazyRouteComponent(() => import('./support-page.tsx'), 'SupportPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'forum',
      validateSearch: readTopicsSearch,
      component: lazyRouteComponent(() => import('./moderation-page.tsx'), 'ModerationPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'suspension',
      component: lazyRouteComponent(() => import('./suspension-page.tsx'), 'SuspensionPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'vouchers',
      validateSearch: readVouchersSearch,
      component: lazyRouteComponent(() => import('./vouchers-page.tsx'), 'VouchersPage'),
    }),
    createRoute({
      getParentRoute,
      path: 'reconcile',
      component: lazyRouteComponent(() => import('./reconcile-page.tsx'), 'ReconcilePage'),
    }),
    createRoute({
      getParentRoute,
      path: 'audit',
      validateSearch: readAuditSearch,
      component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
    }),
  ]),
] as const
