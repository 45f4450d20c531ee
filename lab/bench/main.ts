import { join } from 'node:path'
import { describeMachine, loadNow, type Machine } from './machine.ts'
import { type Options, readOptions } from './options.ts'
import type { PartResult } from './part.ts'
import { forTerminal, type Report, writeReport } from './report.ts'
import { RUNNERS } from './runners.ts'

/**
 * `npm run bench`: paid calls beside those who take no money, beside a gateway of others, and beside a naive ledger, in
 * one run on one machine.
 *
 * Measured at a fixed price (`calls`): `POST /api/v1/agent/invoke` as an agent sends it, from its first byte to the
 * last of the answer, in a closed loop: each caller has one connection and one call under way. Every call has a fresh
 * idempotency key, is held, forwarded, settled and stored with its answer; the database commits to disk. Every answer
 * is parsed and must be the provider's answer to that very call, charged as agreed. Contestants take turns, round by
 * round, all with the same callers and the same provider:
 * - the provider itself (direct), to know what is added to it;
 * - the plain proxy, Fastify and undici without credential, price or money: what ratios are to. It gets the same bodies
 *   as the gateway;
 * - nginx as a plain proxy, when there is one on the PATH, a worker per core. It takes nothing out of a body, so it gets
 *   what the provider is to get;
 * - Portkey's gateway from npm, which proxies for free: the same question as a chat completion, since other paths fail
 *   in its current release, to a provider that answers with a completion of about the same length;
 * - two single-row inserts, each durable before the next, database alone: what nobody who keeps money can do without;
 * - a naive ledger, database alone: what a paid call of one owner does to the money as one transaction per step, on
 *   prepared statements and as many connections as serve it best, without any call, in a second database of the same
 *   server;
 * - Farebox with one owner (all calls move the same rows), with many owners on the services of ten providers and of
 *   one, and asked again for calls that it has answered (replays, known by their header).
 *
 * Told of each contestant is also the processor time of a call, of its own processes and of PostgreSQL's. `core` is the
 * same with plain proxy, inserts and Farebox alone. Measured with one, two and four gateways on one database, callers at
 * random and kept together by their owner's partition: the same, with conflicts a batch where the metrics tell (`several`).
 *
 * `figures` stands for the parts that measure what the core is held to: `core`, `several`, `first-byte`, `life`, `rest`
 * and `memory`. Their table comes first; only `--callers 1,256` matter to it.
 *
 * Measured with a model behind a gateway of its own: the time to the first event of a stream, paid and direct in
 * turn (`first-byte`); many streams at once, each read to its end by a caller that counts its chunks and checks its
 * bill (`full`); the same with streams cut by the model and left by their callers, and with the window for late
 * usage passed at the end (`cuts`); and calls that are answered whole beside calls at a fixed price and beside a plain
 * proxy (`llm`). The model has no tokenizer and sends what it is told to: what is measured is the way from it to the
 * caller. `streams` stands for the three parts that stream.
 *
 * Measured with calls that come on a schedule, whether or not earlier ones were answered, and whose time counts from
 * when they were due (no coordinated omission): latency at shares of the maximum, beside the plain proxy at half of its
 * own (`open`); what becomes of twice the calls that can be served (`overload`, where callers may be told to try later);
 * and what an owner at a low rate finds beside one hot owner and beside many (`fairness`). Measured last, as it takes
 * `--minutes`: the memory of the gateway under load (`memory`).
 *
 * Measured with a history (`life`): paid calls on a gateway with a million calls behind it beside an empty one, and
 * pages of that history, and how long it takes to be ready again. Measured on a large market: looking for services (`search`). Measured beside a provider whose
 * answers are as dear to read as it can make them: how long others wait meanwhile, and what memory it takes (`hostile`).
 * Measured beside forty who search a large forum for what is misspelt, again and again: paid calls, and how far apart the
 * jobs that guard money run (`forum`).
 * Measured while nobody calls: the processor time of gateway and database (`rest`).
 *
 * Callers, providers, contestants, gateway, PostgreSQL and chain are processes of one machine and share its cores:
 * ratios within a run say something, figures of different machines side by side say little. The gateway's own jobs
 * (probes, reconciliation, vault follower) run meanwhile, as they always do, in production mode, a log line for every
 * call. Owners and history are written as rows before a gateway has seen the database; everything else is made by the
 * public interface.
 *
 * Not measured: TLS, networks, slow providers, large payloads, refusals, slow readers.
 *
 * It fails when an answer was wrong, a stream was lost, or the books are not exact to the micro afterwards; bars are
 * told as met or not.
 *
 * Flags: `--quick` for a first look of a few minutes; `--only figures,calls,core,several,streams,llm,open,
 * overload,fairness,life,search,hostile,forum,rest,memory --callers 1,64,256,1024 --rounds 3 --seconds 4 --warmup 2 --owners 10000 --price 0.0001
 * --streams 1000 --chunks 200 --pace 75 --open-seconds 15 --minutes 10 --history 1000000 --out <folder>`; `--owners 0`
 * leaves the loads of many owners out.
 */

const RESULTS = join(import.meta.dirname, 'results')

const say = (line: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)

/** What was started, to be stopped when a signal ends the run in the middle. */
const running = new Set<AsyncDisposableStack>()

async function bench(options: Options): Promise<Report> {
  const load = loadNow()
  const parts = new Map<string, PartResult>()
  const versions: Record<string, string> = {}
  let machine: Machine | null = null
  for (const runner of RUNNERS.filter(({ parts }) => parts.some(part => options.parts.has(part)))) {
    await using started = new AsyncDisposableStack()
    running.add(started)
    const result = await runner.run(options, {
      say,
      stopLater(process_) {
        started.defer(() => process_.stop())
        return process_
      },
      async noteDatabase(dataDirectory) {
        machine ??= await describeMachine(dataDirectory, { load })
      },
      noteVersions: noted => void Object.assign(versions, noted),
    })
    parts.set(runner.name, result)
    running.delete(started)
  }
  if (machine === null) throw new Error('There is nothing to measure.')
  const { versions: libraries, ...rest }: Machine = machine
  return { machine: { ...rest, versions: { ...libraries, ...versions } }, parts }
}

/** Rejects at a signal, so that everything that was started is stopped before this process ends. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // Under npm one Ctrl-C arrives twice.
      process.on(signal, () => reject(new Error(`Stopped by ${signal}.`)))
    }
  })
}

try {
  const options = readOptions(process.argv.slice(2), RESULTS)
  const report = await Promise.race([bench(options), interrupted()])
  process.stdout.write(`\n${forTerminal(report)}\n`)
  if (options.out !== null) {
    await writeReport(options.out, report)
    say(`Written to ${join(options.out, 'latest.md')}`)
  }
  if ([...report.parts.values()].some(({ isSound }) => !isSound)) process.exitCode = 1
} catch (error) {
  process.stderr.write(
    `The bench failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = 1
} finally {
  for (const started of running) await started.disposeAsync()
}
