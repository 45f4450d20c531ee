import { randomUUID } from 'node:crypto'
import { formatUsdc } from '@farebox/money'
import { INVOKE, openCaller } from '../../kit/caller.ts'
import { inLanes, type Market, openMarket } from '../market/market.ts'
import { findingsOf, isSound, openBooks, type PartOn } from '../market/paid-run.ts'
import type { Options } from '../options.ts'
import type { PartResult, Stage } from '../part.ts'
import type { LoadJob, Target } from '../workers/messages.ts'
import { callOf, endingOf } from '../workers/priced-call.ts'
import { type ServingWorker, startControl } from '../workers/workers.ts'
import { callSection } from './call-report.ts'
import type { Contestant, ContestantName } from './contestants.ts'
import { type DurableInserts, openDurableInserts } from './durable-inserts.ts'
import { measure } from './measure.ts'
import { ALONE, linesOf, noiseOf, reachedBy, shedsOf } from './verdict.ts'

/** Answered calls that are asked for again and again. */
const KNOWN_KEYS = 1_000

/** Measures calls at a fixed price in turns with other contestants, and checks the books. */
export async function runCalls(options: Options, stage: Stage): Promise<PartResult> {
  const { owners, price } = options
  const site = await stage.openSite()
  const on: PartOn = await stage.openPart({ owners, site })
  const { gateway, provider } = on
  const control = stage.stopLater(await startControl(`${provider.url}/control`))
  const inserts = stage.stopLater(await openDurableInserts(site.url('postgres')))

  const market = await openMarket({ gateway, providerUrl: provider.url, price })
  const books = await openBooks(market, stage.say)
  const pay = (target: Target, calls: number) => books.account.pay(target, price, calls)
  const job = { isPaid: true, price: formatUsdc(price), origin: gateway.url, path: INVOKE }
  const known = { ...job, targets: market.hot, keyPrefix: `known-${randomUUID()}` }
  await answerKeys(known)
  for (const target of market.hot) pay(target, KNOWN_KEYS)

  const series = await measure(
    [
      controlContestant(control, on, { ...job, targets: market.hot, isPaid: false }),
      insertsContestant(inserts),
      ...paidContestants(on, job, market),
      replays(on, known),
    ],
    { ...options, progress: stage.say, postmaster: gateway.postmaster, pay, note: books.note },
  )
  const soundness = await books.close()
  const lines = linesOf(series)
  return {
    sections: [callSection(lines, options)],
    reached: reachedBy(series),
    findings: [...noiseOf(lines), ...shedsOf(lines), ...findingsOf(soundness, 'calls')],
    isSound: isSound(soundness),
  }
}

type Job = Omit<LoadJob, 'targets' | 'callers' | 'warmupSeconds' | 'seconds' | 'keyPrefix'>

/** The plain proxy, which takes no money. */
function controlContestant(
  control: ServingWorker,
  { load }: PartOn,
  job: Job & Pick<LoadJob, 'targets'>,
): Contestant {
  const run: Contestant['run'] = round => load.run({ ...job, ...round, path: '/call', origin: control.url })
  return { name: 'control', isAt: () => true, charged: null, servers: [control.pid], run }
}

const insertsContestant = ({ run }: DurableInserts): Contestant => {
  return { name: 'inserts', isAt: callers => callers === ALONE, charged: null, servers: [], run }
}

/** Farebox, by whose calls they are. */
function paidContestants(
  { gateway, load }: PartOn,
  job: Job,
  { hot, spread }: Pick<Market, 'hot' | 'spread'>,
): Contestant[] {
  const paid = (name: ContestantName, targets: readonly Target[], isAt: Contestant['isAt']): Contestant[] => {
    if (targets.length === 0) return []
    const run: Contestant['run'] = round => load.run({ ...job, ...round, targets })
    return [{ name, isAt, servers: [gateway.pid], charged: targets, run }]
  }
  return [...paid('hot', hot, () => true), ...paid('spread', spread, callers => callers > 1)]
}

/** Farebox, asked again for calls that it has answered. */
function replays({ gateway, load }: PartOn, known: Job & Pick<LoadJob, 'targets' | 'keyPrefix'>): Contestant {
  const run: Contestant['run'] = round => load.run({ ...round, ...known, knownKeys: KNOWN_KEYS })
  return { name: 'replay', isAt: callers => callers > 1, charged: null, servers: [gateway.pid], run }
}

/** Makes the call of every known key once. */
async function answerKeys(known: Job & Pick<LoadJob, 'targets' | 'keyPrefix'>): Promise<void> {
  await inLanes(KNOWN_KEYS, async number => {
    const caller = openCaller(known.origin)
    const ending = endingOf(known, number, await caller.post(callOf(known, 0, number)))
    await caller.close()
    if (ending.end !== 'good') throw new Error(`A call was answered ${JSON.stringify(ending)}.`)
  })
}
