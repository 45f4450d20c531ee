import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSeed } from '../../../../scripts/test-seed.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import type { TestProvider } from '../kit/provider/provider.ts'
import { newWallet, signIn } from '../kit/world/wallets.ts'
import { deposit, type Person } from '../kit/world/world.ts'
import { type Act, FEE_BPS } from './books.ts'
import { enter, type Stage, startActor } from './driver.ts'
import { atOnce, inTurn, replayActs, type Watch } from './runs.ts'

/** Without MODEL_RUNS: how long each property is tried, in ms. */
const TIME_MS = 14_000
/** With it: as often as it says. */
const RUNS = process.env.MODEL_RUNS === undefined ? null : Number(process.env.MODEL_RUNS)
/** One that fails is shrunk. */
const TIMEOUT_MS = RUNS === null ? 180_000 : 24 * 3_600_000

let gateway: TestGateway
let upstream: TestProvider
let stage: Stage

beforeAll(async () => {
  const account = newWallet()
  upstream = await startActor()
  gateway = await startTestGateway({
    env: {
      ADMIN_WALLETS: account.address,
      PLATFORM_FEE_BPS: String(FEE_BPS),
      CALL_WAIT_SECONDS_MAX: '60',
      WITHDRAW_AUTO_APPROVE_MAX_USDC: '1000000',
      WITHDRAW_AUTO_APPROVE_TOTAL_USDC: '1000000',
      RECONCILE_INTERVAL_SECONDS: '3600',
      // The chain gets up to 50 blocks a second, and no ticket is issued while more than 64 are unread.
      FOLLOWER_INTERVAL_SECONDS: '0.1',
    },
  })
  const boss: Person = { account, token: await signIn(gateway.url, account) }
  await deposit(gateway, boss, '100000')
  stage = { url: gateway.url, chain: gateway.chain, upstream, boss }
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

/** Tries a property, and says by which seed and how often. */
async function hold(name: string, make: (watch: Watch) => fc.IAsyncProperty<unknown>): Promise<void> {
  const acts = new Map<string, number>()
  let lastRun: Promise<void> = Promise.resolve()
  const property = make({
    act: ({ kind }) => acts.set(kind, (acts.get(kind) ?? 0) + 1),
    run(run) {
      lastRun = run
      return run
    },
  })
  const result = await fc.check(property, {
    numRuns: RUNS ?? 1_000_000,
    ...(RUNS === null && { interruptAfterTimeLimit: TIME_MS, markInterruptAsFailure: false }),
  })
  const done = [...acts].map(([kind, count]) => `${count} ${kind}`).join(', ')
  process.stdout.write(`model, ${name}: seed ${testSeed}, ${result.numRuns} runs: ${done}\n`)
  // A run in progress at the time limit is abandoned: it would act, and move the chain's clock, during the next test.
  if (result.interrupted && !result.failed) await lastRun
  const reported = `${String(result.errorInstance)}\n${fc.defaultReportMessage(result)}`
  expect(result.failed ? reported : 'as the books say').toBe('as the books say')
  expect(result.numRuns).toBeGreaterThan(0)
}

const start = () => enter(stage)
const settle = () => gateway.assertBooks()

/** A call of the first credential of ada. */
const call = (act: Partial<Extract<Act, { kind: 'call' }>>): Act => ({
  kind: 'call',
  credential: 'first',
  token: 0,
  key: 'k',
  service: 'echo',
  offer: 10_000n,
  outcome: { kind: 'good', input: 0, output: 0 },
  ...act,
})
const usage = { input: 333, output: 77 }
const metered = { service: 'model', offer: 5_000n } as const

test(
  'every action, with every outcome, behaves as in the model',
  async () => {
    const driver = await start()
    await replayActs(driver, [
      { kind: 'issue', who: 'ada', name: 'too early', maxCalls: null, creditLimit: null },
      { kind: 'deposit', who: 'ada', amount: 70_001n },
      { kind: 'issue', who: 'ada', name: 'first', maxCalls: null, creditLimit: null },
      { kind: 'issue', who: 'ada', name: 'one call', maxCalls: 1n, creditLimit: null },
      { kind: 'issue', who: 'ada', name: 'little credit', maxCalls: null, creditLimit: 9_999n },
      call({}),
      call({}), // replayed
      call({ offer: 9_999n }), // another request
      call({ key: 'k2', offer: 9_999n }), // another price
      call({ key: 'k2' }), // a refusal has stored nothing
      ...(['refused', 'broken', 'reset', 'garbage'] as const).flatMap(kind => [
        call({ key: kind, outcome: { kind } }),
        call({ key: kind, outcome: { kind } }),
        call({ key: `model ${kind}`, service: 'model', offer: 1_300n, outcome: { kind } }),
      ]),
      call({ key: 'sleepy', service: 'sleepy' }),
      call({ key: 'metered', ...metered, outcome: { kind: 'good', ...usage } }),
      call({ key: 'tight', service: 'model', offer: 1_230n, outcome: { kind: 'good', ...usage } }),
      call({ key: 'boundless', ...metered, outcome: { kind: 'good', input: 9_000, output: 9_000 } }),
      call({ key: 'too tight', service: 'model', offer: 1_229n, outcome: { kind: 'good', ...usage } }),
      call({ key: 'silent', ...metered, outcome: { kind: 'silent' } }),
      call({ key: 'silent', ...metered, outcome: { kind: 'silent' } }), // in progress
      { kind: 'report', call: 'first/silent', ...usage },
      { kind: 'report', call: 'first/silent', ...usage },
      { kind: 'report', call: 'first/silent', ...usage, input: 1 },
      { kind: 'report', call: 'first/metered', ...usage, input: 1 },
      call({ key: 'silent', ...metered, outcome: { kind: 'silent' } }), // replayed
      call({ credential: 'one call', key: 'a' }),
      call({ credential: 'one call', key: 'b' }),
      call({ credential: 'little credit' }),
      { kind: 'price', of: 'ada', amount: 0n },
      call({ key: 'k3' }),
      call({ key: 'k3', offer: 0n }),
      { kind: 'price', of: 'ada', amount: 25_000n },
      { kind: 'policy', who: 'ada', monthly: null, daily: null, perCall: 24_999n },
      call({ key: 'per call', offer: 25_000n }),
      { kind: 'policy', who: 'ada', monthly: null, daily: 30_000n, perCall: null },
      call({ key: 'daily', offer: 25_000n }),
      { kind: 'policy', who: 'ada', monthly: 30_000n, daily: null, perCall: null },
      call({ key: 'monthly', offer: 25_000n }),
      { kind: 'issue', who: 'ada', name: 'too much', maxCalls: null, creditLimit: 30_001n },
      { kind: 'policy', who: 'ada', monthly: null, daily: null, perCall: null },
      call({ key: 'k4', offer: 25_000n }),
      call({ key: 'k5', offer: 25_000n }), // the balance is spent
      { kind: 'voucher', name: 'gift', amount: 20_000n, times: 1 },
      { kind: 'redeem', who: 'bob', voucher: 'gift' },
      { kind: 'redeem', who: 'bob', voucher: 'gift' },
      { kind: 'redeem', who: 'ada', voucher: 'gift' },
      { kind: 'rotate', credential: 'first' },
      call({ token: 0 }),
      call({ token: 1 }),
      { kind: 'revoke', credential: 'first' },
      { kind: 'rotate', credential: 'first' },
      call({ token: 1 }),
      { kind: 'withdraw', key: 'w1', amount: 10_000n },
      { kind: 'withdraw', key: 'w1', amount: 10_000n },
      { kind: 'withdraw', key: 'w1', amount: 10_001n },
      { kind: 'withdraw', key: 'w2', amount: 5_000n },
      { kind: 'withdraw', key: 'w3', amount: 70_000n },
      { kind: 'complete', withdrawal: 'w1' },
      { kind: 'complete', withdrawal: 'w1' },
      { kind: 'expire' },
      { kind: 'complete', withdrawal: 'w2' },
      { kind: 'issue', who: 'bob', name: 'gifted', maxCalls: null, creditLimit: null },
      call({ credential: 'gifted', key: 'paid by the voucher' }),
      { kind: 'withdraw', key: 'w4', amount: 30_000n }, // more than deposits have earned
      { kind: 'complete', withdrawal: 'w4' },
    ])
    await settle()
  },
  TIMEOUT_MS,
)

test(
  'sequential actions have the answers and books of the model',
  async () => {
    await hold('one after another', watch => inTurn(start, settle, watch))
  },
  TIMEOUT_MS,
)

test(
  'some order explains the answers and books of concurrent actions',
  async () => {
    await hold('at once', watch => atOnce(start, settle, watch))
  },
  TIMEOUT_MS,
)
