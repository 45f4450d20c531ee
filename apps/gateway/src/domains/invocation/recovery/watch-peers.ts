import type { Clock } from '../../../ports.ts'

/** The least number of looks that a whole lease is watched by. */
const LOOKS_PER_LEASE_MIN = 3

/** The lease of another gateway. `lease` changes whenever it is renewed. */
export type Peer = { readonly id: string; readonly lease: string }

/** Other gateways, as one gateway has seen them renew their leases. */
export type PeerWatch = {
  /**
   * Takes in what was just read.
   *
   * @param look.server the server process that it was read from
   */
  see(look: { readonly server: string; readonly peers: readonly Peer[] }): void
  /** The database could not be asked: nobody is silent before it has been within reach for another lease. */
  interrupt(): void
  /** Gateways that have let a whole lease pass without renewing theirs, while the database was within our reach. */
  silent(): Peer[]
}

/**
 * Watches who renews a lease. That a lease has lapsed says little: the database may have been away, or its clock set.
 * Only time in which this gateway saw the database within reach counts, and of the time between two looks no more than a
 * third of a lease, as this process may have been stopped itself.
 *
 * @param deps.databaseLosses see {@link Deps.databaseLosses}
 * @param leaseMs how long a gateway is to be silent
 */
export function createPeerWatch(
  deps: { readonly clock: Pick<Clock, 'elapsed'>; readonly databaseLosses: () => number },
  leaseMs: number,
): PeerWatch {
  let seen = new Map<string, Peer & { readonly silentMs: number }>()
  let last: { readonly at: number; readonly losses: number; readonly server: string } | null = null
  return {
    see({ server, peers }) {
      const now = { at: deps.clock.elapsed(), losses: deps.databaseLosses(), server }
      const isUnbroken = last !== null && last.server === server && last.losses === now.losses
      const passedMs = last === null ? 0 : Math.min(now.at - last.at, leaseMs / LOOKS_PER_LEASE_MIN)
      seen = new Map(
        peers.map(peer => {
          const before = seen.get(peer.id)
          const isSilent = isUnbroken && before?.lease === peer.lease
          return [peer.id, { ...peer, silentMs: isSilent ? before.silentMs + passedMs : 0 }]
        }),
      )
      last = now
    },
    interrupt() {
      last = null
    },
    silent() {
      if (last === null || last.losses !== deps.databaseLosses()) return []
      return [...seen.values()].filter(({ silentMs }) => silentMs >= leaseMs)
    },
  }
}
