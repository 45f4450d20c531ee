import type { Hex } from 'viem'
import type { Chain } from '../../ports.ts'

/** A block with recorded events. */
export type RecordedBlock = { readonly number: bigint; readonly hash: Hex }

/** Blocks of which recorded ones may be gone; those below `settledBelow` and earlier are there if one of them is. */
export type UnsettledRange = { readonly above: bigint; readonly upTo: bigint; readonly settledBelow: bigint }

/**
 * Returns the recorded blocks that are no longer on the chain.
 *
 * @param recorded     newest first
 * @param settledBelow the search ends at the first lower block that is on the chain
 * @returns null if the node lacks these heights
 */
export async function findGoneBlocks(
  chain: Pick<Chain, 'block'>,
  recorded: readonly RecordedBlock[],
  settledBelow: bigint,
): Promise<RecordedBlock[] | null> {
  const gone: RecordedBlock[] = []
  for (const { number, hash } of recorded) {
    const block = await chain.block(number)
    if (block === null) return null
    if (block.hash !== hash) gone.push({ number, hash })
    else if (number < settledBelow) break
  }
  return gone
}
