import type { Hex } from 'viem'
import type { Chain } from '../../../ports.ts'

/** A block of which events are recorded. */
export type RecordedBlock = { readonly number: bigint; readonly hash: Hex }

/**
 * Returns the recorded blocks that the chain does not have any more.
 *
 * @param recorded     the newest first
 * @param settledBelow the search ends at the first block below that the chain has
 * @returns null when the node does not have the heights to tell
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
