import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { callResult } from './call-report.ts'
import { measureCalls, type Peers } from './calls.ts'
import { openDurableInserts } from './durable-inserts.ts'
import { measureEndurance } from './endurance.ts'
import { enduranceFindings, enduranceReached, enduranceSections } from './endurance-report.ts'
import { FAIRNESS_OWNERS, measureFairness } from './fairness.ts'
import { fairnessBarsOf, fairnessFindings, fairnessSections } from './fairness-report.ts'
import { FORUM_SETTINGS, measureForum } from './forum.ts'
import { forumBarsOf, forumFindings, forumSections } from './forum-report.ts'
import { LONG_LIFE, writeHistory } from './history.ts'
import { measureHostile } from './hostile.ts'
import { hostileBarsOf, hostileFindings, hostileSections } from './hostile-report.ts'
import { lifeBarsOf, lifeFindings, lifeReached, lifeSections } from './life-report.ts'
import { isLifeSound, measureLongLife } from './long-life.ts'
import { modelChart } from './model-chart.ts'
import { MODEL_OWNERS } from './model-market.ts'
import { runModel } from './model-parts.ts'
import { openModelRun } from './model-run.ts'
import { createNaiveLedger } from './naive-ledger.ts'
import { findNginx, startNginx } from './nginx.ts'
import { measureOpen } from './open-loop.ts'
import { openBarsOf, openFindings, openSections } from './open-loop-report.ts'
import { booksBar, isPartSound, type PartOn } from './open-loop-run.ts'
import type { Options } from './options.ts'
import { measureOverload } from './overload.ts'
import { overloadBarsOf, overloadFindings, overloadSections } from './overload-report.ts'
import type { PartResult, PartRunner, Stage } from './part.ts'
import { installPeers, startPortkey } from './portkey.ts'
import { measureRest } from './rest.ts'
import { isSearchSound, measureSearch } from './search.ts'
import { searchBarsOf, searchFindings, searchSections } from './search-report.ts'
import { GATEWAYS_MAX, measureSeveral } from './several.ts'
import { type BenchGateway, openSite, type Site } from './site.ts'
import { modelFindings, modelSections } from './stream-report.ts'
import { isSound, streamBarsOf } from './stream-verdict.ts'
import {
  startControl,
  startLoad,
  startModel,
  startNaiveLedger,
  startReads,
  startStreamLoad,
  startUpstream,
} from './workers.ts'

/** Everything that the bench measures, in the order in which it does. */
export const RUNNERS: readonly PartRunner[] = [
  { name: 'calls', parts: ['calls', 'core'], run: runCalls },
  { name: 'several', parts: ['several'], run: runSeveral },
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
  const upstream = stopLater(await startUpstream())
  const control = stopLater(await startControl(`${upstream.url}/control`))
  const load = stopLater(startLoad())
  const site = await siteOf(stage)
  const gateway = await gatewayOf(stage, site, { owners: options.owners })
  const inserts = stopLater(await openDurableInserts(site.url('postgres')))
  const peers = options.parts.has('calls') ? await startPeers(stage, upstream.url, gateway) : null
  const on = { gateway, upstream, control, inserts, peers, load, say }
  return heard(callResult(await measureCalls(options, on)), { gateway, say })
}

async function startPeers(stage: Stage, upstreamUrl: string, gateway: BenchGateway): Promise<Peers> {
  const { say, stopLater, noteVersions } = stage
  const [portkeyVersion, nginxVersion] = [await installPeers(say), await findNginx()]
  if (nginxVersion === null) say('There is no nginx on the PATH, so it is left out.')
  else noteVersions({ nginx: nginxVersion })
  if (portkeyVersion !== null) noteVersions({ Portkey: portkeyVersion })
  const databaseUrl = await createNaiveLedger(gateway.databaseUrl)
  return {
    nginx: nginxVersion === null ? null : stopLater(await startNginx(upstreamUrl)),
    portkey: portkeyVersion === null ? null : stopLater(await startPortkey()),
    naive: { databaseUrl, worker: stopLater(startNaiveLedger(databaseUrl)) },
  }
}

async function runSeveral(options: Options, stage: Stage): Promise<PartResult> {
  const upstream = stage.stopLater(await startUpstream())
  const load = stage.stopLater(startLoad())
  const site = await siteOf(stage)
  const place = await site.prepare({ owners: options.owners })
  const gateways: BenchGateway[] = []
  while (gateways.length < GATEWAYS_MAX) gateways.push(stage.stopLater(await place.start()))
  const result = await measureSeveral(options, { gateways, upstream, load, say: stage.say })
  for (const gateway of gateways) heard(result, { gateway, say: stage.say })
  return result
}

async function runModels(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const model = stopLater(await startModel())
  const control = stopLater(await startControl(`${model.url}/control`))
  const streams = stopLater(startStreamLoad())
  const calls = stopLater(startLoad())
  const gateway = await gatewayOf(stage, await siteOf(stage), { owners: MODEL_OWNERS })
  const run = await openModelRun(options, { gateway, model, control, streams, calls, say })
  const figures = await runModel(run, options)
  const result = {
    figures,
    sections: modelSections(figures),
    bars: streamBarsOf(figures),
    findings: modelFindings(figures),
    isSound: isSound(figures),
    chart: modelChart(figures),
    reached: { firstEvent: figures.firstByte?.addedP50Ms ?? null },
  }
  return heard(result, { gateway, say })
}

async function runLife(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const upstream = stopLater(await startUpstream())
  const [load, reads] = [stopLater(startLoad()), stopLater(startReads())]
  const site = await siteOf(stage)
  const size = { ...LONG_LIFE, invocations: options.history }
  const busy = privateKeyToAccount(generatePrivateKey())
  const young = await gatewayOf(stage, site, { owners: options.owners })
  const place = await site.prepare({
    owners: options.owners,
    fill: databaseUrl => writeHistory(databaseUrl, size, busy.address),
  })
  const old = stopLater(await place.start())
  let last = old
  const restart = async () => {
    await last.stop()
    last = stopLater(await place.start())
    return last
  }
  const on = { young, old, busy, restart, upstream, load, reads, size, say }
  const figures = await measureLongLife(options, on)
  const result = {
    figures,
    sections: lifeSections(figures),
    bars: lifeBarsOf(figures),
    findings: lifeFindings(figures),
    isSound: isLifeSound(figures),
    reached: lifeReached(figures),
  }
  return heard(result, { gateway: last, say })
}

async function runSearch(options: Options, stage: Stage): Promise<PartResult> {
  const { say, stopLater } = stage
  const reads = stopLater(startReads())
  // All callers have one address and one credential here; what is measured has nothing to do with this limit.
  const settings = { SEARCHES_PER_MINUTE: '10000000' }
  const gateway = await gatewayOf(stage, await siteOf(stage), { owners: 0, settings })
  const figures = await measureSearch(options, { gateway, reads, say })
  const result = {
    figures,
    sections: searchSections(figures),
    bars: searchBarsOf(figures),
    findings: searchFindings(figures),
    isSound: isSearchSound(figures),
  }
  return heard(result, { gateway, say })
}

async function runHostile(_options: Options, stage: Stage): Promise<PartResult> {
  const gateway = await gatewayOf(stage, await siteOf(stage), { owners: 0 })
  const figures = await measureHostile({ gateway, say: stage.say })
  const result = {
    figures,
    sections: hostileSections(figures),
    bars: hostileBarsOf(figures),
    findings: hostileFindings(figures),
    isSound: figures.errors.length === 0,
  }
  return heard(result, { gateway, say: stage.say })
}

async function runForum(options: Options, stage: Stage): Promise<PartResult> {
  const upstream = stage.stopLater(await startUpstream())
  const load = stage.stopLater(startLoad())
  const gateway = await gatewayOf(stage, await siteOf(stage), { owners: 0, settings: FORUM_SETTINGS })
  const figures = await measureForum(options, { gateway, upstream, load, say: stage.say })
  const result = {
    figures,
    sections: forumSections(figures),
    bars: forumBarsOf(figures),
    findings: forumFindings(figures),
    isSound: figures.errors.length === 0,
  }
  return heard(result, { gateway, say: stage.say })
}

async function runRest(_options: Options, stage: Stage): Promise<PartResult> {
  const gateway = await gatewayOf(stage, await siteOf(stage), { owners: 0 })
  stage.say('Nobody calls now ...')
  return measureRest({ gateway })
}

async function runOpenLoop(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage, options.owners)
  const control = stage.stopLater(await startControl(`${on.upstream.url}/control`))
  const figures = await measureOpen(options, { ...on, control })
  const result = {
    figures,
    sections: openSections(figures),
    bars: openBarsOf(figures),
    findings: openFindings(figures),
    isSound: isPartSound(figures),
  }
  return heard(result, on)
}

async function runOverload(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage, options.owners)
  const figures = await measureOverload(options, on)
  const result = {
    figures,
    sections: overloadSections(figures),
    bars: overloadBarsOf(figures),
    findings: overloadFindings(figures),
    isSound: isPartSound(figures),
  }
  return heard(result, on)
}

async function runFairness(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage, FAIRNESS_OWNERS)
  const figures = await measureFairness(options, { ...on, victim: stage.stopLater(startLoad()) })
  const result = {
    figures,
    sections: fairnessSections(figures),
    bars: fairnessBarsOf(figures),
    findings: fairnessFindings(figures),
    isSound: isPartSound(figures),
  }
  return heard(result, on)
}

async function runEndurance(options: Options, stage: Stage): Promise<PartResult> {
  const on = await openPart(stage, options.owners)
  const figures = await measureEndurance(options, on)
  const result = {
    figures,
    sections: enduranceSections(figures),
    bars: [booksBar(figures, 'the long load')],
    findings: enduranceFindings(figures),
    isSound: isPartSound(figures),
    reached: enduranceReached(figures),
  }
  return heard(result, on)
}

async function openPart(stage: Stage, owners: number): Promise<PartOn> {
  const upstream = stage.stopLater(await startUpstream())
  const load = stage.stopLater(startLoad())
  return { gateway: await gatewayOf(stage, await siteOf(stage), { owners }), upstream, load, say: stage.say }
}

async function siteOf(stage: Stage): Promise<Site> {
  stage.say('Starting a database and a chain ...')
  const site = stage.stopLater(await openSite())
  await stage.noteDatabase(site.directory)
  return site
}

/** A gateway with a database of its own. */
async function gatewayOf(
  stage: Stage,
  site: Site,
  { owners, settings = {} }: { owners: number; settings?: Readonly<Record<string, string>> },
): Promise<BenchGateway> {
  const place = await site.prepare({ owners })
  return stage.stopLater(await place.start({ settings }))
}

/** Has the last words of the gateway heard when something was wrong, as long as it is there. */
function heard(
  result: PartResult,
  { gateway, say }: { gateway: BenchGateway; say: (line: string) => void },
): PartResult {
  if (!result.isSound) say(`The gateway said last:\n${gateway.output()}`)
  return result
}
