import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, usdc, ZERO } from '@farebox/money'
import { type Balance, readBalance } from './balance.ts'
import { type Accounts, inLanes } from './market.ts'

/** Longest wait until no call is open and every row tells of the last of them. */
const SETTLE_LIMIT_MS = 60_000
const POLL_MS = 500
const FINDINGS_MAX = 20

/** Everybody's money at one time. */
export type Balances = { readonly owners: readonly Balance[]; readonly providers: readonly Balance[] }

/** What calls must have done to everybody's money, in micro-USDC. Owners and providers by their index. */
export type Due = {
  readonly calls: number
  readonly spent: readonly bigint[]
  readonly earned: readonly bigint[]
  /** What must still be held of each owner; null: nothing of anybody. */
  readonly held: readonly bigint[] | null
}

/** What the check of the books found. Amounts are decimal USDC. */
export type BooksCheck = {
  readonly isExact: boolean
  readonly paidCalls: number
  readonly expectedUsdc: string
  readonly spentUsdc: string
  readonly earnedUsdc: string
  readonly feesUsdc: string
  /** What is still held of all owners. */
  readonly heldUsdc: string
  readonly findings: readonly string[]
}

/** Reads everybody's money. */
export async function readBalances({ api, readOwners, providerTokens }: Accounts): Promise<Balances> {
  const providers = inLanes(providerTokens.length, index => readBalance(api, providerTokens[index] ?? ''))
  return { owners: await readOwners(), providers: await providers }
}

/**
 * Checks the books to the micro, once every row tells of the last call or patience is over: every owner is poorer by what its calls cost, every provider richer by what the
 * calls of its service brought less the fee, no more is held than must be, and the gateway's own check finds every
 * invariant of the ledger and the reserves on chain in order.
 */
export async function checkBooks(
  market: Accounts,
  on: { before: Balances; due: Due; patienceMs?: number },
): Promise<BooksCheck> {
  const { before, due } = on
  const after = await settled(market, { patienceMs: SETTLE_LIMIT_MS, ...on })
  const findings: string[] = []

  const spent = spentBetween(before, after)
  const fees = after.owners.map(({ feesPaid }, index) => feesPaid - (before.owners[index]?.feesPaid ?? ZERO))
  const earned = after.providers.map(
    ({ receivable }, index) => receivable - (before.providers[index]?.receivable ?? ZERO),
  )

  for (const [index, amount] of spent.entries()) {
    const expected = due.spent[index] ?? 0n
    if (amount !== expected)
      findings.push(`owner ${index} spent ${usd(amount)}, its calls cost ${usd(expected)}`)
    const held = after.owners[index]?.held ?? ZERO
    const open = due.held?.[index] ?? 0n
    if (held !== open) findings.push(`of owner ${index}, ${usd(held)} are held and not ${usd(open)}`)
  }
  const feesInAll = sum(fees)
  for (const [index, amount] of earned.entries()) {
    const expected = due.earned[index] ?? 0n
    // Fees are told per payer, not per provider: with fees only the sum below can be checked.
    if (feesInAll === 0n && amount !== expected) {
      findings.push(`provider ${index} earned ${usd(amount)}, its calls brought ${usd(expected)}`)
    }
  }
  const expected = sum(due.spent)
  if (sum(spent) !== expected)
    findings.push(`owners spent ${usd(sum(spent))}, the calls cost ${usd(expected)}`)
  if (sum(earned) + feesInAll !== expected) {
    findings.push(`providers earned ${usd(sum(earned))} and fees took ${usd(feesInAll)} of ${usd(expected)}`)
  }
  findings.push(...(await market.reconcile()))

  return {
    isExact: findings.length === 0,
    paidCalls: due.calls,
    expectedUsdc: usd(expected),
    spentUsdc: usd(sum(spent)),
    earnedUsdc: usd(sum(earned)),
    feesUsdc: usd(feesInAll),
    heldUsdc: usd(sum(after.owners.map(({ held }) => held))),
    findings: findings.slice(0, FINDINGS_MAX),
  }
}

const ownedBy = (balance: Balance | undefined): bigint =>
  balance === undefined ? 0n : balance.available + balance.held

const spentBetween = (before: Balances, after: Balances): bigint[] =>
  before.owners.map(({ available, held }, index) => available + held - ownedBy(after.owners[index]))

/** Everybody's money once all calls are in it and no more is held than must be, or as it stands when that takes too long. */
async function settled(
  market: Accounts,
  { before, due, patienceMs }: { before: Balances; due: Due; patienceMs: number },
): Promise<Balances> {
  const giveUpAt = Date.now() + patienceMs
  for (;;) {
    const balances = await readBalances(market)
    const isSettled =
      sum(spentBetween(before, balances)) === sum(due.spent) &&
      balances.owners.every((balance, index) => balance.held === (due.held?.[index] ?? 0n))
    if (isSettled || Date.now() > giveUpAt) return balances
    await delay(POLL_MS)
  }
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** An amount that may be negative, when something is wrong. */
function usd(amount: bigint): string {
  return amount < 0n ? `-${formatUsdc(usdc(-amount))}` : formatUsdc(usdc(amount))
}
