import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc } from '@farebox/money'
import { type Account, openAccount } from './account.ts'
import { type BooksCheck, checkBooks, readBalances } from './books.ts'
import type { Contestant, ContestantName, Round } from './contestants.ts'
import type { DurableInserts } from './durable-inserts.ts'
import { inLanes, type Market, openMarket } from './market.ts'
import { measure, type Series } from './measure.ts'
import type { LoadJob, Target } from './messages.ts'
import { checkNaiveLedger, tuneNaiveLedger } from './naive-ledger.ts'
import type { Options } from './options.ts'
import { portkeyHeaders } from './portkey.ts'
import type { BenchGateway } from './site.ts'
import { ALONE, BUSY_CALLERS, type Line, linesOf } from './verdict.ts'
import { callOf } from './workers/priced-call.ts'
import type { LoadWorker, NaiveWorker, ServingWorker } from './workers.ts'

/** Answered calls that are asked for again and again. */
const KNOWN_KEYS = 1_000

const INVOKE = '/api/v1/agent/invoke'

/** Calls per second at a fixed price, beside others. */
export type CallFigures = {
  readonly owners: number
  /** Connections of the naive ledger; null: it took no part. */
  readonly naiveConnections: number | null
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

/** Those who are compared with beside the plain proxy; null: not there to be measured. */
export type Peers = {
  readonly nginx: ServingWorker | null
  readonly portkey: ServingWorker | null
  readonly naive: { readonly worker: NaiveWorker; readonly databaseUrl: string }
}

/** All that takes part. */
export type CallsOn = {
  readonly gateway: BenchGateway
  readonly upstream: ServingWorker
  readonly control: ServingWorker
  readonly inserts: DurableInserts
  /** Null: the figures alone are wanted. */
  readonly peers: Peers | null
  readonly load: LoadWorker
  readonly say: (line: string) => void
}

/** Whether the money was right and every answer good. */
export const areCallsSound = ({ books, naiveFindings, errors }: CallFigures): boolean =>
  books.isExact && naiveFindings.length === 0 && errors === 0

/** Measures calls at a fixed price beside the other contestants, and checks the books. */
export async function measureCalls(options: Options, on: CallsOn): Promise<CallFigures> {
  const { callers, rounds, seconds, warmupSeconds, owners, price } = options
  const { gateway, upstream, inserts, peers, say } = on
  const market = await openMarket({ gateway, upstreamUrl: upstream.url, price })
  const before = await readBalances(market)
  const account = openAccount()
  const knownPrefix = await answerKeys(market, { price, account })

  const ledger = peers === null ? null : await tuneNaiveLedger(peers.naive.worker)
  if (ledger !== null) say(`The naive ledger does best on ${ledger.connections} connections.`)
  const alone = { charged: null, servers: [], isAt: atOneOf(ALONE) }
  const contestants: Contestant[] = [
    ...plainContestants(options, on, market),
    { ...alone, name: 'inserts', run: inserts.run },
    ...(ledger === null
      ? []
      : [{ ...alone, name: 'naive' as const, isAt: atOneOf(ALONE, BUSY_CALLERS), run: ledger.run }]),
    ...paidContestants(options, on, { market, knownPrefix }),
  ]
  const { series, errors, errorSamples } = await measure(contestants, {
    callers,
    rounds,
    seconds,
    warmupSeconds,
    progress: say,
    postmaster: gateway.postmaster,
    pay: (target, calls) => account.pay(target, price, calls),
  })

  say('Checking the books ...')
  const naiveFindings =
    peers === null || ledger === null ? [] : await checkNaiveLedger(peers.naive.databaseUrl, ledger.cycles())
  const books = await checkBooks(market, { before, due: account.due(null) })
  return {
    owners,
    rounds,
    seconds,
    priceUsdc: formatUsdc(price),
    lines: linesOf(series),
    series,
    naiveConnections: ledger?.connections ?? null,
    books,
    naiveFindings,
    errors,
    errorSamples,
  }
}

/** Those who take no money: the provider without anything between, proxies, and Portkey. */
function plainContestants(options: Options, on: CallsOn, { hot }: Market): Contestant[] {
  const { upstream, control, peers } = on
  const plain = (
    name: ContestantName,
    isAt: Contestant['isAt'],
    put: Pick<LoadJob, 'path' | 'form' | 'headers'> & { server: ServingWorker },
  ): Contestant => ({
    name,
    isAt,
    charged: null,
    servers: [put.server.pid],
    run: round =>
      on.load.run({ ...jobOf(options, hot, round), ...put, origin: put.server.url, isPaid: false }),
  })
  const bare = { path: '/call', form: 'bare' } as const
  const proxy = plain('control', always, { server: control, path: '/call' })
  if (peers === null) return [proxy]
  const { nginx, portkey } = peers
  return [
    plain('direct', atOneOf(ALONE, BUSY_CALLERS), { ...bare, server: upstream }),
    proxy,
    ...(nginx === null ? [] : [plain('nginx', always, { ...bare, server: nginx })]),
    ...(portkey === null
      ? []
      : [
          plain('portkey', always, {
            server: portkey,
            path: '/v1/chat/completions',
            form: 'chat',
            headers: portkeyHeaders(upstream.url),
          }),
        ]),
  ]
}

/** Farebox, by whose calls they are. */
function paidContestants(
  options: Options,
  { gateway, load, peers }: Pick<CallsOn, 'gateway' | 'load' | 'peers'>,
  { market, knownPrefix }: { market: Market; knownPrefix: string },
): Contestant[] {
  const to = { origin: gateway.url, path: INVOKE }
  const ours = { servers: [gateway.pid] }
  const paid = (name: ContestantName, isAt: Contestant['isAt'], targets: readonly Target[]): Contestant => ({
    ...ours,
    name,
    isAt,
    charged: targets,
    run: round => load.run({ ...jobOf(options, targets, round), ...to }),
  })
  const many = (callers: number) => callers > 1
  const replays = { knownKeys: KNOWN_KEYS, keyPrefix: knownPrefix }
  return [
    paid('hot', always, market.hot),
    ...(market.spread.length === 0 ? [] : [paid('spread', many, market.spread)]),
    ...(market.spread.length === 0 || peers === null
      ? []
      : [paid('crowded', atOneOf(BUSY_CALLERS), market.crowded)]),
    {
      ...ours,
      name: 'replay',
      isAt: many,
      charged: null,
      run: round => load.run({ ...jobOf(options, market.hot, round), ...to, ...replays }),
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
  isPaid: true,
  targets,
  price: formatUsdc(price),
  script: null,
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
