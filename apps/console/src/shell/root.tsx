import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'

/** What every page stands in. Features hang their routes below it. */
export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })
