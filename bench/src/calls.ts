import { type Usdc, usdc } from '@farebox/money'
import { checkBooks, dueOf, readBalances } from './books.ts'
import type { BenchGateway } from './gateway.ts'
import { openMarket } from './market.ts'
import { type Contestant, measure } from './measure.ts'
import type { Options } from './options.ts'
import type { CallFigures } from './report.ts'
import { linesOf } from './verdict.ts'
import type { LoadWorker, ServingWorker } from './workers.ts'

/** More calls per second than any gateway here will serve: deposits must outlast the run. */
const CALLS_PER_SECOND_MAX = 25_000
/** Seconds of a round beyond warm-up and measured time: ramp and last answers. */
const ROUND_SLACK_SECONDS = 2
/** Deposits of the spread load, which is not perfectly even, over an even share. */
const UNEVENNESS = 3n

/** Measures calls at a fixed price, beside the control, and checks the books. */
export async function measureCalls(
  options: Options,
  on: {
    gateway: BenchGateway
    upstream: ServingWorker
    control: ServingWorker
    load: LoadWorker
    say: (line: string) => void
  },
): Promise<CallFigures> {
  const { callers, rounds, seconds, warmupSeconds, owners, price } = options
  const { gateway, upstream, control, load, say } = on
  say(`Setting up ${1 + owners} owners, their deposits and credentials ...`)
  const deposit = costOfRun(options)
  const market = await openMarket({
    ...{ gatewayUrl: gateway.url, upstreamUrl: upstream.url, owners, price, hotDeposit: deposit },
    spreadDeposit: owners === 0 ? deposit : usdc((deposit * UNEVENNESS) / BigInt(owners)),
  })
  const before = await readBalances(market)

  const paid = { origin: gateway.url, path: '/api/v1/agent/invoke', isPaid: true }
  const contestants: Contestant[] = [
    { name: 'control', origin: control.url, path: '/call', isPaid: false, targets: market.hot },
    { name: 'gateway, one owner', ...paid, targets: market.hot },
    ...(owners > 0 ? [{ name: 'gateway, many owners', ...paid, targets: market.spread } as const] : []),
  ]
  const measured = await measure(load, contestants, {
    ...{ callers, rounds, seconds, warmupSeconds, price, progress: say },
    owners: market.ownerTokens.length,
    services: market.providerTokens.length,
  })

  say('Checking the books, against the gateway’s next reconciliation too ...')
  const books = await checkBooks(market, { before, due: dueOf(measured.tally, price) })
  const { errors, errorSamples } = measured
  return { lines: linesOf(measured.series), books, errors, errorSamples }
}

/** More than the calls of one load can cost, whatever the machine. */
function costOfRun({ callers, rounds, seconds, warmupSeconds, price }: Options): Usdc {
  const loadSeconds = callers.length * (warmupSeconds + rounds * (seconds + ROUND_SLACK_SECONDS))
  return usdc(BigInt(Math.ceil(loadSeconds * CALLS_PER_SECOND_MAX)) * price)
}
