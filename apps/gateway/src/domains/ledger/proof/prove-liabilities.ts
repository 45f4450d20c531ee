import { type Usdc, usdc } from '@farebox/money'
import type { Deps, Queryable, Tx } from '../../../ports.ts'
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
  renewTree,
  seeOneSnapshot,
  slicesFor,
  tellHeld,
  topNode,
  writeAbove,
  writeLeaves,
  writeTree,
} from './liability-store.ts'
import { createRootMaker } from './merkle-rules.ts'

/** How long a tree can be asked after it was true last, in seconds. */
export const TREE_KEPT_SECONDS = 600
/** A tree that was true within this part of the pause between two runs is that of another gateway. */
const FRESH_SHARE = 0.9
const SECRET_BYTES = 32
/** Levels of stored parts; 256 to the power of this is more than there can be wallets. */
const LEVELS_MAX = 8

type ProofDeps = Pick<Deps, 'db' | 'chain' | 'ids' | 'log' | 'metrics'>

/**
 * Job: makes the Merkle sum tree over what wallets are owed, when an entry has come since the newest one was made;
 * otherwise says of that one that it is still true. Old trees are deleted.
 *
 * All is read in one snapshot, and nothing of it leaves the database. Safe beside itself in other gateways: one makes a
 * tree at a time, and who comes after that finds it fresh.
 *
 * @param options.everySeconds pause between two trees, of all gateways together; 0: now
 * @param options.accountsPerSlice for tests: about how many accounts one statement reads
 * @returns what was done
 */
export async function proveLiabilities(
  deps: ProofDeps,
  { everySeconds = 0, accountsPerSlice = ACCOUNTS_PER_SLICE } = {},
): Promise<'made' | 'renewed' | 'left to another'> {
  const { db } = deps
  const isFresh = async (on: Queryable) =>
    ((await newestAgeSeconds(on)) ?? Number.POSITIVE_INFINITY) < everySeconds * FRESH_SHARE
  if (await isFresh(db)) return 'left to another'
  const held = await lookAtVault(deps)
  // A tree of which the vault seemed to fall short is made anew: deposits come between two looks.
  const isRenewed = await renewTree(db, held)
  const done = isRenewed ? 'renewed' : await makeTree(deps, { held, accountsPerSlice, isFresh })
  const deleted = await db.transaction(tx => deleteTrees(tx, TREE_KEPT_SECONDS))
  deps.metrics.count('farebox_pruned_rows_total', { table: 'liability_trees' }, deleted)
  return done
}

async function makeTree(
  deps: ProofDeps,
  how: { held: Held | null; accountsPerSlice: number; isFresh: (on: Queryable) => Promise<boolean> },
): Promise<'made' | 'left to another'> {
  const { db, ids } = deps
  const { held, accountsPerSlice, isFresh } = how
  const entryId = await settledEntryId(db)
  const secret = Buffer.from(ids.nonce(SECRET_BYTES), 'hex')
  const made = await db.transaction(async tx => {
    await seeOneSnapshot(tx)
    if (!(await lockTrees(tx)) || (await isFresh(tx))) return null
    return buildTree(tx, { secret, entryId, held }, accountsPerSlice)
  })
  if (made === null) return 'left to another'
  if (held !== null && held.balance < made.demanded) {
    // A deposit was mined and credited between the look at the chain and the snapshot.
    const again = await lookAtVault(deps)
    if (again !== null) await tellHeld(db, made.id, again)
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

/** What the vault holds at the newest block; null when the chain is out of reach. */
async function lookAtVault({ chain, log }: Pick<Deps, 'chain' | 'log'>): Promise<Held | null> {
  try {
    const { number: block } = await chain.head()
    return { block, balance: await chain.vaultBalance(block) }
  } catch (error) {
    log.warn({ err: error }, 'the liabilities are told without the vault: the chain is out of reach')
    return null
  }
}
