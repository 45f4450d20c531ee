import { usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Queryable } from '../../../ports.ts'
import { RETRY_AFTER_SECONDS } from '../../../runtime/retry-after.ts'
import { consumerAccount, providerAccount } from '../rules.ts'
import { readAccounts } from '../store.ts'
import {
  branchWithin,
  type Inclusion,
  leafOf,
  NODES_PER_PART,
  nodesOf,
  PART_LEVELS,
  type Sibling,
  saltOf,
} from './liability-rules.ts'
import { type Part, readLeafPart, readPartsAbove, readTree, type SecretTree } from './liability-store.ts'

/**
 * Returns the inclusion proof of a wallet. Reads one row of leaves, and one row per factor of 256 wallets.
 *
 * @param wallet lower-case
 * @param root   root of the tree; null: the newest
 * @throws GatewayError NOT_FOUND if the tree is not stored or the wallet has no account in it; UNAVAILABLE before the
 * first tree, and while no tree contains the wallet yet
 */
export async function readInclusion(
  db: Queryable,
  { wallet, root }: { wallet: string; root: Buffer | null },
): Promise<Inclusion> {
  const tree = await readTree(db, root)
  if (tree === undefined)
    throw root === null ? notYet() : notFound('There is no tree with this root, or it has expired.')
  const salt = saltOf(tree.secret, wallet)
  const part = await readLeafPart(db, tree, { wallet, salt })
  const found = part === undefined ? null : findLeaf(part, { wallet, salt })
  if (part === undefined || found === null) {
    // The account is newer than the newest tree; the next will contain it.
    if (root === null && (await hasAccount(db, wallet))) throw notYet()
    throw notFound('This wallet had no account at that time: nothing was owed to it.')
  }
  const branch = [...found.branch, ...(await branchAbove(db, tree, part))]
  const { asOf, consumers, providers } = tree
  return {
    wallet,
    salt,
    branch,
    root: tree.root,
    asOf,
    balance: usdc(found.balance),
    leaf: found.leaf,
    owed: usdc(consumers + providers),
  }
}

async function hasAccount(db: Queryable, wallet: string): Promise<boolean> {
  const accounts = await readAccounts(db, [consumerAccount(wallet), providerAccount(wallet)])
  return accounts.size > 0
}

function findLeaf(part: Part, { wallet, salt }: { wallet: string; salt: Buffer }) {
  const nodes = nodesOf(part)
  const place = nodes.findIndex(({ hash, sum }) => leafOf(wallet, salt, sum).hash.equals(hash))
  const leaf = nodes[place]
  if (leaf === undefined) return null
  return { leaf: leaf.hash, balance: leaf.sum, branch: branchWithin(nodes, place) }
}

async function branchAbove(db: Queryable, tree: SecretTree, leaves: Part): Promise<Sibling[]> {
  const above = await readPartsAbove(db, tree.id, leaves.part)
  // The tree was deleted meanwhile.
  if (above.length === 0 && (tree.slices > 1 || tree.wallets > NODES_PER_PART)) throw notYet()
  return above.flatMap(part => {
    const below = leaves.part >> ((part.level - 1) * PART_LEVELS)
    return branchWithin(nodesOf(part), below % NODES_PER_PART)
  })
}

const notFound = (message: string) => new GatewayError('NOT_FOUND', {}, { message })

const notYet = () => new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: RETRY_AFTER_SECONDS.pending })
