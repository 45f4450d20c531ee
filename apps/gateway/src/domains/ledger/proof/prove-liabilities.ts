import { type Usdc, usdc } from '@farebox/money'
import type { Deps, Tx } from '../../../ports.ts'
import { giveRoom, settledEntryId } from '../reconcile/checkpoint-store.ts'
import { readTotals } from '../reconcile/reconcile-store.ts'
import {
  ACCOUNTS_PER_SLICE,
  countAccounts,
  deleteTrees,
  type Held,
  lockTrees,
  newestAgeSeconds,
  nextTreeId,
  recordHeld,
  renewTree,
  seeOneSnapshot,
  slicesFor,
  topNode,
  writeAbove,
  writeLeaves,
  writeTree,
} from './liability-store.ts'
import { createRootMaker } from './merkle-rules.ts'

/** Time for which a tree is available after it was last true, in seconds. */
export const TREE_KEPT_SECONDS = 600
/** If the newest tree is younger than this share of the interval, another gateway has made it. */
const FRESH_SHARE = 0.9
const SECRET_BYTES = 32
/** Levels of stored parts; 256 to this power exceeds any number of wallets. */
const LEVELS_MAX = 8

type ProofDeps = Pick<Deps, 'db' | 'chain' | 'ids' | 'log' | 'metrics'>

/**
 * Job: makes a Merkle sum tree of the liabilities to wallets if there are entries since the newest tree; otherwise
 * marks that one as still true. Deletes old trees.
 *
 * Reads one snapshot; no data leaves the database. Safe to run in several gateways: one makes a tree, and the next
 * finds it fresh.
 *
 * @param options.everySeconds interval of trees, of all gateways together; 0: now
 * @param options.accountsPerSlice for tests: approximate accounts per statement
 * @returns what was done
 */
export async function proveLiabilities(
  deps: ProofDeps,
  { everySeconds = 0, accountsPerSlice = ACCOUNTS_PER_SLICE } = {},
): Promise<'made' | 'renewed' | 'left to another'> {
  const { db } = deps
  const isFresh = async () =>
    ((await newestAgeSeconds(db)) ?? Number.POSITIVE_INFINITY) < everySeconds * FRESH_SHARE
  if (await isFresh()) return 'left to another'
  const held = await lookAtVault(deps)
  // If the vault seems short, the tree is made again: deposits may arrive between the two reads.
  const isRenewed = await renewTree(db, held)
  const done = isRenewed ? 'renewed' : await makeTree(deps, { held, accountsPerSlice, isFresh })
  const deleted = await db.transaction(tx => deleteTrees(tx, TREE_KEPT_SECONDS))
  deps.metrics.count('farebox_pruned_rows_total', { table: 'liability_trees' }, deleted)
  return done
}

async function makeTree(
  deps: ProofDeps,
  how: { held: Held | null; accountsPerSlice: number; isFresh: () => Promise<boolean> },
): Promise<'made' | 'left to another'> {
  const { db, ids } = deps
  const { held, accountsPerSlice, isFresh } = how
  const entryId = await settledEntryId(db)
  const secret = Buffer.from(ids.nonce(SECRET_BYTES), 'hex')
  const made = await db.transaction(async tx => {
    await seeOneSnapshot(tx)
    // Asked outside of the snapshot, which may be older than the tree of the gateway that had the lock before.
    if (!(await lockTrees(tx)) || (await isFresh())) return null
    return buildTree(tx, { secret, entryId, held }, accountsPerSlice)
  })
  if (made === null) return 'left to another'
  if (held !== null && held.balance < made.demanded) {
    // A deposit was mined and credited between the read of the chain and the snapshot.
    const again = await lookAtVault(deps)
    if (again !== null) await recordHeld(db, made.id, again)
  }
  return 'made'
}

async function buildTree(
  tx: Tx,
  from: { secret: Buffer; entryId: bigint | null; held: Held | null },
  accountsPerSlice: number,
): Promise<{ id: bigint; demanded: Usdc }> {
  await giveRoom(tx)
  const totals = await readTotals(tx)
  const { accounts, overdrawn } = await countAccounts(tx)
  if (overdrawn > 0) throw new Error(`${overdrawn} accounts of wallets are below zero.`)
  const [id, slices] = [await nextTreeId(tx), slicesFor(accounts, accountsPerSlice)]
  let [wallets, parts] = [0, 0]
  for (let slice = 0; slice < slices; slice += 1) {
    const written = await writeLeaves(tx, { tree: id, secret: from.secret, slices, slice, from: parts })
    wallets += written.wallets
    parts += written.parts
  }
  for (let level = 0; parts > 1 && level < LEVELS_MAX; level += 1) parts = await writeAbove(tx, id, level)
  const top = (await topNode(tx, id)) ?? { hash: createRootMaker().root(), sum: 0n }
  const { consumers, providers, ticketsOut: locked, owed } = totals
  if (top.sum !== owed) throw new Error(`The leaves add up to ${top.sum}, but ${owed} are owed.`)
  const platform = usdc(totals.platform + totals.promotions)
  await writeTree(tx, {
    id,
    root: top.hash,
    ...from,
    slices,
    wallets: BigInt(wallets),
    consumers,
    providers,
    platform,
    locked,
  })
  return { id, demanded: usdc(owed - locked) }
}

/** Returns the vault balance at the newest block; null if the chain is unreachable. */
async function lookAtVault({ chain, log }: Pick<Deps, 'chain' | 'log'>): Promise<Held | null> {
  try {
    const { number: block } = await chain.head()
    return { block, balance: await chain.vaultBalance(block) }
  } catch (error) {
    log.warn({ err: error }, 'the liabilities are published without the vault: the chain is unreachable')
    return null
  }
}
