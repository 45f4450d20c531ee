import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { api } from '../../api.ts'
import { currentSession } from '../../session/session.ts'
import { Address, shorten } from '../../ui/values/address.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { type Check, holdsIf } from './check.ts'
import { checkTree, failed, type ReservesChecked, type Tree } from './check-reserves.tsx'
import { climb, formatMicros, type Level, leafOf, micros, type Node } from './merkle.ts'

type Inclusion = AnswerOf<'readInclusion'>
type Entry = AnswerOf<'listLedgerEntries'>['entries'][number]

/** The checks of a wallet's own balance. `inclusion` is null if the wallet is in no tree yet. */
type OwnChecked = {
  /** The wallet's first balance is newer than the latest tree; the next tree includes it. */
  readonly isEarly: boolean
  readonly inclusion: Inclusion | null
  readonly mine: readonly Check[]
  /** The path from leaf to root, computed here. */
  readonly leaf: Node | null
  readonly levels: readonly Level[]
}
/** All checks for one wallet. */
export type MineChecked = ReservesChecked & OwnChecked

const NOTHING: OwnChecked = { inclusion: null, isEarly: false, mine: [], leaf: null, levels: [] }

/** Attempts to read balance and ledger without a movement in between. */
const TRIES_MAX = 3
const ENTRIES_MAX = 100
/** An entry may have begun this long before a tree and not be in it yet, in ms. */
const CLOCK_MS = 10_000

/**
 * Checks that the wallet's balance is included in the reserves: computes its leaf and the path to the root, and
 * compares the balance in the leaf with the wallet's ledger at that time.
 */
export async function checkMine(signal: AbortSignal): Promise<MineChecked> {
  const reserves = await api.readReserves({ signal })
  const { tree } = reserves
  if (tree === null) return { reserves, tree, checks: [], ...NOTHING }
  const [checks, own] = await Promise.all([checkTree(reserves.merkleRoot, tree), checkOwn(tree, signal)])
  return { reserves, tree, checks, ...own }
}

async function checkOwn(tree: Tree, signal: AbortSignal): Promise<OwnChecked> {
  const inclusion = await readInclusion(tree, signal)
  if (inclusion === null) return { ...NOTHING, isEarly: owedIn(await api.readBalance({ signal })) > 0n }
  const found = { inclusion, isEarly: false }
  const balance = await checkBalance(inclusion, tree, signal)
  try {
    const leaf = await leafOf(inclusion.walletAddress, inclusion.salt, inclusion.balanceUsdc)
    const levels = await climb(leaf, inclusion.branch)
    const root = levels.at(-1)?.above ?? leaf
    const mine = [
      checkAddress(inclusion),
      balance,
      checkLeaf(leaf, inclusion),
      checkWay(root, tree, levels.length),
      checkRootSum(root, tree),
    ]
    return { ...found, mine, leaf, levels }
  } catch (error) {
    const mine = [checkAddress(inclusion), balance, failed('The path to the root is valid', error)]
    return { ...found, mine, leaf: null, levels: [] }
  }
}

async function readInclusion({ merkleRoot }: Tree, signal: AbortSignal): Promise<Inclusion | null> {
  try {
    return await api.readInclusion({ query: { merkleRoot }, signal })
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

function checkAddress({ walletAddress }: Inclusion): Check {
  const mine = currentSession()?.address
  const isMine = walletAddress.toLowerCase() === mine?.toLowerCase()
  return {
    title: 'The leaf belongs to your wallet',
    outcome: holdsIf(isMine),
    detail: isMine ? (
      <Address value={walletAddress} />
    ) : (
      `It belongs to ${shorten(walletAddress)}, not to you.`
    ),
  }
}

/** Checks the balance in the tree against the current balance and the ledger. */
async function checkBalance(inclusion: Inclusion, tree: Tree, signal: AbortSignal): Promise<Check> {
  const title = 'The leaf contains your balance'
  const reported = micros(inclusion.balanceUsdc)
  let seen: readonly Point[] = []
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const { entries } = await api.listLedgerEntries({ query: { limit: ENTRIES_MAX }, signal })
    const now = await api.readBalance({ signal })
    const [newest] = (await api.listLedgerEntries({ query: { limit: 1 }, signal })).entries
    if (newest?.entryId !== entries[0]?.entryId) continue
    seen = pointsAt(owedIn(now), entries, Date.parse(tree.asOf))
    const found = seen.find(({ balance }) => balance === reported)
    if (found !== undefined) return { title, outcome: 'holds', detail: describePoint(inclusion, found) }
  }
  const [then] = seen
  if (then === undefined)
    return {
      title,
      outcome: 'open',
      detail: 'Your balance changed during the check. Check again while no calls are running.',
    }
  return {
    title,
    outcome: 'fails',
    detail: (
      <>
        The tree contains <Amount usdc={inclusion.balanceUsdc} />; your ledger had{' '}
        <Amount usdc={formatMicros(then.balance)} />.
      </>
    ),
  }
}

/** The balance between two entries, and the number of entries that follow. */
type Point = { readonly balance: bigint; readonly later: number }

/** Returns the balances around a time (unix ms), newest first. Entries have the time at which they began. */
function pointsAt(now: bigint, entries: readonly Entry[], moment: number): Point[] {
  const points: Point[] = []
  let balance = now
  let until = Number.POSITIVE_INFINITY
  for (const [later, { createdAt, amountUsdc }] of entries.entries()) {
    const since = Date.parse(createdAt)
    if (since <= moment && until >= moment - CLOCK_MS) points.push({ balance, later })
    balance -= signed(amountUsdc)
    until = since
  }
  const isWhole = entries.length < ENTRIES_MAX
  if (isWhole && until >= moment - CLOCK_MS) points.push({ balance, later: entries.length })
  return points
}

function owedIn(balance: AnswerOf<'readBalance'>): bigint {
  return [
    balance.consumer_available_balance,
    balance.consumer_held_balance,
    balance.provider_receivable_balance,
    balance.provider_locked_balance,
  ].reduce((sum, part) => sum + micros(part), 0n)
}

function describePoint({ balanceUsdc }: Inclusion, { later }: Point) {
  return (
    <>
      <Amount usdc={balanceUsdc} />
      {later === 0
        ? ', which is your current balance.'
        : `, your balance at that time. Later entries: ${later}.`}
    </>
  )
}

const signed = (usdc: string): bigint => (usdc.startsWith('-') ? -micros(usdc.slice(1)) : micros(usdc))

function checkLeaf(leaf: Node, { leafHash }: Inclusion): Check {
  const isTrue = leaf.hash === leafHash
  return {
    title: 'Your recomputed leaf is in the tree',
    outcome: holdsIf(isTrue),
    detail: (
      <>
        SHA-256 of your address, the salt and the balance is{' '}
        <code className="font-mono">{shorten(leaf.hash, 10, 8)}</code>
        {isTrue ? '.' : ', which differs from the gateway’s hash.'}
      </>
    ),
  }
}

function checkWay(root: Node, { merkleRoot }: Tree, steps: number): Check {
  const isTrue = root.hash === merkleRoot
  return {
    title: 'The path ends at the published root',
    outcome: holdsIf(isTrue),
    detail: (
      <>
        {steps} {steps === 1 ? 'step' : 'steps'} up:{' '}
        <code className="font-mono">{shorten(root.hash, 10, 8)}</code>
        {isTrue ? '.' : ', which is a different root.'}
      </>
    ),
  }
}

function checkRootSum(root: Node, { walletsUsdc }: Tree): Check {
  const isTrue = formatMicros(root.sum) === walletsUsdc
  return {
    title: 'The sums along the path add up to the liabilities',
    outcome: holdsIf(isTrue),
    detail: (
      <>
        <Amount usdc={formatMicros(root.sum)} /> at the root
        {isTrue ? (
          '.'
        ) : (
          <>
            , not <Amount usdc={walletsUsdc} />.
          </>
        )}
      </>
    ),
  }
}
