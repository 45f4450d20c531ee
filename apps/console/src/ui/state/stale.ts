/** Age from which data is refetched when it is shown again, in ms. */
export const STALE_MS = 10_000
