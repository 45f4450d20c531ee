/**
 * How a gateway takes its leave: at first `GET /ready` says so while calls are still taken, then nobody is let in any
 * more. From the first moment on every answer ends its connection, so that few are left to be cut.
 */
export type Departure = {
  /** The gateway is going to stop. */
  begin(): void
  hasBegun(): boolean
}

/** Of a gateway that stays. */
export function createDeparture(): Departure {
  let hasBegun = false
  return {
    begin() {
      hasBegun = true
    },
    hasBegun: () => hasBegun,
  }
}
