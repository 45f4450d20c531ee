import type { App } from '../../app.ts'
import type { Deps } from '../../ports.ts'
import { createReservesReader } from './read-reserves.ts'

/** All that ask for the reserves within this time get the same look, in ms. */
const RESERVES_MAX_AGE_MS = 1_000

/** Routes of proof, below `/api/v1`: public, so that anybody can check. */
export function proofRoutes(app: App, deps: Deps): void {
  const readReserves = createReservesReader(deps, RESERVES_MAX_AGE_MS)
  app.get('/proof/reserves', () => readReserves())
}
