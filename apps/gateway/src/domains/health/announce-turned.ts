import type { Deps, Tx } from '../../ports.ts'
import type { TurnedService } from '../services/targets/mark-health.ts'
import { announce } from '../webhooks/announce.ts'

/** Tells the owners of services that turned, in the transaction in which they did. */
export async function announceTurned(
  deps: Pick<Deps, 'ids'>,
  tx: Tx,
  turned: readonly TurnedService[],
): Promise<void> {
  await announce(
    deps,
    tx,
    turned.map(({ owner, isUp, ...service }) => ({
      owner,
      type: isUp ? ('service.up' as const) : ('service.down' as const),
      data: service,
    })),
  )
}
