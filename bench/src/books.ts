import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, parseUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { type Balance, readBalance } from './balance.ts'
import { type Accounts, inLanes } from './market.ts'

/** Longest wait until no call is open, and then until the gateway has reconciled anew (it does so every minute). */
const SETTLE_LIMIT_MS = 60_000
const RECONCILE_LIMIT_MS = 180_000
const POLL_MS = 500
const FINDINGS_MAX = 20

/** Everybody's money at one time. */
export type Balances = { readonly owners: readonly Balance[]; readonly providers: readonly Balance[] }

/** Good answers so far, by owner and by service. */
export type Tally = { readonly byOwner: readonly number[]; readonly byService: readonly number[] }

/** What calls must have done to everybody's money, in micro-USDC. Owners and providers by their index. */
export type Due = {
  readonly calls: number
  readonly spent: readonly bigint[]
  readonly earned: readonly bigint[]
  /** What must still be held of each owner; null: nothing of anybody. */
  readonly held: readonly bigint[] | null
}

/** What calls of one price must have done. The provider of a service is the one with its index. */
export function dueOf({ byOwner, byService }: Tally, price: Usdc): Due {
  const cost = (calls: number) => BigInt(calls) * price
  const calls = byOwner.reduce((total, count) => total + count, 0)
  return { calls, spent: byOwner.map(cost), earned: byService.map(cost), held: null }
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
export async function readBalances(accounts: Accounts): Promise<Balances> {
  const { api, ownerTokens, providerTokens, seededBalances } = accounts
  const read = (tokens: readonly string[]) =>
    inLanes(tokens.length, index => readBalance(api, tokens[index] ?? ''))
  const seeded = (await seededBalances?.()) ?? []
  return { owners: [...(await read(ownerTokens)), ...seeded], providers: await read(providerTokens) }
}

/**
 * Checks the books to the micro: every owner is poorer by what its calls cost, every provider richer by what the
 * calls of its service brought less the fee, no more is held than must be, and the gateway's own reconciliation, made
 * after the last call, finds every invariant of the ledger and the reserves on chain in order.
 */
export async function checkBooks(
  market: Accounts,
  { before, due }: { before: Balances; due: Due },
): Promise<BooksCheck> {
  const after = await settled(market, due.held)
  const findings: string[] = []

  const spent = before.owners.map(
    (balance, index) => balance.available + balance.held - ownedBy(after.owners[index]),
  )
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
  findings.push(...(await reconciled(market)))

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

/** Everybody's money once no more is held than must be, or as it stands when that takes too long. */
async function settled(market: Accounts, held: Due['held']): Promise<Balances> {
  const giveUpAt = Date.now() + SETTLE_LIMIT_MS
  for (;;) {
    const balances = await readBalances(market)
    const isSettled = balances.owners.every((balance, index) => balance.held === (held?.[index] ?? 0n))
    if (isSettled || Date.now() > giveUpAt) return balances
    await delay(POLL_MS)
  }
}

/** What the gateway's first reconciliation from now on finds wrong. */
async function reconciled({ api }: Accounts): Promise<string[]> {
  const since = Date.now()
  const giveUpAt = since + RECONCILE_LIMIT_MS
  for (;;) {
    const { status, body } = await api.call<Record<string, unknown>>('GET', '/api/v1/proof/reserves')
    const at = Date.parse(String(body.lastReconciledAt))
    if (status === 200 && at > since) {
      const findings: string[] = []
      if (body.consistent !== true) findings.push('the gateway says that its books are not consistent')
      if (!isZero(body.ledgerSumUsdc)) findings.push(`all ledger entries add up to ${body.ledgerSumUsdc}`)
      const [vault, owed] = [body.vaultBalanceUsdc, body.liabilitiesUsdc].map(text => parseUsdc(String(text)))
      if (vault === undefined || owed === undefined || vault < owed) {
        findings.push(`the vault holds ${body.vaultBalanceUsdc}, but ${body.liabilitiesUsdc} are owed`)
      }
      return findings
    }
    if (Date.now() > giveUpAt || (status !== 200 && status !== 503)) {
      return [`no reconciliation was seen after the run (proof of reserves answered ${status})`]
    }
    await delay(POLL_MS)
  }
}

function isZero(amount: unknown): boolean {
  return /^0(\.0+)?$/.test(String(amount))
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** An amount that may be negative, when something is wrong. */
function usd(amount: bigint): string {
  return amount < 0n ? `-${formatUsdc(usdc(-amount))}` : formatUsdc(usdc(amount))
}
