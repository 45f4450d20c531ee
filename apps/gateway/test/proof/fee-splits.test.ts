import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import type { Earnings } from '@farebox/wire/withdrawals'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import {
  chatBody,
  invokeStream,
  type LlmMarket,
  openLlmMarket,
  registerModel,
} from '../kit/llm/llm-market.ts'
import { report } from '../kit/llm/shapes.ts'
import { type Answer, get, post } from '../kit/network/http.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { newWallet, signIn } from '../kit/world/wallets.ts'
import {
  arrive,
  deposit,
  type InvokeBody,
  invoke,
  issueSecret,
  type Person,
  register,
} from '../kit/world/world.ts'

/** Their vouchers and calls fit into one page of the ledger. */
const RUNS = 30
const FEES_BPS = [0, 1, 333, 10_000] as const
const SECRETS = { JWT_SECRET: 'a'.repeat(64), ENCRYPTION_KEY: 'b'.repeat(64) }
/** Output bound of each call. */
const OUTPUT_MAX = 40
const HOUR_MS = 3_600_000

let market: LlmMarket
let gateways: TestGateway[]
let admin: Person
let payer: Payer
let seller: Person
let secret: string

beforeAll(async () => {
  const account = newWallet()
  const envOf = (bps: number) => ({
    ...SECRETS,
    ADMIN_WALLETS: account.address,
    PLATFORM_FEE_BPS: String(bps),
    PINGS_PER_MINUTE: '1000000',
  })
  const [first, ...others] = FEES_BPS
  market = await openLlmMarket({ env: envOf(first) })
  gateways = [market]
  for (const bps of others) gateways.push(await startTestGateway({ share: market, env: envOf(bps) }))
  admin = { account, token: await signIn(market.url, account) }
  await deposit(market, admin, '1000')
  payer = await newPayer(market, '500')
  seller = await arrive(market)
  secret = await issueSecret(market, seller)
})
afterAll(async () => {
  for (const other of gateways.slice(1)) await other.stop()
  await market.assertBooks()
  await market.stop()
})

/** Gives voucher credit to the payer. */
async function give(amount: Usdc): Promise<void> {
  const body = {
    amountUsdc: formatUsdc(amount),
    count: 1,
    maxRedemptions: 1,
    expiresAt: '2099-01-01T00:00:00Z',
  }
  const made = await post<{ vouchers: { voucherCode: string }[] }>(market, '/admin/vouchers', {
    token: admin.token,
    body,
  })
  const voucherCode = made.body.vouchers[0]?.voucherCode
  const redeemed = { token: payer.owner.token, body: { voucherCode } }
  expect((await post(market, '/balance/vouchers/redeem', redeemed)).status).toBe(200)
}

type State = { posted: bigint; reserved: bigint; promotional: bigint }
const NOTHING: State = { posted: 0n, reserved: 0n, promotional: 0n }

/** The accounts of the payer, the seller and the fees. */
async function readAccounts() {
  const rows = await market.gateway.deps.db.query<State & { id: string }>(
    sql`select id, posted, reserved, promotional from accounts`,
  )
  const of = (id: string) => rows.find(row => row.id === id) ?? NOTHING
  return {
    payer: of(`consumer:${payer.owner.account.address.toLowerCase()}`),
    seller: of(`provider:${seller.account.address.toLowerCase()}`),
    fees: of('fees'),
  }
}

const min = (one: bigint, other: bigint) => (one < other ? one : other)
const sumOf = <Row>(rows: readonly Row[], amount: (row: Row) => bigint) =>
  rows.reduce((sum, row) => sum + amount(row), 0n)
/** An amount with or without a sign. */
const amountOf = (text = '') => (text.startsWith('-') ? -parseUsdc(text.slice(1)) : parseUsdc(text))

type Case = {
  readonly fee: number
  readonly way: 'fixed' | 'whole' | 'streamed' | 'reported'
  readonly price: Usdc
  readonly tokenPrices: { readonly input: Usdc; readonly output: Usdc }
  readonly input: number
  readonly output: number
  readonly voucher: Usdc
}
const upTo = (max: bigint) => fc.bigInt({ min: 0n, max }).map(usdc)
const price = fc.oneof(upTo(50n), upTo(9_000_000n))
/** Per million tokens. */
const tokenPrice = fc.oneof(price, upTo(9_000_000_000n))
const cases: fc.Arbitrary<Case> = fc.record({
  fee: fc.nat(FEES_BPS.length - 1),
  way: fc.constantFrom('fixed', 'whole', 'streamed', 'reported'),
  price,
  tokenPrices: fc.record({ input: tokenPrice, output: tokenPrice }),
  input: fc.nat(200),
  output: fc.nat(OUTPUT_MAX + 10),
  voucher: fc.oneof(upTo(0n), upTo(300n), upTo(5_000_000n)),
})

/** Registers the service of a case; returns its id. */
async function offer({ way, price, tokenPrices }: Case): Promise<string> {
  const url = `${market.model.url}/v1/chat/completions`
  if (way === 'fixed') return register(market, seller, { targets: [url], priceUsdc: formatUsdc(price) })
  const manifest = {
    inputPricePer1MTokensUsdc: formatUsdc(tokenPrices.input),
    outputPricePer1MTokensUsdc: formatUsdc(tokenPrices.output),
    maxAutoHoldUsdc: '100',
  }
  return registerModel(market, seller, { url, manifest })
}

/** Makes the call of a case; returns the id of its invocation. */
async function makeCall(one: Case): Promise<string> {
  const { way, input, output } = one
  const on = gateways[one.fee] ?? market
  const stated = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  market.model.bend({ usage: { replaceBy: way === 'reported' ? undefined : stated } })
  const call = { serviceId: await offer(one), payload: { body: chatBody({ max_tokens: OUTPUT_MAX }) } }
  if (way === 'fixed') return succeeded(await invoke(on, payer, { ...call, costUsdc: formatUsdc(one.price) }))
  if (way === 'whole') return succeeded(await invoke(on, payer, call))
  if (way === 'streamed') {
    const { events } = await invokeStream(on, payer, { ...call, responseMode: 'stream' })
    return JSON.parse(events.find(({ name }) => name === 'gateway')?.data ?? '{}').invocationId
  }
  const invocationId = String((await invoke(on, payer, call)).body.detail.invocationId)
  // Another gateway takes the report: the fee is that of the hold.
  const usage = { inputTokens: input, outputTokens: output }
  expect((await report(market, secret, { invocationId, usage })).status).toBe(200)
  return invocationId
}

function succeeded({ status, body }: Answer<InvokeBody>): string {
  expect(status).toBe(200)
  return body.invocationId
}

/** Makes the call of a case and compares what it moved with all records of it; returns its charge. */
async function expectSplit(one: Case): Promise<bigint> {
  if (one.voucher > 0n) await give(one.voucher)
  const before = await readAccounts()
  const invocationId = await makeCall(one)
  const { body: receipt } = await get(market, `/agent/invocations/${invocationId}`, {
    headers: { 'x-credential': payer.token },
  })
  const charge: bigint = parseUsdc(String(receipt.chargedUsdc))
  const fee = (charge * BigInt(FEES_BPS[one.fee] ?? 0)) / 10_000n
  const promotional = min(charge, before.payer.promotional)
  expect(await readAccounts()).toMatchObject({
    payer: {
      posted: before.payer.posted - charge,
      reserved: 0n,
      promotional: before.payer.promotional - promotional,
    },
    seller: {
      posted: before.seller.posted + charge - fee,
      promotional: before.seller.promotional + min(promotional, charge - fee),
    },
    fees: { posted: before.fees.posted + fee },
  })
  const amounts = await market.gateway.deps.db.query<{ amount: bigint }>(
    sql`select amount from entries where reference = ${invocationId}`,
  )
  expect(sumOf(amounts, ({ amount }) => amount)).toBe(0n)
  expect(sumOf(amounts, ({ amount }) => (amount > 0n ? amount : 0n))).toBe(charge)
  const { chargedUsdc, holdUsdc, releasedUsdc } = receipt
  expect(parseUsdc(String(holdUsdc)) - parseUsdc(String(releasedUsdc))).toBe(charge)
  const money = { invocationId, chargedUsdc, holdUsdc, releasedUsdc }
  const used = await get(market, '/usage/logs?limit=1', { token: payer.owner.token })
  expect(used.body).toMatchObject({ logs: [money] })
  const sold = await get(market, '/provider/invocations?limit=1', { token: secret })
  expect(sold.body).toMatchObject({ invocations: [{ ...money, feeUsdc: formatUsdc(usdc(fee)) }] })
  return charge
}

async function csvOf(path: string, token: string): Promise<Record<string, string>[]> {
  const headers = { accept: 'text/csv', authorization: `Bearer ${token}` }
  const answer = await fetch(`${market.url}/api/v1${path}?limit=100`, { headers })
  const [head = '', ...rows] = (await answer.text()).trim().split(/\r?\n/)
  const names = head.split(',')
  return rows.map(row => Object.fromEntries(row.split(',').map((cell, index) => [names[index], cell])))
}

test('a charge is split without a rest for any price, fee, voucher and usage, and all records and exports agree', async () => {
  let charged = 0n
  const paying = fc.asyncProperty(cases, async one => {
    charged += await expectSplit(one)
  })
  await fc.assert(paying, { numRuns: RUNS, endOnFailure: true })

  const accounts = await readAccounts()
  const logs = await csvOf('/usage/logs', payer.owner.token)
  expect(sumOf(logs, row => amountOf(row.chargedUsdc))).toBe(charged)
  for (const [token, { posted }] of [
    [payer.owner.token, accounts.payer],
    [seller.token, accounts.seller],
  ] as const) {
    expect(sumOf(await csvOf('/balance/ledger', token), row => amountOf(row.amountUsdc))).toBe(posted)
  }
  const [earned, fromVouchers] = [
    formatUsdc(usdc(accounts.seller.posted)),
    formatUsdc(usdc(accounts.seller.promotional)),
  ]
  const { body: earnings } = await get<Earnings>(market, '/providers/earnings/summary', {
    token: seller.token,
  })
  expect(earnings.summary).toMatchObject({ totalEarnedUsdc: earned, promotionalUsdc: fromVouchers })
  const ofEarned = ({ earnedUsdc }: { readonly earnedUsdc: string }) => amountOf(earnedUsdc)
  expect([sumOf(earnings.byService, ofEarned), sumOf(earnings.byDay, ofEarned)]).toEqual([
    accounts.seller.posted,
    accounts.seller.posted,
  ])
  const [from, to] = [-HOUR_MS, HOUR_MS].map(by => new Date(Date.now() + by).toISOString())
  const period = `from=${from}&to=${to}&bucket=hour`
  const traffic = await get(market, `/providers/traffic?${period}`, { token: seller.token })
  expect(traffic.body).toMatchObject({ total: { earnedUsdc: earned, promotionalUsdc: fromVouchers } })
  const usage = await get(market, `/usage/summary?${period}`, { token: payer.owner.token })
  expect(usage.body).toMatchObject({ total: { spentUsdc: formatUsdc(usdc(charged)) } })
})
