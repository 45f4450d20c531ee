/** What a vault held beyond the books, as a comparison left it; see the migration. Micro-USDC. */
export type Surplus = {
  readonly block: bigint
  readonly seen: bigint
  readonly counted: bigint
  readonly recorded: bigint
}

/** A comparison of a vault with the books, as of one block. Micro-USDC. */
export type Comparison = {
  readonly block: bigint
  /** What the vault held. */
  readonly held: bigint
  /** What the books say that it held. */
  readonly due: bigint
  /** All deposits up to the block that are known. */
  readonly recorded: bigint
}

/**
 * The least that a vault must hold beyond the books: what two comparisons have seen there, less deposits that were found
 * since and were a part of it.
 *
 * @param foundSince deposits up to the block of `before` that were not known then
 */
export function leastSurplus(before: Surplus, foundSince: bigint): Pick<Surplus, 'seen' | 'counted'> {
  const without = (amount: bigint) => (amount > foundSince ? amount - foundSince : 0n)
  return { seen: without(before.seen), counted: without(before.counted) }
}

/**
 * What to keep of a comparison without a shortfall. A surplus that a single answer of a node shows does not count yet: it
 * could be wrong, and less than it would stop tickets for good.
 */
export function nextSurplus(
  now: Comparison,
  before: (Pick<Surplus, 'seen' | 'counted'> & { block: bigint }) | null,
): Surplus {
  const { block, recorded } = now
  const seen = now.held > now.due ? now.held - now.due : 0n
  if (before === null) return { block, recorded, seen, counted: 0n }
  const both = before.seen < seen ? before.seen : seen
  const isLater = block > before.block
  const counted = isLater && both > before.counted ? both : before.counted
  return { block, recorded, seen, counted }
}
