import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { type Account, openAccount } from './account.ts'
import { type BooksCheck, checkBooks, readBalances } from './books.ts'
import type { Contestant, ContestantName, Round } from './contestants.ts'
import type { BenchGateway } from './gateway.ts'
import { inLanes, type Market, openMarket } from './market.ts'
import { HEATING, measure, type Series } from './measure.ts'
import type { LoadJob, Target } from './messages.ts'
import { checkNaiveLedger, tuneNaiveLedger } from './naive-ledger.ts'
import type { Options } from './options.ts'
import { portkeyHeaders } from './portkey.ts'
import { type Line, linesOf } from './verdict.ts'
import { callOf } from './workers/priced-call.ts'
import type { LoadWorker, ServingWorker } from './workers.ts'

/** More calls per second than any gateway here will serve: deposits must outlast the run. */
const CALLS_PER_SECOND_MAX = 25_000
/** Seconds of a round beyond warm-up and measured time: ramp and last answers. */
const ROUND_SLACK_SECONDS = 2
/** Deposits of the spread load, which is not perfectly even, over an even share. */
const UNEVENNESS = 3n
/** Loads of the hot owner: fresh calls, and those that are asked for again. */
const HOT_LOADS = 2
/** Answered calls that are asked for again and again. */
const KNOWN_KEYS = 1_000
/** Where those are measured that only one bar asks for. */
const ALONE = 1
const BUSY = 256

const INVOKE = '/api/v1/agent/invoke'

/** Calls per second at a fixed price, beside others. */
export type CallFigures = {
  readonly owners: number
  /** Connections of the naive ledger. */
  readonly naiveConnections: number
  readonly rounds: number
  readonly seconds: number
  readonly priceUsdc: string
  readonly lines: readonly Line[]
  readonly series: readonly Series[]
  readonly books: BooksCheck
  /** What is wrong with the books of the naive ledger. */
  readonly naiveFindings: readonly string[]
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** All that takes part; null: it is not there to be measured. */
export type CallsOn = {
  readonly gateway: BenchGateway
  readonly upstream: ServingWorker
  readonly control: ServingWorker
  readonly nginx: ServingWorker | null
  readonly portkey: ServingWorker | null
  readonly naive: { readonly worker: LoadWorker; readonly databaseUrl: string }
  readonly load: LoadWorker
  readonly say: (line: string) => void
}

/** Whether the money was right and every answer good. */
export const areCallsSound = ({ books, naiveFindings, errors }: CallFigures): boolean =>
  books.isExact && naiveFindings.length === 0 && errors === 0

/** Measures calls at a fixed price beside the other contestants, and checks the books. */
export async function measureCalls(options: Options, on: CallsOn): Promise<CallFigures> {
  const { callers, rounds, seconds, warmupSeconds, owners, price } = options
  const { gateway, upstream, naive, say } = on
  say(`Setting up ${1 + owners} owners, their deposits and credentials ...`)
  const deposit = costOfRun(options)
  const market = await openMarket({
    ...{ gatewayUrl: gateway.url, upstreamUrl: upstream.url, owners, price },
    hotDeposit: usdc(deposit * BigInt(HOT_LOADS)),
    spreadDeposit: owners === 0 ? deposit : usdc((deposit * UNEVENNESS) / BigInt(owners)),
    databaseUrl: await gateway.databaseUrl(),
  })
  const before = await readBalances(market)
  const account = openAccount(market)
  const knownPrefix = await answerKeys(market, { price, account })

  const ledger = await tuneNaiveLedger(naive.worker)
  say(`The naive ledger does best on ${ledger.connections} connections.`)
  const contestants = [
    ...plainContestants(options, on, market),
    { name: 'naive', charged: null, isAt: atOneOf(ALONE, BUSY), run: ledger.run } as const,
    ...paidContestants(options, on, { market, knownPrefix }),
  ]
  const { series, errors, errorSamples } = await measure(contestants, {
    ...{ callers, rounds, seconds, warmupSeconds, progress: say },
    pay: (target, calls) => account.pay(target, price, calls),
  })

  say('Checking the books, against the gateway’s next reconciliation too ...')
  const naiveFindings = await checkNaiveLedger(naive.databaseUrl, ledger.cycles())
  const books = await checkBooks(market, { before, due: account.due(null) })
  return {
    ...{ owners, rounds, seconds, priceUsdc: formatUsdc(price), lines: linesOf(series), series },
    ...{ naiveConnections: ledger.connections, books, naiveFindings, errors, errorSamples },
  }
}

/** Those who take no money: the provider without anything between, proxies, and Portkey. */
function plainContestants(options: Options, on: CallsOn, { hot }: Market): Contestant[] {
  const { upstream, control, nginx, portkey } = on
  const plain = (
    name: ContestantName,
    isAt: Contestant['isAt'],
    put: Pick<LoadJob, 'origin' | 'path' | 'form' | 'headers'>,
  ): Contestant => ({
    ...{ name, isAt, charged: null },
    run: round => on.load.run({ ...jobOf(options, hot, round), ...put, isPaid: false }),
  })
  const bare = { path: '/call', form: 'bare' } as const
  return [
    plain('direct', atOneOf(ALONE, BUSY), { ...bare, origin: upstream.url }),
    plain('control', always, { origin: control.url, path: '/call' }),
    ...(nginx === null ? [] : [plain('nginx', always, { ...bare, origin: nginx.url })]),
    ...(portkey === null
      ? []
      : [
          plain('portkey', always, {
            ...{ origin: portkey.url, path: '/v1/chat/completions', form: 'chat' },
            headers: portkeyHeaders(upstream.url),
          }),
        ]),
  ]
}

/** Farebox, by whose calls they are. */
function paidContestants(
  options: Options,
  on: Pick<CallsOn, 'gateway' | 'load'>,
  { market, knownPrefix }: { market: Market; knownPrefix: string },
): Contestant[] {
  const { gateway, load } = on
  const paid = (name: ContestantName, isAt: Contestant['isAt'], targets: readonly Target[]): Contestant => ({
    ...{ name, isAt, charged: targets },
    run: round => load.run({ ...jobOf(options, targets, round), origin: gateway.url, path: INVOKE }),
  })
  const many = (callers: number) => callers > 1
  const replays = { knownKeys: KNOWN_KEYS, keyPrefix: knownPrefix }
  return [
    paid('hot', always, market.hot),
    ...(market.spread.length === 0
      ? []
      : [paid('spread', many, market.spread), paid('crowded', atOneOf(BUSY), market.crowded)]),
    {
      ...{ name: 'replay', isAt: many, charged: null },
      run: round =>
        load.run({ ...jobOf(options, market.hot, round), ...replays, origin: gateway.url, path: INVOKE }),
    },
  ]
}

const always = () => true
const atOneOf =
  (...numbers: number[]) =>
  (callers: number) =>
    numbers.includes(callers)

const jobOf = (
  { price }: Pick<Options, 'price'>,
  targets: readonly Target[],
  round: Round,
): Omit<LoadJob, 'origin' | 'path'> => ({
  ...{ isPaid: true, targets, price: formatUsdc(price), script: null },
  ...round,
})

/** Has every known key answered once, and paid for. Returns what they start with. */
async function answerKeys(
  { api, hot }: Market,
  { price, account }: { price: Usdc; account: Account },
): Promise<string> {
  const keyPrefix = `known-${randomUUID()}`
  const plan = { path: INVOKE, targets: hot, price: formatUsdc(price), script: null, keyPrefix }
  const [target] = hot
  if (target === undefined) throw new Error('The market has no owners.')
  await inLanes(KNOWN_KEYS, number =>
    api.ok('POST', INVOKE, {
      token: target.credential,
      body: JSON.parse(callOf(plan, 0, number).body) as unknown,
    }),
  )
  account.pay(target, price, KNOWN_KEYS)
  return keyPrefix
}

/** More than the calls of one load can cost, whatever the machine. */
function costOfRun({ callers, rounds, seconds, warmupSeconds, price }: Options): Usdc {
  const loadSeconds = callers.length * (warmupSeconds + rounds * (seconds + ROUND_SLACK_SECONDS))
  const heatingSeconds = HEATING.seconds + ROUND_SLACK_SECONDS
  return usdc(BigInt(Math.ceil((heatingSeconds + loadSeconds) * CALLS_PER_SECOND_MAX)) * price)
}
