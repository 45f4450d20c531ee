/** `Retry-After` of the gateway's refusals, in seconds, by cause. */
export const RETRY_AFTER_SECONDS = {
  /** Another request, call or search to end. */
  busy: 1,
  /** An unreachable server; the next block, or the next tree of liabilities. */
  pending: 2,
  /** A gateway that starts or stops, or that cannot read what the vault holds. */
  notReady: 5,
  /** Many deposits to be confirmed, or the books to be found in order. */
  unsettled: 60,
} as const
