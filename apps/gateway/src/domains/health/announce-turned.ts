import type { Deps, Tx } from '../../ports.ts'
import type { TurnedService } from '../services/targets/mark-health.ts'
import { announce } from '../webhooks/announce.ts'

/** Announces services that went down or up to the webhooks of their owners, in the transaction of the change. */
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
