import { createRoute } from '@tanstack/react-router'
import { ownerArea } from '../../shell/areas.tsx'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'

/** Pages for everybody. */
export const proofRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'proof',
    component: lazyPage(() => import('./proof-page.tsx'), 'ProofPage'),
  }),
] as const

/** Pages for a signed-in wallet. */
export const ownProofRoutes = [
  createRoute({
    getParentRoute: () => ownerArea,
    path: 'proof',
    component: lazyPage(() => import('./own-proof-page.tsx'), 'OwnProofPage'),
  }),
] as const
