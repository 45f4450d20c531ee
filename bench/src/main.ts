import { join } from 'node:path'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { checkBooks, readBalances } from './books.ts'
import { startGateway } from './gateway.ts'
import { describeMachine, loadNow } from './machine.ts'
import { openMarket } from './market.ts'
import { type Contestant, measure } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { forTerminal, type Report, writeReport } from './report.ts'
import { barsOf, linesOf } from './verdict.ts'
import { startControl, startLoad, startUpstream } from './workers.ts'

/**
 * `npm run bench`: paid fixed-price calls per second, beside a plain proxy, in one run on one machine.
 *
 * Measured: `POST /api/v1/agent/invoke` as an agent sends it, from its first byte to the last of the answer, in a
 * closed loop: each caller has one connection and one call under way. Every call has a fresh idempotency key, is
 * held, forwarded, settled and stored with its answer; the database commits to disk. Every answer is parsed and
 * must be the provider's answer to that very call, charged as agreed. The control is Fastify and undici without
 * credential, price or money; the same callers send it the same bodies. Callers, provider, control, gateway,
 * PostgreSQL and chain are processes of one machine and share its cores: ratios within a run say something,
 * figures of different machines side by side say little. The gateway's own jobs (probes, reconciliation every
 * minute, vault follower) run meanwhile, as they always do.
 *
 * Not measured: TLS, networks, slow providers, large payloads, replays, refusals, streams, more than one gateway,
 * and an open loop (arrivals that do not wait for answers, where queues would show).
 *
 * It fails when an answer was wrong or the books are not exact to the micro afterwards; bars are told as met or
 * not.
 *
 * Flags: `--callers 1,64,256 --rounds 3 --seconds 4 --warmup 2 --owners 200 --price 0.0001 --out <folder>`;
 * `--owners 0` leaves the load of many owners out.
 */

/** More calls per second than any gateway here will serve: deposits must outlast the run. */
const CALLS_PER_SECOND_MAX = 25_000
/** Seconds of a round beyond warm-up and measured time: ramp and last answers. */
const ROUND_SLACK_SECONDS = 2
/** Deposits of the spread load, which is not perfectly even, over an even share. */
const UNEVENNESS = 3n
const RESULTS = join(import.meta.dirname, '../results')

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function bench(options: Options, started: AsyncDisposableStack): Promise<Report> {
  const { callers, rounds, seconds, warmupSeconds, owners, price } = options
  const loadBefore = loadNow()
  const stopLater = <Started extends { stop(): Promise<void> }>(process_: Started): Started => {
    started.defer(() => process_.stop())
    return process_
  }
  const upstream = stopLater(await startUpstream())
  const control = stopLater(await startControl(`${upstream.url}/control`))
  const load = stopLater(startLoad())
  say('Starting a gateway with its own database and chain ...')
  const gateway = stopLater(await startGateway())

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
  const books = await checkBooks(market, { before, tally: measured.tally, price })
  if (measured.errors > 0 || !books.isExact) say(`The gateway said last:\n${gateway.output()}`)
  const { errors, errorSamples } = measured
  const lines = linesOf(measured.series)
  return {
    machine: await describeMachine(gateway.dataDirectory, loadBefore),
    setting: { rounds, seconds, owners, priceUsdc: formatUsdc(price) },
    ...{ lines, books, errors, errorSamples, bars: barsOf(lines, books.isExact) },
  }
}

/** More than the calls of one load can cost, whatever the machine. */
function costOfRun({ callers, rounds, seconds, warmupSeconds, price }: Options): Usdc {
  const loadSeconds = callers.length * (warmupSeconds + rounds * (seconds + ROUND_SLACK_SECONDS))
  return usdc(BigInt(Math.ceil(loadSeconds * CALLS_PER_SECOND_MAX)) * price)
}

/** Rejects at a signal, so that everything that was started is stopped before this process ends. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)))
    }
  })
}

const started = new AsyncDisposableStack()
try {
  const options = readOptions(process.argv.slice(2), RESULTS)
  const report = await Promise.race([bench(options, started), interrupted()])
  await writeReport(options.out, report)
  say(`\n${forTerminal(report)}\n\nWritten to ${join(options.out, 'latest.md')}`)
  if (!report.books.isExact || report.errors > 0) process.exitCode = 1
} catch (error) {
  process.stderr.write(`The bench failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await started.disposeAsync()
}
