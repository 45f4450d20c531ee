import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ownerArea } from '../../shell/areas.tsx'
import { rootRoute } from '../../shell/root.tsx'

/** What everybody may check. */
export const proofRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'proof',
    component: lazyRouteComponent(() => import('./proof-page.tsx'), 'ProofPage'),
  }),
] as const

/** What a wallet checks for itself. */
export const ownProofRoutes = [
  createRoute({
    getParentRoute: () => ownerArea,
    path: 'proof',
    component: lazyRouteComponent(() => import('./own-proof-page.tsx'), 'OwnProofPage'),
  }),
] as const
