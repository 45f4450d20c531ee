import { formatUsdc, usdc, ZERO } from '@farebox/money'
import type { Balance } from '../../kit/person.ts'
import { until } from '../../kit/processes.ts'
import type { Target } from '../workers/messages.ts'

/** Longest wait until no call is open and every row contains the last of them. */
const SETTLE_LIMIT_MS = 60_000
const FINDINGS_MAX = 20

/** Wallets whose money a run moves. */
export type Accounts = {
  readOwners(): Promise<readonly Balance[]>
  /** Reads the balance of each provider; the provider of service `i` is `i`. */
  readProviders(): Promise<readonly Balance[]>
  /** Returns the invariants of the books that are broken. */
  reconcile(): Promise<readonly string[]>
}

/** Balances of all owners and providers at one time. */
export type Balances = { readonly owners: readonly Balance[]; readonly providers: readonly Balance[] }

/** Expected changes of balances by calls, in micro-USDC. Owners and providers by their index. */
export type Due = {
  readonly calls: number
  readonly spent: readonly bigint[]
  readonly earned: readonly bigint[]
}

/** Costs of the calls of a run so far. */
export type Account = {
  /** Notes paid calls of one cost, in micro-USDC each. */
  pay(target: Pick<Target, 'owner' | 'service'>, cost: bigint, calls?: number): void
  due(): Due
}

/** Opens an account for a run. */
export function openAccount(): Account {
  const spent: bigint[] = []
  const earned: bigint[] = []
  let calls = 0
  // Those whose money was never moved have no place of their own yet.
  const whole = (amounts: readonly bigint[]) => Array.from(amounts, amount => amount ?? 0n)
  return {
    pay({ owner, service }, cost, count = 1) {
      const amount = cost * BigInt(count)
      calls += count
      spent[owner] = (spent[owner] ?? 0n) + amount
      earned[service] = (earned[service] ?? 0n) + amount
    },
    due: () => ({ calls, spent: whole(spent), earned: whole(earned) }),
  }
}

/** Result of the check of the books. Amounts are decimal USDC. */
export type BooksCheck = {
  readonly isExact: boolean
  readonly paidCalls: number
  readonly expectedUsdc: string
  readonly spentUsdc: string
  readonly earnedUsdc: string
  readonly feesUsdc: string
  readonly findings: readonly string[]
}

/** Reads everybody's money. */
export async function readBalances({ readOwners, readProviders }: Accounts): Promise<Balances> {
  const [owners, providers] = await Promise.all([readOwners(), readProviders()])
  return { owners, providers }
}

/**
 * Checks the books to the micro, once every row contains the last call or patience is over: every owner is poorer by
 * what its calls cost, every provider richer by what the calls of its service brought less the fee, nothing is held, and
 * the gateway's own check finds every invariant of the ledger and the reserves on chain in order.
 */
export async function checkBooks(
  accounts: Accounts,
  on: { before: Balances; due: Due; patienceMs?: number },
): Promise<BooksCheck> {
  const { before, due, patienceMs = SETTLE_LIMIT_MS } = on
  const look = async () => {
    const after = await readBalances(accounts)
    const isSettled =
      sum(spentBetween(before, after)) === sum(due.spent) && after.owners.every(({ held }) => held === 0n)
    return isSettled && after
  }
  const after = await until('the books are settled', patienceMs, look).catch(() => readBalances(accounts))
  const spent = spentBetween(before, after)
  const gained = (pick: (balance: Balance) => bigint, of: keyof Balances) =>
    after[of].map((balance, index) => pick(balance) - pick(before[of][index] ?? NOTHING))
  const fees = sum(gained(({ feesPaid }) => feesPaid, 'owners'))
  const earned = gained(({ receivable }) => receivable, 'providers')
  const expected = sum(due.spent)
  const findings = [
    ...spent.flatMap((amount, index) =>
      differs(`owner ${index} spent`, amount, `its calls cost`, due.spent[index]),
    ),
    ...after.owners.flatMap(({ held }, index) => differs(`of owner ${index}`, held, 'held and not', 0n)),
    // Fees are known by payer, not by provider: with fees only the sum below can be checked.
    ...(fees > 0n
      ? []
      : earned.flatMap((amount, index) =>
          differs(`provider ${index} earned`, amount, 'its calls brought', due.earned[index]),
        )),
    ...differs('owners spent', sum(spent), 'the calls cost', expected),
    ...differs('providers and fees took', sum(earned) + fees, 'the calls cost', expected),
    ...(await accounts.reconcile()),
  ]
  return {
    isExact: findings.length === 0,
    paidCalls: due.calls,
    expectedUsdc: usd(expected),
    spentUsdc: usd(sum(spent)),
    earnedUsdc: usd(sum(earned)),
    feesUsdc: usd(fees),
    findings: findings.slice(0, FINDINGS_MAX),
  }
}

const NOTHING: Balance = { available: ZERO, held: ZERO, receivable: ZERO, feesPaid: ZERO }

const differs = (what: string, found: bigint, by: string, due = 0n): string[] =>
  found === due ? [] : [`${what} ${usd(found)}, ${by} ${usd(due)}`]

const ownedBy = ({ available, held }: Balance): bigint => available + held

const spentBetween = (before: Balances, after: Balances): bigint[] =>
  before.owners.map((owner, index) => ownedBy(owner) - ownedBy(after.owners[index] ?? NOTHING))

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** Formats an amount that may be negative when something is wrong. */
function usd(amount: bigint): string {
  return amount < 0n ? `-${formatUsdc(usdc(-amount))}` : formatUsdc(usdc(amount))
}
