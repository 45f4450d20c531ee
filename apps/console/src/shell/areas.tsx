import { createRoute } from '@tanstack/react-router'
import { Area } from './area.tsx'
import { areaPlaces } from './places.tsx'
import { rootRoute } from './root.tsx'

/** `/app`: the pages of owners, who pay for calls. */
export const ownerArea = createRoute({
  getParentRoute: () => rootRoute,
  path: 'app',
  component: () => <Area label="Account" places={areaPlaces.Account} />,
})

/** `/provider`: the pages of providers, who are paid for calls. */
export const providerArea = createRoute({
  getParentRoute: () => rootRoute,
  path: 'provider',
  component: () => <Area label="Provider" places={areaPlaces.Provider} />,
})

/** `/admin`: the pages of the operator. */
export const adminArea = createRoute({
  getParentRoute: () => rootRoute,
  path: 'admin',
  component: () => <Area label="Admin" places={areaPlaces.Admin} />,
})
