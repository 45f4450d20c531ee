import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { adminRoutes } from './features/admin/routes.ts'
import { docsRoutes } from './features/docs/routes.ts'
import { forumRoutes } from './features/forum/routes.ts'
import { frontRoutes } from './features/front/routes.ts'
import { marketRoutes } from './features/market/routes.ts'
import { connectRoutes } from './features/owner/connect/routes.ts'
import { ownerRoutes } from './features/owner/routes.ts'
import { playgroundRoutes } from './features/playground/routes.ts'
import { ownProofRoutes, proofRoutes } from './features/proof/routes.ts'
import { providerRoutes } from './features/provider/routes.ts'
import { adminArea, ownerArea, providerArea } from './shell/areas.tsx'
import { PageError } from './shell/page-error.tsx'
import { rootRoute } from './shell/root.tsx'

const routeTree = rootRoute.addChildren([
  ...frontRoutes,
  ...marketRoutes,
  ...forumRoutes,
  ...playgroundRoutes,
  ...docsRoutes,
  ...proofRoutes,
  ...connectRoutes,
  ownerArea.addChildren([...ownerRoutes, ...ownProofRoutes]),
  providerArea.addChildren([...providerRoutes]),
  adminArea.addChildren([...adminRoutes]),
])

/**
 * Creates the router of all pages. The code of a page is preloaded when a link to it is about to be followed.
 *
 * @param history the browser's address bar by default
 */
export function makeRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    // There is no scroll position without an address bar.
    scrollRestoration: history === undefined,
    defaultErrorComponent: PageError,
    ...(history !== undefined && { history }),
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
