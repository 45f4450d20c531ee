import { openedOf } from '../load/money-load.ts'
import { addTo, type Books, type Totals } from './books.ts'
import { checkCall, type TokenPrices } from './check-calls.ts'
import type { AskedCall, AskedDeposit, AskedWithdrawal, Credential, History, WireTicket } from './history.ts'

const BASIS_POINTS = 10_000n

/** Prices and fee of a round. */
export type Terms = { readonly prices: TokenPrices; readonly feeBasisPoints: bigint }

/**
 * Holds what was asked and answered in a round against the books, and adds the round to the totals.
 *
 * @param older calls of earlier rounds that were asked for again in this one
 * @returns what is wrong, in sentences; empty when every promise was kept
 */
export function checkRound(
  history: History,
  older: readonly AskedCall[],
  books: Books,
  totals: Totals,
  terms: Terms,
): string[] {
  const found = checkCalls(history, older, books, terms)
  addRound(history, books, totals, terms)
  return [
    ...found,
    ...history.credentials.flatMap(credential => checkLimit(credential, books)),
    ...checkCredentials(books, totals),
    ...checkDeposits(history.deposits, books, totals),
    ...checkWithdrawals(history.withdrawals, books),
    ...checkAccounts(books, totals),
    ...books.open.map(({ id, status }) => `call ${id}: still ${status} after its lease and a sweep`),
    ...books.findings,
  ]
}

function checkCalls(
  { calls }: History,
  older: readonly AskedCall[],
  books: Books,
  { prices }: Terms,
): string[] {
  const rows = new Map(books.calls.map(row => [row.call, row]))
  const arrivals = Map.groupBy(books.arrivals, arrival => arrival.call)
  const check = (call: AskedCall, isOlder: boolean) => {
    const row = rows.get(call.call)
    const usage = row === undefined ? undefined : books.usageOf(row.id)
    return checkCall({ call, row, arrivals: arrivals.get(call.call) ?? [], usage, prices, isOlder })
  }
  return [...calls.flatMap(call => check(call, false)), ...older.flatMap(call => check(call, true))]
}

/** Adds a round to the totals, as callers, providers and the chain know it. */
function addRound({ calls }: History, books: Books, totals: Totals, { feeBasisPoints }: Terms): void {
  const rows = new Map(books.calls.map(row => [row.call, row]))
  for (const call of calls) {
    const row = rows.get(call.call)
    if (row === undefined) continue
    const { charged } = row
    const fee = (charged * feeBasisPoints) / BASIS_POINTS
    const sums = totals.byCredential.get(call.credentialId) ?? { calls: 0, charged: 0n }
    totals.byCredential.set(call.credentialId, { calls: sums.calls + 1, charged: sums.charged + charged })
    addTo(totals.charged, call.payer, charged)
    addTo(totals.earned, call.provider, charged - fee)
    totals.fees += fee
  }
  for (const { wallet, amount } of books.paidIn) addTo(totals.paidIn, wallet, amount)
  for (const { wallet, amount } of books.paidOut) addTo(totals.paidOut, wallet, amount)
}

function checkLimit({ id, limit }: Credential, books: Books): string[] {
  const spent = books.byCredential.get(id)?.charged ?? 0n
  return limit !== null && spent > limit ? [`credential ${id}: has spent ${spent} of ${limit}`] : []
}

/** Compares calls and spending of each credential with those that callers know. */
function checkCredentials(books: Books, totals: Totals): string[] {
  const ids = new Set([...books.byCredential.keys(), ...totals.byCredential.keys()])
  return [...ids].flatMap(id => {
    const has = books.byCredential.get(id) ?? { calls: 0, charged: 0n }
    const due = totals.byCredential.get(id) ?? { calls: 0, charged: 0n }
    if (has.calls === due.calls && has.charged === due.charged) return []
    return [
      `credential ${id}: ${has.calls} calls for ${has.charged}, of which callers know ${due.calls} for ${due.charged}`,
    ]
  })
}

/** Checks that each deposit on the chain is credited once with its amount, and nothing else is. */
function checkDeposits(deposits: readonly AskedDeposit[], books: Books, totals: Totals): string[] {
  const credits = Map.groupBy(books.credits, ({ reference }) => reference)
  const found = books.paidIn.flatMap(({ wallet, amount, reference }) => {
    const made = credits.get(reference) ?? []
    const isRight =
      made.length === 1 && made[0]?.amount === amount && made[0].account === `consumer:${wallet}`
    if (isRight) return []
    return [
      `deposit ${reference}: ${amount} of ${wallet} was credited ${made.length} times: ${JSON.stringify(made, withBigints)}`,
    ]
  })
  const paid = [...totals.paidIn.values()].reduce((sum, amount) => sum + amount, 0n)
  const credited = books.credits.reduce((sum, { amount }) => sum + amount, 0n)
  if (paid !== credited) found.push(`deposits: ${credited} credited in all, and the chain has ${paid}`)
  for (const { txHash, isAcknowledged } of deposits) {
    const isThere = books.credits.some(({ reference }) => reference.includes(txHash.toLowerCase()))
    if (isAcknowledged && !isThere) found.push(`deposit ${txHash}: was said to be credited and is not`)
  }
  return found
}

/** Returns the payout of a ticket; its signature may differ at each request. */
const payoutOf = ({ to, amount, nonce }: WireTicket): string => `${nonce} ${to} ${amount}`

/**
 * A key is one withdrawal, answered in its state of then, and one ticket at most; one that was given out is there, and
 * the chain decides which are paid.
 */
function checkWithdrawals(asked: readonly AskedWithdrawal[], books: Books): string[] {
  const byId = new Map(books.withdrawals.map(row => [row.id, row]))
  const byNonce = new Map(books.withdrawals.map(row => [row.nonce, row]))
  const found: string[] = []
  for (const { key, wallet, seen } of asked) {
    const opened = seen.flatMap(answer => openedOf(answer) ?? [])
    const ids = new Set(opened.map(({ withdrawalId }) => withdrawalId))
    if (ids.size > 1) found.push(`withdrawal ${key} of ${wallet}: is ${ids.size} withdrawals`)
    const tickets = new Set(opened.flatMap(({ ticket }) => (ticket === null ? [] : payoutOf(ticket))))
    if (tickets.size > 1) found.push(`withdrawal ${key} of ${wallet}: was given ${tickets.size} tickets`)
    for (const { withdrawalId, ticket } of opened) {
      const row = byId.get(withdrawalId)
      if (row === undefined || (ticket !== null && row.nonce !== ticket.nonce))
        found.push(`withdrawal ${withdrawalId}: a ticket is out, and the database does not know it`)
    }
  }
  for (const { nonce, amount } of books.paidOut) {
    const row = byNonce.get(nonce)
    if (row === undefined) found.push(`ticket ${nonce}: was paid, and the database does not know it`)
    else if (row.status !== 'COMPLETED' || row.amount !== amount)
      found.push(
        `withdrawal ${row.id}: the chain has paid ${amount}, and the database has ${row.status} ${row.amount}`,
      )
  }
  return found
}

/** Every account is what its history comes to, and none is in debt. */
function checkAccounts(books: Books, totals: Totals): string[] {
  const found: string[] = []
  const of = (sums: ReadonlyMap<string, bigint>, wallet: string) => sums.get(wallet) ?? 0n
  const expect = (account: string, posted: bigint, reserved: bigint) => {
    const has = books.accounts.get(account) ?? { posted: 0n, reserved: 0n }
    if (has.posted !== posted)
      found.push(`account ${account}: ${has.posted}, and its history comes to ${posted}`)
    if (has.reserved !== reserved)
      found.push(`account ${account}: ${has.reserved} are set aside and not ${reserved}`)
  }
  for (const wallet of new Set([...totals.paidIn.keys(), ...totals.charged.keys()]))
    expect(`consumer:${wallet}`, of(totals.paidIn, wallet) - of(totals.charged, wallet), 0n)
  const locked = new Map<string, bigint>()
  for (const { wallet, amount, status } of books.withdrawals)
    if (!['COMPLETED', 'CANCELLED', 'REJECTED'].includes(status)) addTo(locked, wallet, amount)
  for (const wallet of new Set([...totals.earned.keys(), ...locked.keys()]))
    expect(`provider:${wallet}`, of(totals.earned, wallet) - of(totals.paidOut, wallet), of(locked, wallet))
  expect('fees', totals.fees, 0n)
  for (const [account, { posted, reserved }] of books.accounts)
    if (account.includes(':') && (posted < reserved || reserved < 0n))
      found.push(`account ${account}: ${posted} with ${reserved} set aside`)
  const [completed, paid] = [
    books.withdrawals
      .filter(({ status }) => status === 'COMPLETED')
      .reduce((sum, { amount }) => sum + amount, 0n),
    [...totals.paidOut.values()].reduce((sum, amount) => sum + amount, 0n),
  ]
  if (completed !== paid) found.push(`withdrawals: ${completed} paid by the database, ${paid} by the chain`)
  return found
}

const withBigints = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)
