import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatUsdc } from '@farebox/money'
import { type CpuProfile, type Share, summarise } from './cpu-profile.ts'
import { plansOf } from './crowd.ts'
import { openMarket } from './market.ts'
import { readMemory } from './memory.ts'
import { MODEL_OWNERS } from './model-market.ts'
import { openModelRun } from './model-run.ts'
import { type Options, readOptions } from './options.ts'
import { readProcessTimes } from './process-times.ts'
import { type BenchGateway, openSite } from './site.ts'
import { startControl, startLoad, startModel, startStreamLoad, startUpstream } from './workers.ts'

/**
 * `sh scripts/with-node lab/bench/profile.ts`: where the gateway spends its time under load. It runs the gateway
 * with `--cpu-prof`, loads it (by default with 256 callers on one owner) and prints, of the measured time only: the
 * processor time of every process, and the functions of the gateway by time. A profiled gateway is slower than
 * another; shares matter here, not calls per second.
 *
 * Flags are those of the bench; of `--callers` the last number counts. `--owners` above 0 loads with that many
 * owners instead of one. `--streams 1000 --chunks 200 --pace 50` loads it with streams of a model instead of calls.
 */

const TOP = 40

const say = (line: string) => void process.stdout.write(`${line}\n`)
const microsNow = () => Number(process.hrtime.bigint() / 1_000n)

/** A load that ran: when, how much work it was, and what is to be told of it. */
type Loaded = {
  readonly from: number
  readonly to: number
  readonly times: { readonly before: Times; readonly after: Times }
  /** What was done so often, for times per piece. */
  readonly work: { readonly name: string; readonly count: number }
  readonly reported: readonly string[]
}
type Times = ReadonlyMap<string, number>

async function profile(started: AsyncDisposableStack, args: readonly string[]): Promise<void> {
  const options = readOptions(['--owners', '0', '--seconds', '8', ...args], '')
  const profiles = await mkdtemp(join(tmpdir(), 'farebox-profile-'))
  started.defer(() => rm(profiles, { recursive: true, force: true }))
  const site = await openSite()
  started.defer(() => site.stop())
  const isStreaming = args.some(arg => arg.startsWith('--streams'))
  const place = await site.prepare({ owners: isStreaming ? MODEL_OWNERS : options.owners })
  const gateway = await place.start({ nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${profiles}`] })
  started.defer(() => gateway.stop())
  const load = isStreaming ? loadWithStreams : loadWithCalls
  const { from, to, times, work, reported } = await load(started, gateway, options)
  await gateway.stop()

  for (const line of reported) say(line)
  say(`\nProcessor time per ${work.name}, in microseconds (0 on systems without /proc):`)
  for (const [name, spent] of times.after) {
    const micros = ((spent - (times.before.get(name) ?? 0)) * 1e6) / work.count
    if (micros >= 1) say(`${micros.toFixed(0).padStart(8)}  ${name}`)
  }
  await reportProfile(profiles, { from, to })
}

async function timed<Result>(work: () => Promise<Result>) {
  const from = microsNow()
  const before = readProcessTimes()
  const result = await work()
  const after = readProcessTimes()
  return { result, from, to: microsNow(), times: { before, after } }
}

async function loadWithCalls(
  started: AsyncDisposableStack,
  gateway: BenchGateway,
  options: Options,
): Promise<Loaded> {
  const { owners, price, seconds, warmupSeconds } = options
  const upstream = await startUpstream()
  started.defer(() => upstream.stop())
  const load = startLoad()
  started.defer(() => load.stop())
  const market = await openMarket({ gateway, upstreamUrl: upstream.url, price })
  const callers = options.callers.at(-1) ?? 1
  const job = {
    origin: gateway.url,
    path: '/api/v1/agent/invoke',
    isPaid: true,
    callers,
    targets: owners > 0 ? market.spread : market.hot,
    price: formatUsdc(price),
    script: null,
  }
  await load.run({ ...job, keyPrefix: 'warm', warmupSeconds: 0, seconds: warmupSeconds })
  const { result, ...rest } = await timed(() =>
    load.run({ ...job, keyPrefix: 'measured', warmupSeconds: 0, seconds }),
  )
  const { perSecond, latency, goodByTarget, errors } = result
  const count = goodByTarget.reduce((sum, good) => sum + good, 0)
  const reported = [
    `${callers} callers: ${Math.round(perSecond)} calls/s (profiled), ${errors} errors`,
    `p50 ${latency.p50.toFixed(2)} ms, p99 ${latency.p99.toFixed(2)} ms`,
  ]
  return { ...rest, work: { name: 'paid call', count }, reported }
}

async function loadWithStreams(
  started: AsyncDisposableStack,
  gateway: BenchGateway,
  options: Options,
): Promise<Loaded> {
  const [model, streams, calls] = [await startModel(), startStreamLoad(), startLoad()]
  const control = await startControl(`${model.url}/control`)
  for (const worker of [model, streams, calls, control]) started.defer(() => worker.stop())
  const run = await openModelRun(options, { gateway, model, control, streams, calls, say })
  const plans = plansOf(options, { owners: run.market.model.length, hasFaults: false })
  const { result, ...rest } = await timed(() =>
    streams.run({
      ...run.paid,
      isPaid: true,
      targets: run.market.model,
      plans,
      callers: plans.length,
      rampSeconds: 1,
      seconds: null,
      keyPrefix: randomUUID(),
    }),
  )
  const { seconds, chunks, chunk, outcomes } = result
  const lost = outcomes.filter(({ end }) => end !== 'whole').length
  const memory = await readMemory(gateway.pid)
  const reported = [
    `${plans.length} streams: ${Math.round(chunks / seconds)} chunks/s (profiled), ${lost} lost`,
    `chunk p50 ${chunk.p50.toFixed(2)} ms, p99 ${chunk.p99.toFixed(2)} ms; peak ${memory?.peakMiB.toFixed(0)} MiB`,
  ]
  return { ...rest, work: { name: 'chunk', count: chunks }, reported }
}

async function reportProfile(directory: string, stretch: { from: number; to: number }): Promise<void> {
  const sizes = await Promise.all(
    (await readdir(directory)).map(
      async name => JSON.parse(await readFile(join(directory, name), 'utf8')) as CpuProfile,
    ),
  )
  // Threads write profiles too; the one with the most to tell is the main thread's.
  const main = sizes.sort((a, b) => b.samples.length - a.samples.length)[0]
  if (main === undefined) throw new Error('The gateway wrote no profile.')
  const summary = summarise(main, stretch)
  say(`\nThe gateway's main thread was busy for ${percent(summary.busy)} of the time. Of that:`)
  report('By package', summary.byPackage, 'self')
  report('Functions by their own time', summary.bySelf, 'self')
  report('Our functions with all they call', summary.byTotal, 'total')
}

function report(title: string, shares: readonly Share[], by: 'self' | 'total'): void {
  say(`\n${title}`)
  for (const share of shares.slice(0, TOP)) say(`${percent(share[by]).padStart(8)}  ${share.name}`)
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const started = new AsyncDisposableStack()
try {
  await profile(started, process.argv.slice(2))
} catch (error) {
  process.stderr.write(`The profile failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await started.disposeAsync()
}
