import type { Deps, Queryable, VaultPlace } from '../../ports.ts'
import { raiseChainFinding, resolveChainFinding } from '../ledger/database/chain-findings.ts'
import { countAgain, keepAgreed, keepBase, keepReread, readCount } from './count-store.ts'
import type { ReadRange } from './rules.ts'

/** Maximum number of blocks reread in one step. */
const STEP_BLOCKS_MAX = 1_000n
/** Maximum number of reread steps in one run of the follower. */
const STEPS_PER_RUN_MAX = 10

/**
 * Compares the vault's own count of deposits with the recorded ones, at a height that has been read. While they differ,
 * rereads the blocks since they last agreed, some steps in each run, then counts all again, and keeps a finding open.
 *
 * A database that did not follow the vault from its first block needs the number of earlier deposits. It is read from
 * the chain; if the node has no state of that height, the difference that remains after a complete reread is taken.
 *
 * @param readAgain records the vault's events in a range of blocks
 * @throws GatewayError UNAVAILABLE when the chain is unreachable
 */
export async function compareCount(
  deps: Pick<Deps, 'db' | 'chain' | 'config' | 'log'>,
  upTo: bigint,
  readAgain: (range: ReadRange) => Promise<unknown>,
): Promise<void> {
  const { db, chain } = deps
  const { facts } = chain
  const startBlock = BigInt(deps.config.FOLLOWER_START_BLOCK)
  let counted = await chain.depositCount(upTo)
  let seen = await readCount(db, facts, upTo)
  // A node that is importing a block may have answered for that block.
  if (seen.recorded !== counted) counted = await chain.depositCount(upTo)
  if (seen.base === null && seen.recorded !== counted) {
    const base = await countBefore(deps, startBlock)
    if (base !== null) await keepBase(db, facts, base)
    seen = await readCount(db, facts, upTo)
  }
  for (let step = 0; step < STEPS_PER_RUN_MAX && seen.recorded !== counted; step += 1) {
    const next = seen.rereadBlock ?? (seen.agreedBlock === null ? startBlock : seen.agreedBlock + 1n)
    if (next > upTo) break
    const last = next + STEP_BLOCKS_MAX - 1n
    const to = last < upTo ? last : upTo
    await readAgain({ from: next, to })
    await keepReread(db, facts, to + 1n)
    seen = await readCount(db, facts, upTo)
  }
  // Another gateway has taken the lease and read beyond this height, so the comparison proves nothing.
  if (seen.agreedBlock !== null && seen.agreedBlock > upTo) return
  if (seen.recorded === counted) return agree(deps, { upTo, counted, base: seen.base ?? 0n })
  const isReadAgain = (seen.rereadBlock ?? upTo + 1n) > upTo
  if (isReadAgain) await keepReread(db, facts, null)
  if (seen.base !== null) {
    const recorded = isReadAgain ? await countAgain(db, facts, { base: seen.base, upTo }) : seen.recorded
    return conclude(deps, { upTo, counted, recorded, base: seen.base })
  }
  if (!isReadAgain) return
  const base = counted - seen.recorded
  await keepBase(db, facts, base)
  const fields = { base: base.toString(), startBlock: startBlock.toString() }
  deps.log.warn(fields, 'deposits before FOLLOWER_START_BLOCK could not be counted on chain; assuming these')
}

/** Returns the number of deposits that a vault counts up to a height beyond the recorded ones; 0 if they agree. */
export async function countUnread(
  db: Queryable,
  place: VaultPlace,
  { upTo, counted }: Pick<Compared, 'upTo' | 'counted'>,
): Promise<bigint> {
  if (counted === 0n) return 0n
  const { recorded } = await readCount(db, place, upTo)
  return counted > recorded ? counted - recorded : 0n
}

/** Returns the number of deposits before a height; null if the node has no state of it. */
async function countBefore(deps: Pick<Deps, 'chain' | 'log'>, startBlock: bigint): Promise<bigint | null> {
  if (startBlock <= 0n) return 0n
  try {
    return await deps.chain.depositCount(startBlock - 1n)
  } catch (error) {
    deps.log.warn({ err: error }, 'the node has no state of the block before FOLLOWER_START_BLOCK')
    return null
  }
}

/** Deposits up to a height as the vault counts them, and as they are recorded, with those before the first block read. */
type Compared = { upTo: bigint; counted: bigint; recorded: bigint; base: bigint }

const conclude = (deps: Pick<Deps, 'db' | 'chain' | 'log'>, at: Compared): Promise<void> =>
  at.recorded === at.counted ? agree(deps, at) : disagree(deps, at)

async function agree(
  { db, chain }: Pick<Deps, 'db' | 'chain'>,
  at: Omit<Compared, 'recorded'>,
): Promise<void> {
  const { vault } = chain.facts
  await db.transaction(async tx => {
    await keepAgreed(tx, chain.facts, at)
    await resolveChainFinding(tx, { kind: 'deposit-count', subject: vault, resolution: 'gone' })
  })
}

async function disagree(
  { db, chain, log }: Pick<Deps, 'db' | 'chain' | 'log'>,
  at: Omit<Compared, 'base'>,
): Promise<void> {
  const { vault } = chain.facts
  const detail = {
    vault,
    block: at.upTo.toString(),
    countedByVault: at.counted.toString(),
    readFromVault: at.recorded.toString(),
  }
  const isNew = await raiseChainFinding(db, { kind: 'deposit-count', subject: vault, detail })
  if (isNew) log.error(detail, 'the vault counts more or fewer deposits than were read; tickets stop')
}
