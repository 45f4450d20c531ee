import { callResult } from './call-report.ts'
import { measureCalls } from './calls.ts'
import { measureEndurance } from './endurance.ts'
import { enduranceBarsOf, enduranceFindings, enduranceSections } from './endurance-report.ts'
import { measureFairness } from './fairness.ts'
import { fairnessBarsOf, fairnessFindings, fairnessSections } from './fairness-report.ts'
import { FORUM_SETTINGS, measureForum } from './forum.ts'
import { forumBarsOf, forumFindings, forumSections } from './forum-report.ts'
import { type BenchGateway, startGateway } from './gateway.ts'
import { LONG_LIFE } from './history.ts'
import { measureHostile } from './hostile.ts'
import { hostileBarsOf, hostileFindings, hostileSections } from './hostile-report.ts'
import { lifeBarsOf, lifeFindings, lifeSections } from './life-report.ts'
import { isLifeSound, measureLongLife } from './long-life.ts'
import { modelChart } from './model-chart.ts'
import { runModel } from './model-parts.ts'
import { openModelRun } from './model-run.ts'
import { createNaiveLedger } from './naive-ledger.ts'
import { findNginx, startNginx } from './nginx.ts'
import { measureOpen } from './open-loop.ts'
import { openBarsOf, openFindings, openSections } from './open-loop-report.ts'
import { isPartSound, type PartOn } from './open-loop-run.ts'
import type { Options } from './options.ts'
import { measureOverload } from './overload.ts'
import { overloadBarsOf, overloadFindings, overloadSections } from './overload-report.ts'
import type { PartResult, PartRunner, Stage } from './part.ts'
import { installPeers, startPortkey } from './portkey.ts'
import { measureRest } from './rest.ts'
import { isSearchSound, measureSearch } from './search.ts'
import { searchBarsOf, searchFindings, searchSections } from './search-report.ts'
import { modelFindings, modelSections } from './stream-report.ts'
import { isSound, streamBarsOf } from './stream-verdict.ts'
import {
  startControl,
  startLoad,
  startModel,
  startNaiveLedger,
  startOpenLoad,
  startReads,
  startStreamLoad,
  startUpstream,
} from './workers.ts'

/** How often the gateway of the model checks its books, in seconds. */
const MODEL_RECONCILE_SECONDS = '5'

/** Everything that the bench measures, in the order in which it does. */
export const RUNNERS: readonly PartRunner[] = [
  { name: 'calls', parts: ['calls'], run: runCalls },
  { name: 'models', parts: ['first-byte', 'full', 'cuts', 'llm'], run: runModels },
  { name: 'open', parts: ['open'], run: runOpenLoop },
  { name: 'overload', parts: ['overload'], run: runOverload },
  { name: 'fairness', parts: ['fairness'], run: runFairness },
  { name: 'life', parts: ['life'], run: runLife },
  { name: 'search', parts: ['search'], run: runSearch },
  { name: 'hostile', parts: ['hostile'], run: runHostile },
  { name: 'forum', parts: ['forum'], run: runForum },
  { name: 'rest', parts: ['rest'], run: runRest },
  { name: 'memory', parts: ['memory'], run: runEndurance },
]

async function runCalls(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const portkeyVersion = await installPeers(say)
  const nginxVersion = await findNginx()
  if (nginxVersion === null) say('There is no nginx on the PATH, so it is left out.')
  const upstream = stopLater(await startUpstream())
  const control = stopLater(await startControl(`${upstream.url}/control`))
  const nginx = nginxVersion === null ? null : stopLater(await startNginx(upstream.url))
  const portkey = portkeyVersion === null ? null : stopLater(await startPortkey())
  stage.noteVersions({
    ...(portkeyVersion !== null && { Portkey: portkeyVersion }),
    ...(nginxVersion !== null && { nginx: nginxVersion }),
  })
  const load = stopLater(startLoad())
  const gateway = await gatewayOf(stage)
  const databaseUrl = await createNaiveLedger(await gateway.databaseUrl())
  const naive = { databaseUrl, worker: stopLater(startNaiveLedger(databaseUrl)) }
  const on = { gateway, upstream, control, nginx, portkey, naive, load, say }
  return heard(callResult(await measureCalls(options, on)), { gateway, say })
}

async function runModels(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const model = stopLater(await startModel())
  const control = stopLater(await startControl(`${model.url}/control`))
  const streams = stopLater(startStreamLoad())
  const calls = stopLater(startLoad())
  const gateway = await gatewayOf(stage, { RECONCILE_INTERVAL_SECONDS: MODEL_RECONCILE_SECONDS })
  const run = await openModelRun(options, { gateway, model, control, streams, calls, say })
  const figures = await runModel(run, options)
  const result = {
    ...{ figures, sections: modelSections(figures), bars: streamBarsOf(figures) },
    ...{ findings: modelFindings(figures), isSound: isSound(figures), chart: modelChart(figures) },
  }
  return heard(result, { gateway, say })
}

async function runLife(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const upstream = stopLater(await startUpstream())
  const load = stopLater(startLoad())
  const reads = stopLater(startReads())
  const young = await gatewayOf(stage)
  const old = await gatewayOf(stage)
  const size = { ...LONG_LIFE, invocations: options.history }
  const figures = await measureLongLife(options, { young, old, upstream, load, reads, size, say })
  const result = {
    ...{ figures, sections: lifeSections(figures), bars: lifeBarsOf(figures) },
    ...{ findings: lifeFindings(figures), isSound: isLifeSound(figures) },
  }
  return heard(result, { gateway: old, say })
}

async function runSearch(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const reads = stopLater(startReads())
  // All callers have one address and one credential here; what is measured has nothing to do with this limit.
  const gateway = await gatewayOf(stage, { SEARCHES_PER_MINUTE: '10000000' })
  const figures = await measureSearch(options, { gateway, reads, say })
  const result = {
    ...{ figures, sections: searchSections(figures), bars: searchBarsOf(figures) },
    ...{ findings: searchFindings(figures), isSound: isSearchSound(figures) },
  }
  return heard(result, { gateway, say })
}

async function runHostile(options: Options, stage: Stage): Promise<PartResult> {
  const gateway = await gatewayOf(stage)
  const figures = await measureHostile(options, { gateway, say: stage.say })
  const result = {
    ...{ figures, sections: hostileSections(figures), bars: hostileBarsOf(figures) },
    ...{ findings: hostileFindings(figures), isSound: figures.errors.length === 0 },
  }
  return heard(result, { gateway, say: stage.say })
}

async function runForum(options: Options, stage: Stage): Promise<PartResult> {
  const upstream = stage.stopLater(await startUpstream())
  const load = stage.stopLater(startLoad())
  const gateway = await gatewayOf(stage, FORUM_SETTINGS)
  const figures = await measureForum(options, { gateway, upstream, load, say: stage.say })
  const result = {
    ...{ figures, sections: forumSections(figures), bars: forumBarsOf(figures) },
    ...{ findings: forumFindings(figures), isSound: figures.errors.length === 0 },
  }
  return heard(result, { gateway, say: stage.say })
}

async function runRest(_options: Options, stage: Stage): Promise<PartResult> {
  const gateway = await gatewayOf(stage)
  return measureRest({ gateway, stopLater: stage.stopLater })
}

async function runOpenLoop(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage)
  const control = stage.stopLater(await startControl(`${on.upstream.url}/control`))
  const figures = await measureOpen(options, { ...on, control })
  const result = {
    ...{ figures, sections: openSections(figures), bars: openBarsOf(figures) },
    ...{ findings: openFindings(figures), isSound: isPartSound(figures) },
  }
  return heard(result, on)
}

async function runOverload(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage)
  const figures = await measureOverload(options, on)
  const result = {
    ...{ figures, sections: overloadSections(figures), bars: overloadBarsOf(figures) },
    ...{ findings: overloadFindings(figures), isSound: isPartSound(figures) },
  }
  return heard(result, on)
}

async function runFairness(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage)
  const figures = await measureFairness(options, { ...on, victim: stage.stopLater(startOpenLoad()) })
  const result = {
    ...{ figures, sections: fairnessSections(figures), bars: fairnessBarsOf(figures) },
    ...{ findings: fairnessFindings(figures), isSound: isPartSound(figures) },
  }
  return heard(result, on)
}

async function runEndurance(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage)
  const figures = await measureEndurance(options, on)
  const result = {
    ...{ figures, sections: enduranceSections(figures), bars: enduranceBarsOf(figures) },
    ...{ findings: enduranceFindings(figures), isSound: isPartSound(figures) },
  }
  return heard(result, on)
}

async function openPart(stage: Stage): Promise<PartOn> {
  const upstream = stage.stopLater(await startUpstream())
  const load = stage.stopLater(startOpenLoad())
  return { gateway: await gatewayOf(stage), upstream, load, say: stage.say }
}

async function gatewayOf(
  stage: Stage,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchGateway> {
  stage.say('Starting a gateway with its own database and chain ...')
  const gateway = stage.stopLater(await startGateway({ settings }))
  await stage.noteDatabase(gateway.dataDirectory)
  return gateway
}

/** Has the last words of the gateway heard when something was wrong, as long as it is there. */
function heard(
  result: PartResult,
  { gateway, say }: { gateway: BenchGateway; say: (line: string) => void },
): PartResult {
  if (!result.isSound) say(`The gateway said last:\n${gateway.output()}`)
  return result
}
