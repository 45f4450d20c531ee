import type { Clock } from '../../../ports.ts'

/** Minimum observations per lease. */
const LOOKS_PER_LEASE_MIN = 3

/** Lease of another gateway. `lease` changes with each renewal. */
export type Peer = { readonly id: string; readonly lease: string }

/** Renewals of other gateways, as observed by this one. */
export type PeerWatch = {
  /**
   * Adds an observation.
   *
   * @param look.server server process that was read
   */
  see(look: { readonly server: string; readonly peers: readonly Peer[] }): void
  /** The database was unreachable: nobody counts as silent before it was reachable for another lease. */
  interrupt(): void
  /** Returns the gateways that let a whole lease pass without a renewal while the database was reachable. */
  silent(): Peer[]
}

/**
 * Observes lease renewals. An expired lease alone proves little: the database may have been away, or its clock set.
 * Only time in which this gateway could reach the database counts, and between two observations at most a third of a
 * lease, as this process may have been suspended.
 *
 * @param deps.databaseLosses see {@link Deps.databaseLosses}
 * @param leaseMs silence after which a gateway is dead
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
