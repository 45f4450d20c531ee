import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, parseUsdc, type Usdc, usdc, ZERO } from '@farebox/money'
import { type Balance, inLanes, type Market, readBalance } from './market.ts'

/** Longest wait until no call is open, and then until the gateway has reconciled anew (it does so every minute). */
const SETTLE_LIMIT_MS = 60_000
const RECONCILE_LIMIT_MS = 180_000
const POLL_MS = 500
const FINDINGS_MAX = 20

/** Everybody's money at one time. */
export type Balances = { readonly owners: readonly Balance[]; readonly providers: readonly Balance[] }

/** Good answers so far, by owner and by service. */
export type Tally = { readonly byOwner: readonly number[]; readonly byService: readonly number[] }

/** What the check of the books found. Amounts are decimal USDC. */
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
export async function readBalances({ api, ownerTokens, providerTokens }: Market): Promise<Balances> {
  const read = (tokens: readonly string[]) =>
    inLanes(tokens.length, index => readBalance(api, tokens[index] ?? ''))
  return { owners: await read(ownerTokens), providers: await read(providerTokens) }
}

/**
 * Checks the books to the micro: every owner is poorer by its good answers times the price, every provider richer
 * by the calls of its service less the fee, nothing is held any more, and the gateway's own reconciliation, made
 * after the last call, finds every invariant of the ledger and the reserves on chain in order.
 */
export async function checkBooks(
  market: Market,
  run: { before: Balances; tally: Tally; price: Usdc },
): Promise<BooksCheck> {
  const { before, tally, price } = run
  const after = await settled(market)
  const findings: string[] = []

  const spent = before.owners.map(
    ({ available }, index) => available - (after.owners[index]?.available ?? ZERO),
  )
  const fees = after.owners.map(({ feesPaid }, index) => feesPaid - (before.owners[index]?.feesPaid ?? ZERO))
  const earned = after.providers.map(
    ({ receivable }, index) => receivable - (before.providers[index]?.receivable ?? ZERO),
  )
  const cost = (calls: number | undefined) => BigInt(calls ?? 0) * price

  for (const [index, amount] of spent.entries()) {
    const expected = cost(tally.byOwner[index])
    if (amount !== expected)
      findings.push(`owner ${index} spent ${usd(amount)}, its calls cost ${usd(expected)}`)
    const held = after.owners[index]?.held ?? ZERO
    if (held !== ZERO) findings.push(`owner ${index} still has ${usd(held)} held`)
  }
  const feesInAll = sum(fees)
  for (const [index, amount] of earned.entries()) {
    const expected = cost(tally.byService[index])
    // Fees are told per payer, not per provider: with fees only the sum below can be checked.
    if (feesInAll === 0n && amount !== expected) {
      findings.push(`provider ${index} earned ${usd(amount)}, its calls brought ${usd(expected)}`)
    }
  }
  const paidCalls = tally.byOwner.reduce((total, calls) => total + calls, 0)
  const expected = cost(paidCalls)
  if (sum(spent) !== expected)
    findings.push(`owners spent ${usd(sum(spent))}, the calls cost ${usd(expected)}`)
  if (sum(earned) + feesInAll !== expected) {
    findings.push(`providers earned ${usd(sum(earned))} and fees took ${usd(feesInAll)} of ${usd(expected)}`)
  }
  findings.push(...(await reconciled(market)))

  return {
    isExact: findings.length === 0,
    paidCalls,
    expectedUsdc: usd(expected),
    spentUsdc: usd(sum(spent)),
    earnedUsdc: usd(sum(earned)),
    feesUsdc: usd(feesInAll),
    findings: findings.slice(0, FINDINGS_MAX),
  }
}

/** Everybody's money once nothing is held any more, or as it stands when that takes too long. */
async function settled(market: Market): Promise<Balances> {
  const giveUpAt = Date.now() + SETTLE_LIMIT_MS
  for (;;) {
    const balances = await readBalances(market)
    if (balances.owners.every(({ held }) => held === ZERO) || Date.now() > giveUpAt) return balances
    await delay(POLL_MS)
  }
}

/** What the gateway's first reconciliation from now on finds wrong. */
async function reconciled({ api }: Market): Promise<string[]> {
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
