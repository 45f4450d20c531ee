/**
 * Phases of a shutdown: first `GET /ready` fails while calls are still taken, then nothing is accepted. Throughout,
 * every answer closes its connection, so that few are left to be cut.
 */
export type Shutdown = {
  /** True once the gateway is going to stop. */
  begin(): void
  hasBegun(): boolean
}

/** For a gateway that is not stopping. */
export function createShutdown(): Shutdown {
  let hasBegun = false
  return {
    begin() {
      hasBegun = true
    },
    hasBegun: () => hasBegun,
  }
}
