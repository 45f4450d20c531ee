import { join } from 'node:path'
import { formatUsdc } from '@farebox/money'
import { measureCalls } from './calls.ts'
import { startGateway } from './gateway.ts'
import { LONG_LIFE } from './history.ts'
import { lifeBarsOf } from './life-report.ts'
import { isLifeSound, type LifeFigures, measureLongLife } from './long-life.ts'
import { describeMachine, loadNow, timeSync } from './machine.ts'
import { type ModelFigures, runModel } from './model-parts.ts'
import { openModelRun } from './model-run.ts'
import { type Options, readOptions } from './options.ts'
import { type CallFigures, forTerminal, type Report, writeReport } from './report.ts'
import { isSearchSound, measureSearch, type SearchFigures } from './search.ts'
import { searchBarsOf } from './search-report.ts'
import { isSound, streamBarsOf } from './stream-verdict.ts'
import { barsOf } from './verdict.ts'
import { startControl, startLoad, startModel, startReads, startStreamLoad, startUpstream } from './workers.ts'

/**
 * `npm run bench`: paid calls per second beside a plain proxy, and paid streams beside direct ones, in one run on one
 * machine.
 *
 * Measured at a fixed price (`calls`): `POST /api/v1/agent/invoke` as an agent sends it, from its first byte to the
 * last of the answer, in a closed loop: each caller has one connection and one call under way. Every call has a fresh
 * idempotency key, is held, forwarded, settled and stored with its answer; the database commits to disk. Every answer
 * is parsed and must be the provider's answer to that very call, charged as agreed. The control is Fastify and undici
 * without credential, price or money; the same callers send it the same bodies.
 *
 * Measured with a model behind a gateway of its own: the time to the first event of a stream, paid and direct in
 * turn (`first-byte`); many streams at once, each read to its end by a caller that counts its chunks and checks its
 * bill (`full`); the same with streams cut by the model and left by their callers, and with the window for late
 * usage passed at the end (`cuts`); and calls that are answered whole beside calls at a fixed price (`llm`). The model
 * has no tokenizer and sends what it is told to: what is measured is the way from it to the caller. `streams` stands
 * for the three parts that stream.
 *
 * Measured with a history (`life`): paid calls on a gateway with a million calls behind it beside an empty one, and
 * pages of that history.
 *
 * Callers, providers, control, gateway, PostgreSQL and chain are processes of one machine and share its cores: ratios
 * within a run say something, figures of different machines side by side say little. The gateway's own jobs (probes,
 * reconciliation, vault follower) run meanwhile, as they always do; the gateway of the model reconciles more often
 * than others, as the bench waits for that.
 *
 * Not measured: TLS, networks, slow providers, large payloads, replays, refusals, slow readers, more than one gateway,
 * and an open loop (arrivals that do not wait for answers, where queues would show).
 *
 * It fails when an answer was wrong, a stream was lost, or the books are not exact to the micro afterwards; bars are
 * told as met or not.
 *
 * Flags: `--only calls,streams,llm,life,search --callers 1,64,256 --rounds 3 --seconds 4 --warmup 2 --owners 200 --price 0.0001
 * --streams 1000 --chunks 200 --pace 50 --history 1000000 --out <folder>`; `--owners 0` leaves the load of many owners out.
 */

const RESULTS = join(import.meta.dirname, '../results')
/** How often the gateway of the model checks its books, in seconds. */
const MODEL_RECONCILE_SECONDS = '5'

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** The part of the run that has a gateway of its own, and what of the machine only a running database tells. */
type Half<Figures> = { readonly figures: Figures; readonly machine: Report['machine'] }

async function benchCalls(options: Options, load: number): Promise<Half<CallFigures>> {
  await using started = new AsyncDisposableStack()
  const stopLater = stopper(started)
  const upstream = stopLater(await startUpstream())
  const control = stopLater(await startControl(`${upstream.url}/control`))
  const callers = stopLater(startLoad())
  say('Starting a gateway with its own database and chain ...')
  const gateway = stopLater(await startGateway())
  const syncMs = await timeSync(gateway.dataDirectory)
  const figures = await measureCalls(options, { gateway, upstream, control, load: callers, say })
  if (figures.errors > 0 || !figures.books.isExact) say(`The gateway said last:\n${gateway.output()}`)
  return { figures, machine: await describeMachine(gateway.dataDirectory, { load, syncMs }) }
}

async function benchLife(options: Options, load: number): Promise<Half<LifeFigures>> {
  await using started = new AsyncDisposableStack()
  const stopLater = stopper(started)
  const upstream = stopLater(await startUpstream())
  const callers = stopLater(startLoad())
  const reads = stopLater(startReads())
  say('Starting two gateways, one of which gets a history ...')
  const young = stopLater(await startGateway())
  const old = stopLater(await startGateway())
  const syncMs = await timeSync(old.dataDirectory)
  const size = { ...LONG_LIFE, invocations: options.history }
  const figures = await measureLongLife(options, { young, old, upstream, load: callers, reads, size, say })
  if (!isLifeSound(figures)) say(`The gateway said last:\n${old.output()}`)
  return { figures, machine: await describeMachine(old.dataDirectory, { load, syncMs }) }
}

async function benchSearch(options: Options, load: number): Promise<Half<SearchFigures>> {
  await using started = new AsyncDisposableStack()
  const stopLater = stopper(started)
  const reads = stopLater(startReads())
  say('Starting a gateway with its own database and chain, for a large market ...')
  // All callers have one address and one credential here; what is measured has nothing to do with this limit.
  const gateway = stopLater(await startGateway({ settings: { SEARCHES_PER_MINUTE: '10000000' } }))
  const syncMs = await timeSync(gateway.dataDirectory)
  const figures = await measureSearch(options, { gateway, reads, say })
  if (!isSearchSound(figures)) say(`The gateway said last:\n${gateway.output()}`)
  return { figures, machine: await describeMachine(gateway.dataDirectory, { load, syncMs }) }
}

async function benchModel(options: Options, load: number): Promise<Half<ModelFigures>> {
  await using started = new AsyncDisposableStack()
  const stopLater = stopper(started)
  const model = stopLater(await startModel())
  const streams = stopLater(startStreamLoad())
  const calls = stopLater(startLoad())
  say('Starting a gateway with its own database and chain, for the model ...')
  const settings = { RECONCILE_INTERVAL_SECONDS: MODEL_RECONCILE_SECONDS }
  const gateway = stopLater(await startGateway({ settings }))
  const syncMs = await timeSync(gateway.dataDirectory)
  const run = await openModelRun(options, { gateway, model, streams, calls, say })
  const figures = await runModel(run, options)
  if (!isSound(figures)) say(`The gateway said last:\n${gateway.output()}`)
  return { figures, machine: await describeMachine(gateway.dataDirectory, { load, syncMs }) }
}

/** Has what was started stopped at the end, last first. */
function stopper(started: AsyncDisposableStack) {
  running.push(started)
  return <Started extends { stop(): Promise<void> }>(process_: Started): Started => {
    started.defer(() => process_.stop())
    return process_
  }
}

async function bench(options: Options): Promise<Report> {
  const { parts, rounds, seconds, owners, price } = options
  const load = loadNow()
  const calls = parts.has('calls') ? await benchCalls(options, load) : null
  const hasModel = [...parts].some(part => !['calls', 'life', 'search'].includes(part))
  const models = hasModel ? await benchModel(options, load) : null
  const life = parts.has('life') ? await benchLife(options, load) : null
  const search = parts.has('search') ? await benchSearch(options, load) : null
  const machine = calls?.machine ?? models?.machine ?? life?.machine ?? search?.machine
  if (machine === undefined) throw new Error('There is nothing to measure.')
  return {
    machine,
    setting: { rounds, seconds, owners, priceUsdc: formatUsdc(price) },
    ...{ calls: calls?.figures ?? null, models: models?.figures ?? null, life: life?.figures ?? null },
    search: search?.figures ?? null,
    bars: [
      ...(calls === null ? [] : barsOf(calls.figures.lines, calls.figures.books.isExact)),
      ...(models === null ? [] : streamBarsOf(models.figures)),
      ...(life === null ? [] : lifeBarsOf(life.figures)),
      ...(search === null ? [] : searchBarsOf(search.figures)),
    ],
  }
}

/** Rejects at a signal, so that everything that was started is stopped before this process ends. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)))
    }
  })
}

/** What was started, to be stopped when a signal ends the run in the middle. */
const running: AsyncDisposableStack[] = []
try {
  const options = readOptions(process.argv.slice(2), RESULTS)
  const report = await Promise.race([bench(options), interrupted()])
  say(`\n${forTerminal(report)}`)
  if (options.out !== null) {
    await writeReport(options.out, report)
    say(`\nWritten to ${join(options.out, 'latest.md')}`)
  }
  const { calls, models, life, search } = report
  const areCallsSound = calls === null || (calls.books.isExact && calls.errors === 0)
  const areModelsSound = models === null || isSound(models)
  const areReadsSound = (life === null || isLifeSound(life)) && (search === null || isSearchSound(search))
  if (!areCallsSound || !areModelsSound || !areReadsSound) process.exitCode = 1
} catch (error) {
  process.stderr.write(`The bench failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  for (const started of running) await started.disposeAsync()
}
