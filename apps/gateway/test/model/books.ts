/**
 * A model of the books: what every act does to the money, and what its caller gets. Uses no code of the gateway and is
 * a complete description of how money moves. Amounts are micro-USDC.
 *
 * An act is a chain of atomic steps. All acts but a call have one step; a call has two, the hold and its end, as others
 * may act while its provider works.
 */

/** Platform fee in basis points, taken from the provider's share, rounded down. */
export const FEE_BPS = 250n
/** Token prices of a model per 1,000,000, in micro-USDC. */
export const TOKEN_PRICES = { input: 1_500_000n, output: 6_000_000n } as const
/** Size of every request to a model, in bytes of JSON: a token per three of them, and 16. */
export const PROMPT_BYTES = 2_400
const PROMPT_TOKENS = PROMPT_BYTES / 3 + 16
/** Maximum input tokens of each request. */
const INPUT_TOKENS_MAX = PROMPT_BYTES + 1_024
/** Maximum output tokens of each request. */
export const MAX_TOKENS = 1_000
/** Default monthly cap of owners. */
export const MONTHLY_DEFAULT = 1_000_000_000n

/** Payers. Each has services of its own, which no other calls. */
export const PAYERS = ['ada', 'bob'] as const
export type Payer = (typeof PAYERS)[number]
/** The provider of all services. */
export const PROVIDER = 'pat'
export type Who = Payer | typeof PROVIDER

/** A fixed price with an answer; a fixed price without one; tokens. */
export type Service = 'echo' | 'sleepy' | 'model'

/** How the provider answers. The sleepy one never does. */
export type Outcome =
  /** A proper answer; a model reports its usage. */
  | { readonly kind: 'good'; readonly input: number; readonly output: number }
  /** 4xx. */
  | { readonly kind: 'refused' }
  /** 5xx. */
  | { readonly kind: 'broken' }
  /** The connection breaks before an answer. */
  | { readonly kind: 'reset' }
  /** 200 with a body that is not JSON although its type says so. */
  | { readonly kind: 'garbage' }
  /** A model's answer without usage. */
  | { readonly kind: 'silent' }

/** Possible acts. They name their objects as earlier acts have. */
export type Act =
  | { readonly kind: 'deposit'; readonly who: Payer; readonly amount: bigint }
  | {
      readonly kind: 'issue'
      readonly who: Payer
      readonly name: string
      readonly maxCalls: bigint | null
      readonly creditLimit: bigint | null
    }
  | { readonly kind: 'revoke'; readonly credential: string }
  | { readonly kind: 'rotate'; readonly credential: string }
  | {
      readonly kind: 'call'
      readonly credential: string
      /** Index of its token, from 0. */
      readonly token: number
      readonly key: string
      readonly service: Service
      /** `costUsdc`, or a model's `maxCostUsdc`. */
      readonly offer: bigint
      readonly outcome: Outcome
    }
  /** A late usage report of the provider for a call of a model. */
  | { readonly kind: 'report'; readonly call: string; readonly input: number; readonly output: number }
  | { readonly kind: 'price'; readonly of: Payer; readonly amount: bigint }
  | {
      readonly kind: 'policy'
      readonly who: Payer
      readonly monthly: bigint | null
      readonly daily: bigint | null
      readonly perCall: bigint | null
    }
  | { readonly kind: 'withdraw'; readonly key: string; readonly amount: bigint }
  /** The ticket goes to the vault, and the transaction to the gateway. */
  | { readonly kind: 'complete'; readonly withdrawal: string }
  /** An hour of chain time passes. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'voucher'; readonly name: string; readonly amount: bigint; readonly times: number }
  | { readonly kind: 'redeem'; readonly who: Who; readonly voucher: string }

/** The part of a caller's answer that concerns money. */
export type Answer = {
  readonly status: number
  readonly code?: string
  /** `detail.limit` of BUDGET_EXHAUSTED. */
  readonly limit?: string
  readonly charged?: bigint
  readonly isReplay?: boolean
}

type Wallet = {
  readonly available: bigint
  /** Part of its money that vouchers paid; spent first. */
  readonly promotional: bigint
  readonly held: bigint
  /** Platform fees included in what its calls have paid. */
  readonly fees: bigint
  readonly monthly: bigint | null
  readonly daily: bigint | null
  readonly perCall: bigint | null
  /** Captured and held, this month and this day; a test is shorter. */
  readonly drawn: bigint
}

type Credential = {
  readonly owner: Payer
  readonly isRevoked: boolean
  /** Number of revoked tokens, which is the index of the current one. */
  readonly rotations: number
  readonly maxCalls: bigint | null
  readonly creditLimit: bigint | null
  readonly calls: bigint
  readonly spent: bigint
  readonly held: bigint
}

type Call = {
  readonly credential: string
  readonly service: Service
  readonly hold: bigint
  readonly state: 'running' | 'waits for usage' | 'charged' | 'released'
  /** The request: the same key is for the same one. */
  readonly request: string
  readonly usage: string | null
  readonly answer: Answer | null
}

type Withdrawal = {
  readonly amount: bigint
  readonly state: 'APPROVED_AUTO' | 'PENDING_REVIEW' | 'COMPLETED' | 'CANCELLED'
}
type Voucher = { readonly amount: bigint; readonly left: number; readonly by: readonly Who[] }
type Named<Thing> = Readonly<Record<string, Thing>>

/** The whole state. */
export type Books = {
  readonly wallets: Readonly<Record<Who, Wallet>>
  readonly credentials: Named<Credential>
  readonly calls: Named<Call>
  /** Earnings of the provider, and where they are. */
  readonly earnings: {
    readonly earned: bigint
    readonly calls: number
    readonly receivable: bigint
    /** Part of `earned` that vouchers paid, and part of it that is still receivable. */
    readonly promotional: bigint
    readonly receivablePromotional: bigint
    readonly locked: bigint
    readonly withdrawn: bigint
  }
  readonly prices: Readonly<Record<Payer, bigint>>
  readonly withdrawals: Named<Withdrawal>
  readonly vouchers: Named<Voucher>
}

const POOR: Wallet = {
  available: 0n,
  promotional: 0n,
  held: 0n,
  fees: 0n,
  drawn: 0n,
  monthly: null,
  daily: null,
  perCall: null,
}

/** Empty books. */
export const EMPTY: Books = {
  wallets: { ada: POOR, bob: POOR, pat: POOR },
  credentials: {},
  calls: {},
  earnings: {
    earned: 0n,
    calls: 0,
    receivable: 0n,
    locked: 0n,
    withdrawn: 0n,
    promotional: 0n,
    receivablePromotional: 0n,
  },
  prices: { ada: 10_000n, bob: 10_000n },
  withdrawals: {},
  vouchers: {},
}

/** One step: an act ends with an answer, or continues. */
export type Step = (
  books: Books,
) => { readonly books: Books; readonly answer: Answer } | { readonly books: Books; readonly next: Step }

const DONE: Answer = { status: 200 }
const refusal = (books: Books, status: number, code: string, more: Partial<Answer> = {}) => ({
  books,
  answer: { status, code, ...more },
})

/** The first step of an act. */
export function stepOf(act: Act): Step {
  return books => {
    switch (act.kind) {
      case 'deposit':
        return { books: pay(books, act.who, { available: act.amount }), answer: DONE }
      case 'issue':
        return issue(books, act)
      case 'revoke':
        return { books: changeCredential(books, act.credential, { isRevoked: true }), answer: DONE }
      case 'rotate':
        return rotate(books, act.credential)
      case 'call':
        return hold(books, act)
      case 'report':
        return report(books, act)
      case 'price':
        return { books: { ...books, prices: { ...books.prices, [act.of]: act.amount } }, answer: DONE }
      case 'policy': {
        const { monthly, daily, perCall } = act
        return { books: setWallet(books, act.who, { monthly, daily, perCall }), answer: DONE }
      }
      case 'withdraw':
        return withdraw(books, act)
      case 'complete':
        return complete(books, act.withdrawal)
      case 'expire':
        return { books: expire(books), answer: DONE }
      case 'voucher': {
        const voucher = { amount: act.amount, left: act.times, by: [] }
        return { books: { ...books, vouchers: { ...books.vouchers, [act.name]: voucher } }, answer: DONE }
      }
      case 'redeem':
        return redeem(books, act)
    }
  }
}

/** Runs an act alone. */
export function happen(books: Books, act: Act): { readonly books: Books; readonly answer: Answer } {
  let went = stepOf(act)(books)
  while ('next' in went) went = went.next(went.books)
  return went
}

function issue(books: Books, act: Extract<Act, { kind: 'issue' }>) {
  const { name, who: owner, maxCalls, creditLimit } = act
  const wallet = books.wallets[owner]
  if (wallet.available === 0n) return refusal(books, 402, 'INSUFFICIENT_BALANCE')
  if (creditLimit !== null && creditLimit > (wallet.monthly ?? MONTHLY_DEFAULT)) {
    return refusal(books, 422, 'LIMIT_EXCEEDED')
  }
  const credential = {
    owner,
    maxCalls,
    creditLimit,
    isRevoked: false,
    rotations: 0,
    calls: 0n,
    spent: 0n,
    held: 0n,
  }
  return { books: { ...books, credentials: { ...books.credentials, [name]: credential } }, answer: DONE }
}

function rotate(books: Books, name: string) {
  const { isRevoked, rotations } = credentialOf(books, name)
  if (isRevoked) return refusal(books, 409, 'INVALID_STATE')
  return { books: changeCredential(books, name, { rotations: rotations + 1 }), answer: DONE }
}

/** Name of a call: keys are scoped to their credential. */
export const callName = ({ credential, key }: { credential: string; key: string }): string =>
  `${credential}/${key}`

/** Access, then known key, then price, then all limits together. */
function hold(books: Books, act: Extract<Act, { kind: 'call' }>): ReturnType<Step> {
  const { service, offer } = act
  const credential = credentialOf(books, act.credential)
  if (act.token !== credential.rotations) return refusal(books, 401, 'CREDENTIAL_INVALID')
  if (credential.isRevoked) return refusal(books, 401, 'CREDENTIAL_INACTIVE')

  const name = callName(act)
  const request = JSON.stringify([service, offer.toString(), act.outcome])
  const known = books.calls[name]
  if (known !== undefined) {
    if (known.request !== request) return refusal(books, 409, 'IDEMPOTENCY_CONFLICT')
    if (known.answer === null) return refusal(books, 409, 'IDEMPOTENCY_IN_PROGRESS')
    return { books, answer: { ...known.answer, isReplay: true } }
  }
  const isMetered = service === 'model'
  if (!isMetered && offer !== books.prices[credential.owner]) return refusal(books, 422, 'PRICE_MISMATCH')
  if (isMetered && offer < costOf({ input: PROMPT_TOKENS, output: 1 })) {
    return refusal(books, 422, 'LIMIT_EXCEEDED')
  }
  const limit = exhausted(books, act.credential, offer)
  if (limit !== null) return refusal(books, 402, 'BUDGET_EXHAUSTED', { limit })

  const held = pay(books, credential.owner, { available: -offer, held: offer, drawn: offer })
  const drawn = changeCredential(held, act.credential, {
    calls: credential.calls + 1n,
    held: credential.held + offer,
  })
  const call: Call = {
    credential: act.credential,
    service,
    hold: offer,
    request,
    state: 'running',
    usage: null,
    answer: null,
  }
  return { books: setCall(drawn, name, call), next: after => end(after, name, act) }
}

/** Returns the first exceeded limit, in the order of reporting. */
function exhausted(books: Books, name: string, hold: bigint): string | null {
  const { owner, maxCalls, calls, creditLimit, spent, held } = credentialOf(books, name)
  const { perCall, daily, monthly, drawn, available } = books.wallets[owner]
  if (maxCalls !== null && calls >= maxCalls) return 'credential_calls'
  if (creditLimit !== null && spent + held + hold > creditLimit) return 'credential_credit'
  if (perCall !== null && hold > perCall) return 'policy_per_call'
  if (daily !== null && drawn + hold > daily) return 'policy_daily'
  if (drawn + hold > (monthly ?? MONTHLY_DEFAULT)) return 'policy_monthly'
  return available < hold ? 'owner_balance' : null
}

/** Charges successful calls; keeps the hold of a model without usage; releases all others. */
function end(books: Books, name: string, { service, outcome, offer }: Extract<Act, { kind: 'call' }>) {
  if (service === 'sleepy') return release(books, name, 504)
  const isGood = outcome.kind === 'good'
  if (service === 'echo')
    return isGood || outcome.kind === 'silent' ? charge(books, name, offer, null) : release(books, name, 502)
  if (isGood) return charge(books, name, costOf(possible(outcome, offer)), usageOf(outcome))
  if (outcome.kind === 'silent' || outcome.kind === 'garbage') {
    const call = { ...callOf(books, name), state: 'waits for usage' } as const
    return refusal(setCall(books, name, call), 502, 'UPSTREAM_ERROR')
  }
  return release(books, name, 502)
}

/** Returns the chargeable usage: output up to what its cap leaves. */
function possible({ input, output }: { input: number; output: number }, cap: bigint) {
  const rest = cap * 1_000_000n - BigInt(PROMPT_TOKENS) * TOKEN_PRICES.input
  const bound = Math.min(MAX_TOKENS, Number(rest / TOKEN_PRICES.output))
  return { input: Math.min(input, INPUT_TOKENS_MAX), output: Math.min(output, bound) }
}

/** Returns the cost of tokens, rounded up once. */
function costOf({ input, output }: { input: number; output: number }): bigint {
  const millionths = BigInt(input) * TOKEN_PRICES.input + BigInt(output) * TOKEN_PRICES.output
  return (millionths + 999_999n) / 1_000_000n
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const usageOf = ({ input, output }: { input: number; output: number }) => `${input} ${output}`

/** Charges at most the hold and releases the rest. */
function charge(books: Books, name: string, cost: bigint, usage: string | null) {
  const call = callOf(books, name)
  const charged = cost < call.hold ? cost : call.hold
  const fee = (charged * FEE_BPS) / 10_000n
  const answer: Answer = { ...DONE, charged }
  const { owner, spent: before, held } = credentialOf(books, call.credential)
  const spent = least(charged, books.wallets[owner].promotional)
  const paid = pay(books, owner, {
    held: -call.hold,
    available: call.hold - charged,
    drawn: charged - call.hold,
    fees: fee,
    promotional: -spent,
  })
  const settled = changeCredential(paid, call.credential, { spent: before + charged, held: held - call.hold })
  const { earned, calls, receivable, promotional, receivablePromotional } = books.earnings
  const share = charged - fee
  const promoted = least(spent, share)
  const earnings = {
    ...books.earnings,
    earned: earned + share,
    calls: calls + 1,
    receivable: receivable + share,
    promotional: promotional + promoted,
    receivablePromotional: receivablePromotional + promoted,
  }
  return {
    books: setCall({ ...settled, earnings }, name, { ...call, state: 'charged', usage, answer }),
    answer,
  }
}

/** Releases the hold, the call and the credit; the key keeps the answer. */
function release(books: Books, name: string, status: number) {
  const call = callOf(books, name)
  const answer: Answer = { status, code: 'UPSTREAM_ERROR' }
  const { owner, calls, held } = credentialOf(books, call.credential)
  const back = pay(books, owner, { held: -call.hold, available: call.hold, drawn: -call.hold })
  const settled = changeCredential(back, call.credential, { calls: calls - 1n, held: held - call.hold })
  return { books: setCall(settled, name, { ...call, state: 'released', answer }), answer }
}

/** Charges a pending call; the same report again is accepted, a different one is too late. */
function report(books: Books, act: Extract<Act, { kind: 'report' }>) {
  const call = callOf(books, act.call)
  const usage = usageOf(act)
  if (call.state === 'running') return refusal(books, 409, 'IDEMPOTENCY_IN_PROGRESS')
  if (call.state === 'waits for usage') {
    return { ...charge(books, act.call, costOf(possible(act, call.hold)), usage), answer: DONE }
  }
  return call.usage === usage ? { books, answer: DONE } : refusal(books, 409, 'USAGE_ALREADY_FINAL')
}

function withdraw(books: Books, { key, amount }: Extract<Act, { kind: 'withdraw' }>) {
  const { earnings, withdrawals } = books
  const known = withdrawals[key]
  if (known !== undefined) {
    if (known.amount !== amount) return refusal(books, 409, 'IDEMPOTENCY_CONFLICT')
    return { books, answer: { ...DONE, isReplay: true } }
  }
  if (earnings.receivable < amount) return refusal(books, 422, 'INSUFFICIENT_PROVIDER_RECEIVABLE')
  // Withdraws earnings from deposits first; the rest needs a review.
  const promoted = amount - least(amount, earnings.receivable - earnings.receivablePromotional)
  const locked = moveEarnings(books, {
    receivable: -amount,
    locked: amount,
    receivablePromotional: -promoted,
  })
  const withdrawal = { amount, state: promoted > 0n ? 'PENDING_REVIEW' : 'APPROVED_AUTO' } as const
  return { books: { ...locked, withdrawals: { ...withdrawals, [key]: withdrawal } }, answer: DONE }
}

function complete(books: Books, key: string) {
  const withdrawal = books.withdrawals[key]
  if (withdrawal === undefined) throw new Error(`There is no withdrawal ${key}.`)
  const { amount, state } = withdrawal
  if (state === 'COMPLETED') return { books, answer: DONE }
  if (state !== 'APPROVED_AUTO') return refusal(books, 409, 'WITHDRAWAL_NOT_OPEN')
  const paid = moveEarnings(books, { locked: -amount, withdrawn: amount })
  const withdrawals = { ...books.withdrawals, [key]: { amount, state: 'COMPLETED' } as const }
  return { books: { ...paid, withdrawals }, answer: DONE }
}

/** Tickets that expire unredeemed give the money back. */
function expire(books: Books): Books {
  let after = books
  for (const [key, { amount, state }] of Object.entries(books.withdrawals)) {
    if (state !== 'APPROVED_AUTO') continue
    const back = moveEarnings(after, { locked: -amount, receivable: amount })
    after = { ...back, withdrawals: { ...back.withdrawals, [key]: { amount, state: 'CANCELLED' } } }
  }
  return after
}

function redeem(books: Books, { who, voucher: name }: Extract<Act, { kind: 'redeem' }>) {
  const voucher = books.vouchers[name]
  if (voucher === undefined) throw new Error(`There is no voucher ${name}.`)
  if (voucher.left === 0 || voucher.by.includes(who)) return refusal(books, 409, 'VOUCHER_ALREADY_REDEEMED')
  const paid = pay(books, who, { available: voucher.amount, promotional: voucher.amount })
  const used = { ...voucher, left: voucher.left - 1, by: [...voucher.by, who] }
  return { books: { ...paid, vouchers: { ...books.vouchers, [name]: used } }, answer: DONE }
}

function credentialOf(books: Books, name: string): Credential {
  const credential = books.credentials[name]
  if (credential === undefined) throw new Error(`There is no credential ${name}.`)
  return credential
}

function callOf(books: Books, name: string): Call {
  const call = books.calls[name]
  if (call === undefined) throw new Error(`There is no call ${name}.`)
  return call
}

const setCall = (books: Books, name: string, call: Call): Books => ({
  ...books,
  calls: { ...books.calls, [name]: call },
})

const setWallet = (books: Books, who: Who, changes: Partial<Wallet>): Books => ({
  ...books,
  wallets: { ...books.wallets, [who]: { ...books.wallets[who], ...changes } },
})

function changeCredential(books: Books, name: string, changes: Partial<Credential>): Books {
  const credential = { ...credentialOf(books, name), ...changes }
  return { ...books, credentials: { ...books.credentials, [name]: credential } }
}

/** Adds to a wallet's balance. */
function pay(
  books: Books,
  who: Who,
  by: Partial<Record<'available' | 'promotional' | 'held' | 'drawn' | 'fees', bigint>>,
): Books {
  const { available, promotional, held, drawn, fees } = books.wallets[who]
  return setWallet(books, who, {
    available: available + (by.available ?? 0n),
    promotional: promotional + (by.promotional ?? 0n),
    held: held + (by.held ?? 0n),
    drawn: drawn + (by.drawn ?? 0n),
    fees: fees + (by.fees ?? 0n),
  })
}

function moveEarnings(
  books: Books,
  by: Partial<Record<'receivable' | 'receivablePromotional' | 'locked' | 'withdrawn', bigint>>,
): Books {
  const { earnings } = books
  const moved = {
    receivable: earnings.receivable + (by.receivable ?? 0n),
    receivablePromotional: earnings.receivablePromotional + (by.receivablePromotional ?? 0n),
    locked: earnings.locked + (by.locked ?? 0n),
    withdrawn: earnings.withdrawn + (by.withdrawn ?? 0n),
  }
  return { ...books, earnings: { ...earnings, ...moved } }
}
