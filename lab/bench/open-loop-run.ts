import { randomUUID } from 'node:crypto'
import { formatUsdc } from '@farebox/money'
import { openAccount } from './account.ts'
import { type BooksCheck, checkBooks, readBalances } from './books.ts'
import { type Market, openMarket } from './market.ts'
import type { LoadJob, LoadResult, Target } from './messages.ts'
import type { Options } from './options.ts'
import type { BenchGateway } from './site.ts'
import { moneyOf } from './stream-report.ts'
import type { Bar } from './verdict.ts'
import type { LoadWorker, ServingWorker } from './workers.ts'

const ERRORS_SHOWN_MAX = 5

/** What a part with a gateway of its own works on. */
export type PartOn = {
  readonly gateway: BenchGateway
  readonly upstream: ServingWorker
  readonly load: LoadWorker
  readonly say: (line: string) => void
}

/** A load, with its times in seconds. */
export type Load = Pick<
  LoadJob,
  'callers' | 'arrivals' | 'warmupSeconds' | 'seconds' | 'returnsEach' | 'moreOrigins' | 'isByPartition'
>

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
  pay(load: LoadWorker, targets: readonly Target[], shape: Load): Promise<LoadResult>
  /** Has a load made of free calls to the control. */
  free(load: LoadWorker, control: ServingWorker, shape: Load): Promise<LoadResult>
  /** Checks the books. */
  close(): Promise<Soundness>
}

/** Opens a market at a gateway. */
export async function openPaidRun(
  { price }: Pick<Options, 'price'>,
  { gateway, upstream, say }: Pick<PartOn, 'gateway' | 'upstream' | 'say'>,
): Promise<PaidRun> {
  const market = await openMarket({ gateway, upstreamUrl: upstream.url, price })
  const before = await readBalances(market)
  const account = openAccount()
  const wrong = { errors: 0, samples: [] as string[] }

  const run = async (
    load: LoadWorker,
    at: { origin: string; path: string; isPaid: boolean; targets: readonly Target[] },
    shape: Load,
  ): Promise<LoadResult> => {
    const result = await load.run({
      ...at,
      ...shape,
      script: null,
      price: formatUsdc(price),
      keyPrefix: randomUUID(),
    })
    wrong.errors += result.errors
    wrong.samples.push(...result.errorSamples)
    return result
  }
  return {
    market,
    spread: market.spread.length === 0 ? market.hot : market.spread,
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
      say('Checking the books ...')
      const books = await checkBooks(market, { before, due: account.due(null) })
      return { books, errors: wrong.errors, errorSamples: wrong.samples.slice(0, ERRORS_SHOWN_MAX) }
    },
  }
}

/** Whether a part can be believed: the bench fails otherwise. */
export const isPartSound = ({ books, errors }: Soundness): boolean => books.isExact && errors === 0

/** The bar that every part has. */
export const booksBar = ({ books }: Soundness, part: string): Bar => ({
  name: `books exact after ${part}`,
  found: books.isExact ? 'exact' : 'NOT exact',
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
