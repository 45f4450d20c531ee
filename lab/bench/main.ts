import { join, resolve } from 'node:path'
import { describeMachine, loadNow, type Machine } from '../kit/machine.ts'
import { runProgram, say } from '../kit/program.ts'
import { openSite, type Site, type SiteGateway } from '../kit/site.ts'
import { type Options, readOptions } from './options.ts'
import type { PartResult, Stage } from './part.ts'
import { RUNNERS } from './parts.ts'
import { forTerminal, type Report, writeReport } from './report.ts'
import { startLoad, startProvider } from './workers/workers.ts'

/**
 * `npm run bench`: paid calls beside calls that a plain proxy passes on for nothing, in one run on one machine.
 *
 * `core`, at a fixed price: `POST /api/v1/agent/invoke` as an agent sends it, from its first byte to the last of the
 * answer, in a closed loop: each caller has one connection and one call in flight. Every call has a fresh idempotency
 * key, is held, forwarded, settled and stored with its answer; the database commits to disk. Every answer is parsed and
 * must be the provider's answer to that very call, charged as agreed. Contestants take turns, round by round, all with
 * the same callers and the same provider:
 * - the plain proxy, Fastify and undici without credential, price or money: what ratios are to. It gets the same bodies
 *   as the gateway;
 * - two single-row inserts, each durable before the next, database alone: the least that keeping money takes;
 * - Farebox with one owner (all calls move the same rows), with many owners on the services of ten providers,
 *   and asked again for calls that it has answered (replays, known by their header).
 *
 * The processor time of a call is that of its contestant's processes and of PostgreSQL's. `several` is the same with one, two and four gateways on one database, callers at
 * random and kept together by their owner's partition, with conflicts a batch.
 *
 * `first-byte`: the time to the first event of a stream, paid and direct in turn, of a model without a tokenizer.
 * `life`: paid calls on a gateway with a million calls behind it beside an empty one, and how long it takes to
 * be ready again. `hostile`: beside a provider whose answers are as expensive to read as it can make
 * them, how long others wait, and what memory it takes. `rest`: the processor time of gateway and database while nobody calls. `memory`: the memory of the gateway under `--minutes` of load.
 *
 * `figures` stands for the parts that measure what the core is held to: `core`, `several`, `first-byte`, `life`, `rest`
 * and `memory`. Their table comes first; only `--callers 1,256` matter to it.
 *
 * Callers, providers, contestants, gateway, PostgreSQL and chain are processes of one machine and share its cores:
 * ratios within a run say something, figures of different machines side by side say little. The gateway's own jobs
 * (probes, reconciliation, vault follower) run meanwhile, as they always do, in production mode, a log line for every
 * call. Owners and history are written as rows before a gateway has seen the database; everything else is made by the
 * public interface.
 *
 * Not measured: TLS, networks, slow providers, large payloads, refusals, slow readers, calls on a schedule.
 *
 * It fails when an answer was wrong, a stream was lost, or the books are not exact to the micro afterwards.
 *
 * Flags: `--only figures,core,several,first-byte,life,hostile,rest,memory --callers 1,64,256,1024 --rounds 3 --seconds 4 --warmup 2 --owners 10000 --price 0.0001 --minutes 10
 * --history 1000000 --out <folder>`; `--owners 0` leaves the loads of many owners
 * out; `--profile <folder>` has gateways write V8 profiles, which Chrome's developer tools
 * show. A profiled gateway is slower than another; shares matter there, not calls per second.
 */

await runProgram(async started => {
  const options = readOptions(process.argv.slice(2))
  const report = await bench(options, started)
  process.stdout.write(`\n${forTerminal(report)}\n`)
  if (options.out !== null) {
    await writeReport(options.out, report)
    say(`Written to ${join(options.out, 'report.md')}`)
  }
  return report.parts.some(({ isSound }) => !isSound) ? 1 : 0
})

async function bench(options: Options, started: AsyncDisposableStack): Promise<Report> {
  const loadBefore = loadNow()
  const parts: PartResult[] = []
  const machine: { found: Machine | null } = { found: null }
  for (const { run } of RUNNERS.filter(({ parts }) => parts.some(part => options.parts.has(part)))) {
    const part = started.use(new AsyncDisposableStack())
    const gateways: SiteGateway[] = []
    const stage = stageOf(part, gateways, {
      nodeFlags: profileFlags(options),
      async noteSite({ url, directory }) {
        machine.found ??= await describeMachine({ url: url('postgres'), directory, loadBefore })
      },
    })
    const result = await run(options, stage)
    for (const { output } of result.isSound ? [] : gateways) say(`The gateway said last:\n${output()}`)
    parts.push(result)
    await part.disposeAsync()
  }
  if (machine.found === null) throw new Error('There is nothing to measure.')
  return { machine: machine.found, parts }
}

function profileFlags({ profile }: Options): string[] {
  return profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`]
}

function stageOf(
  started: AsyncDisposableStack,
  gateways: SiteGateway[],
  on: {
    nodeFlags: readonly string[]
    noteSite(site: Site): Promise<void>
  },
): Stage {
  const stage: Stage = {
    say,
    stopLater(part) {
      started.defer(() => part.stop())
      return part
    },
    async openSite() {
      say('Starting a database and a chain ...')
      const site = stage.stopLater(await openSite())
      await on.noteSite(site)
      return site
    },
    async startGateway({ owners, settings = {}, site }) {
      const place = await (site ?? (await stage.openSite())).prepare({ owners })
      const gateway = stage.stopLater(await place.start({ settings, nodeFlags: on.nodeFlags }))
      gateways.push(gateway)
      return gateway
    },
    async openPart(options) {
      const provider = stage.stopLater(await startProvider())
      const load = stage.stopLater(startLoad())
      return { gateway: await stage.startGateway(options), provider, load, say }
    },
  }
  return stage
}
