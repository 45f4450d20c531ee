/** Stored surplus of a vault over the books, in micro-USDC; see the migration. */
export type Surplus = {
  readonly block: bigint
  readonly seen: bigint
  readonly counted: bigint
  readonly newestDeposit: bigint
}

/** A comparison of vault and books at a block, in micro-USDC. */
export type Comparison = {
  readonly block: bigint
  /** Vault balance on chain. */
  readonly held: bigint
  /** Vault balance by the books. */
  readonly due: bigint
  /** Number of the newest deposit that is known. */
  readonly newestDeposit: bigint
}

/**
 * Returns the minimum surplus of a vault over the books: the surplus confirmed by two comparisons, less deposits that
 * explain part of it since.
 *
 * @param foundSince deposits up to the block of `before` that were unknown then
 */
export function leastSurplus(before: Surplus, foundSince: bigint): Pick<Surplus, 'seen' | 'counted'> {
  const without = (amount: bigint) => (amount > foundSince ? amount - foundSince : 0n)
  return { seen: without(before.seen), counted: without(before.counted) }
}

/**
 * Returns what to store of a comparison without a shortfall. A surplus seen only once does not count yet: the node's
 * answer may be wrong, and would stop tickets for ever.
 */
export function nextSurplus(
  now: Comparison,
  before: (Pick<Surplus, 'seen' | 'counted'> & { block: bigint }) | null,
): Surplus {
  const { block, newestDeposit } = now
  const seen = now.held > now.due ? now.held - now.due : 0n
  if (before === null) return { block, newestDeposit, seen, counted: 0n }
  const both = before.seen < seen ? before.seen : seen
  const isLater = block > before.block
  const counted = isLater && both > before.counted ? both : before.counted
  return { block, newestDeposit, seen, counted }
}
