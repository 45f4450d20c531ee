import { reserves } from '@farebox/wire/balance'
import type { App } from '../../app.ts'
import { contract } from '../../http/contract.ts'
import type { Deps } from '../../ports.ts'
import * as examples from './examples.ts'
import { createReservesReader } from './read-reserves.ts'

/** All that ask for the reserves within this time get the same look, in ms. */
const RESERVES_MAX_AGE_MS = 1_000

/** Routes of proof, below `/api/v1`: public, so that anybody can check. */
export function proofRoutes(app: App, deps: Deps): void {
  const readReserves = createReservesReader(deps, RESERVES_MAX_AGE_MS)

  app.get(
    '/proof/reserves',
    contract({
      id: 'readReserves',
      summary: 'Compare what the vault holds with what is owed',
      description:
        'The vault on the chain, now, against the books. `consistent` is the outcome of the newest check of every invariant of the books.',
      tag: 'Proof',
      access: 'public',
      answer: reserves,
      example: examples.reserves,
    }),
    () => readReserves(),
  )
}
