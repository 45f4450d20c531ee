import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { openAccount } from './account.ts'
import { type BooksCheck, checkBooks, readBalances } from './books.ts'
import type { BenchGateway } from './gateway.ts'
import { type Market, openMarket } from './market.ts'
import type { Target } from './messages.ts'
import type { Arrivals, OpenResult } from './open-loop-messages.ts'
import type { Options } from './options.ts'
import { moneyOf } from './stream-report.ts'
import type { Bar } from './verdict.ts'
import type { OpenLoadWorker, ServingWorker } from './workers.ts'

/** More calls per second than any gateway here will serve: deposits must outlast the run. */
const CALLS_PER_SECOND_MAX = 25_000
/** Seconds of a load beyond warm-up and measured time: what waits at the caller, and last answers. */
const SLACK_SECONDS = 4
/** Deposits of the spread load, which is not perfectly even, over an even share. */
const UNEVENNESS = 3n
const ERRORS_SHOWN_MAX = 5

/** What a part with a gateway of its own works on. */
export type PartOn = {
  readonly gateway: BenchGateway
  readonly upstream: ServingWorker
  readonly load: OpenLoadWorker
  readonly say: (line: string) => void
}

/** A load, with its times in seconds. */
export type Load = {
  readonly connections: number
  /** Null: a closed loop. */
  readonly arrivals: Arrivals | null
  readonly warmupSeconds: number
  readonly seconds: number
  readonly tellsEach?: boolean
}

/** Whether the money was right and every answer good or a proper shed. */
export type Soundness = {
  readonly books: BooksCheck
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Paid calls to one gateway, all of which are accounted for. */
export type PaidRun = {
  readonly market: Market
  /** Calls of many owners, or of the only one. */
  readonly spread: readonly Target[]
  /** Has a load made of paid calls. */
  pay(load: OpenLoadWorker, targets: readonly Target[], shape: Load): Promise<OpenResult>
  /** Has a load made of free calls to the control. */
  free(load: OpenLoadWorker, control: ServingWorker, shape: Load): Promise<OpenResult>
  /** Checks the books, against the gateway's next reconciliation too. */
  close(): Promise<Soundness>
}

/** @param loads all that will be made, of any kind: deposits are made for the sum of them */
export async function openPaidRun(
  { owners, price }: Pick<Options, 'owners' | 'price'>,
  { gateway, upstream, say }: Pick<PartOn, 'gateway' | 'upstream' | 'say'>,
  loads: readonly { readonly warmupSeconds: number; readonly seconds: number }[],
): Promise<PaidRun> {
  say(`Setting up ${1 + owners} owners, their deposits and credentials ...`)
  const deposit = costOf(loads, price)
  const market = await openMarket({
    ...{ gatewayUrl: gateway.url, upstreamUrl: upstream.url, owners, price, hotDeposit: deposit },
    spreadDeposit: owners === 0 ? deposit : usdc((deposit * UNEVENNESS) / BigInt(owners)),
    databaseUrl: await gateway.databaseUrl(),
  })
  const before = await readBalances(market)
  const account = openAccount(market)
  const wrong = { errors: 0, samples: [] as string[] }

  const run = async (
    load: OpenLoadWorker,
    at: { origin: string; path: string; isPaid: boolean; targets: readonly Target[] },
    shape: Load,
  ): Promise<OpenResult> => {
    const result = await load.run({
      ...{ ...at, ...shape, script: null, price: formatUsdc(price), keyPrefix: randomUUID() },
      tellsEach: shape.tellsEach ?? false,
    })
    wrong.errors += result.errors
    wrong.samples.push(...result.errorSamples)
    return result
  }
  return {
    market,
    spread: owners === 0 ? market.hot : market.spread,
    async pay(load, targets, shape) {
      const at = { origin: gateway.url, path: '/api/v1/agent/invoke', isPaid: true, targets }
      const result = await run(load, at, shape)
      for (const [index, target] of targets.entries()) {
        account.pay(target, price, result.goodByTarget[index] ?? 0)
      }
      return result
    },
    free: (load, control, shape) =>
      run(load, { origin: control.url, path: '/call', isPaid: false, targets: market.hot }, shape),
    async close() {
      say('Checking the books, against the gateway’s next reconciliation too ...')
      const books = await checkBooks(market, { before, due: account.due(null) })
      return { books, errors: wrong.errors, errorSamples: wrong.samples.slice(0, ERRORS_SHOWN_MAX) }
    },
  }
}

/** Whether a part can be believed: the bench fails otherwise. */
export const isPartSound = ({ books, errors }: Soundness): boolean => books.isExact && errors === 0

/** The bar that every part has. */
export const booksBar = ({ books }: Soundness, part: string): Bar => ({
  ...{ name: `books exact after ${part}`, found: books.isExact ? 'exact' : 'NOT exact' },
  isMet: books.isExact,
})

/** What of a part's verdict is no bar: money that moved, and whatever was wrong. */
export function soundnessFindings({ books, errors, errorSamples }: Soundness, part: string): string[] {
  return [
    `${part}: ${moneyOf(books)}`,
    ...books.findings,
    ...(errors === 0 ? [] : [`${part}: ${errors} wrong answers, the first: ${errorSamples.join(' // ')}`]),
  ]
}

/** More than all loads can cost, whatever the machine. */
function costOf(loads: readonly { warmupSeconds: number; seconds: number }[], price: Usdc): Usdc {
  const seconds = loads.reduce((sum, load) => sum + load.warmupSeconds + load.seconds + SLACK_SECONDS, 0)
  return usdc(BigInt(Math.ceil(seconds * CALLS_PER_SECOND_MAX)) * price)
}
