import { randomUUID } from 'node:crypto'
import { formatUsdc, type Usdc } from '@farebox/money'
import { INVOKE } from '../../kit/caller.ts'
import type { SiteGateway } from '../../kit/site.ts'
import type { LoadJob, LoadResult, Target } from '../workers/messages.ts'
import type { LoadWorker, ServingWorker } from '../workers/workers.ts'
import {
  type Account,
  type Accounts,
  type BooksCheck,
  checkBooks,
  openAccount,
  readBalances,
} from './books.ts'
import { type Market, openMarket } from './market.ts'

const ERRORS_SHOWN_MAX = 5

/** A gateway, a provider and callers. */
export type PartOn = {
  readonly gateway: SiteGateway
  readonly provider: ServingWorker
  readonly load: LoadWorker
  say(line: string): void
}

/** A load, with its times in seconds. */
type Load = Pick<LoadJob, 'callers' | 'warmupSeconds' | 'seconds' | 'moreOrigins' | 'isByPartition'>

/** The check of the books, and the answers that were neither good nor sheds. */
export type Soundness = {
  readonly books: BooksCheck
  readonly errors: number
  readonly errorSamples: readonly string[]
}

/** Calls to one gateway, all of which are accounted for. */
export type PaidRun = {
  readonly market: Market
  /** Calls of many owners, or of the only one. */
  readonly spread: readonly Target[]
  /** Makes paid calls. */
  pay(load: LoadWorker, targets: readonly Target[], shape: Load): Promise<LoadResult>
  /** Checks the books. */
  close(): Promise<Soundness>
}

/** Opens a market at a gateway. */
export async function openPaidRun(
  { price }: { readonly price: Usdc },
  { gateway, provider, say }: Omit<PartOn, 'load'>,
): Promise<PaidRun> {
  const market = await openMarket({ gateway, providerUrl: provider.url, price })
  const books = await openBooks(market, say)
  const paid = { origin: gateway.url, path: INVOKE, isPaid: true, price: formatUsdc(price) }
  return {
    market,
    spread: market.spread.length === 0 ? market.hot : market.spread,
    async pay(load, targets, shape) {
      const result = await load.run({ ...paid, ...shape, targets, keyPrefix: randomUUID() })
      books.note(result)
      for (const [index, target] of targets.entries())
        books.account.pay(target, price, result.goodByTarget[index] ?? 0)
      return result
    },
    close: books.close,
  }
}

/** Reads everybody's money, for a check at the end of a run. */
export async function openBooks(accounts: Accounts, say: (line: string) => void) {
  const before = await readBalances(accounts)
  const account: Account = openAccount()
  const samples: string[] = []
  let errors = 0
  return {
    account,
    /** Notes wrong answers. */
    note(result: Pick<Soundness, 'errors' | 'errorSamples'>): void {
      errors += result.errors
      samples.push(...result.errorSamples)
    },
    async close(): Promise<Soundness> {
      say('Checking the books ...')
      const books = await checkBooks(accounts, { before, due: account.due() })
      return { books, errors, errorSamples: samples.slice(0, ERRORS_SHOWN_MAX) }
    },
  }
}

/** Returns whether the books are exact and no answer was wrong: the bench fails otherwise. */
export const isSound = ({ books, errors }: Soundness): boolean => books.isExact && errors === 0

/** Returns the money that moved in a part, and what was wrong. */
export function findingsOf({ books, errors, errorSamples }: Soundness, part: string): string[] {
  const { paidCalls, expectedUsdc, spentUsdc, earnedUsdc, feesUsdc, isExact } = books
  return [
    `${part}: books ${isExact ? 'exact' : 'NOT exact'}: ${paidCalls} paid calls cost ${expectedUsdc} USDC: owners ` +
      `spent ${spentUsdc}, providers earned ${earnedUsdc}, fees took ${feesUsdc}`,
    ...books.findings,
    ...(errors === 0 ? [] : [`${part}: ${errors} wrong answers, the first: ${errorSamples.join(' // ')}`]),
  ]
}
