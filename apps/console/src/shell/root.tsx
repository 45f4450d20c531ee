import { createRootRoute } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'

/** The root route. Features add their routes below it. */
export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound })
