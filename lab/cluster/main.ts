import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import { sendJson, startProvider } from '../../apps/gateway/test/kit/provider/provider.ts'
import { whole } from '../kit/flags.ts'
import { productionSettings, type RunningGateway, runGateway } from '../kit/gateway-process.ts'
import { runProgram, say } from '../kit/program.ts'
import { startDatabaseCluster } from './database-cluster.ts'
import { FAULTS, type Fault } from './faults.ts'
import { startLoad } from './load.ts'
import { openMarket } from './market.ts'
import { RESUME_MS_MAX, reportOf, writeReport, wrongWith } from './report.ts'
import { playRound, type Round } from './round.ts'
import { type Fixture, replayAll } from './verify.ts'

/**
 * `npm run cluster`: what becomes of money when the machine falls that has the database.
 *
 * Three machines, each a network namespace with etcd, Patroni and PostgreSQL (Debian's packages, installed by
 * `lab/cluster/install-packages`), replicate synchronously; haproxy sends connections to whichever is the primary by Patroni's
 * word. Three gateways as in production have it for their database; a local chain has the vault. Under a load of paid
 * calls and deposits the primary is killed, lost, frozen or cut off from everybody, in turn. Like agents
 * behind a balancer, callers retry a call without a final answer, with the same key, at another gateway.
 *
 * Checked after each round, when the machine is back and no call is open: see `verify.ts`. It fails when anything is
 * found, or when it took longer than 30 s from the fault to the first acknowledged paid call that began after it.
 *
 * All traffic stays on this machine. It needs root (namespaces) and Linux. What it starts it stops again.
 *
 * Flags: `--rounds 3 --faults kill,lost,freeze,partition --callers 9`; `--strict` has the primary stand still rather than
 * write without a synchronous replica; `--keep` leaves logs and data in the folder it names; `--out <folder>`, default
 * `lab/cluster/results` for a run of all faults.
 */

const GATEWAYS = 3
const OWNERS = 6
const ROUNDS_MAX = 200
const CALLERS_MAX = 256
const RESULTS = join(import.meta.dirname, 'results')

type Options = {
  readonly rounds: number
  readonly callers: number
  readonly faults: readonly Fault[]
  readonly isStrict: boolean
  readonly isKept: boolean
  readonly out: string | null
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      callers: { type: 'string', default: '9' },
      faults: { type: 'string' },
      strict: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  })
  const faultOf = (name: string): Fault => {
    const fault = FAULTS.find(known => known.name === name)
    if (fault === undefined) throw new Error(`--faults takes ${FAULTS.map(known => known.name).join(', ')}`)
    return fault
  }
  return {
    rounds: whole('rounds', values.rounds, 1, ROUNDS_MAX),
    callers: whole('callers', values.callers, 1, CALLERS_MAX),
    faults: values.faults?.split(',').map(faultOf) ?? FAULTS,
    isStrict: values.strict,
    isKept: values.keep,
    out: values.out ?? (values.faults === undefined ? RESULTS : null),
  }
}

/** Starts everything, plays all rounds, and asks for every answer once more. */
async function laboratory(options: Options, undo: AsyncDisposableStack): Promise<readonly Round[]> {
  const { isStrict, isKept, callers } = options
  const cluster = await startDatabaseCluster({ isStrict, isKept })
  undo.defer(() => cluster.close())
  say(`The database is whole: ${cluster.directory}`)
  const chain = await startTestChain()
  undo.defer(() => chain.stop())
  const provider = await startProvider()
  undo.defer(() => provider.stop())
  provider.respondWith((call, response) =>
    sendJson(response, 200, { number: (JSON.parse(call.body) as { number: string }).number }),
  )
  const on = { databaseUrl: cluster.url, rpcUrl: chain.rpcUrl, chain }
  const settings = { ...productionSettings(on), LOG_LEVEL: 'warn' }
  const gateways: RunningGateway[] = []
  while (gateways.length < GATEWAYS) {
    const gateway = await runGateway({ settings })
    undo.defer(() => gateway.stop())
    gateways.push(gateway)
  }
  const urls = gateways.map(({ url }) => url)
  const [gatewayUrl = ''] = urls
  const market = await openMarket({ gatewayUrl, providerUrl: provider.url, chain, owners: OWNERS })
  const fixture: Fixture = { urls, databaseUrl: cluster.url, chain, market, provider }
  const load = startLoad({ urls, market, chain, undo }, callers)
  say('Three gateways serve.')

  const rounds: Round[] = []
  for (let round = 0; round < options.rounds; round += 1) {
    for (const fault of options.faults) {
      const played = await playRound({ cluster, load, fixture, say }, fault)
      const faults = gateways.flatMap(({ output }) => faultsIn(output()))
      rounds.push({ ...played, findings: [...played.findings, ...faults] })
      say(JSON.stringify(rounds.at(-1)))
    }
  }
  const last = rounds.pop()
  if (last === undefined) return rounds
  return [
    ...rounds,
    { ...last, findings: [...last.findings, ...(await replayAll(fixture, load.acknowledged))] },
  ]
}

/** Returns the errors that a gateway has logged, but for those that say that the database failed over. */
const faultsIn = (output: string) =>
  output.split('\n').filter(line => line.includes('"level":"error"') && !isOfFailover(line))

/**
 * Returns whether a line says that the database is another: tickets wait, and the regular check of the books names it
 * until it was confirmed. That this ends is seen by the deposits and books of the round.
 */
function isOfFailover(line: string): boolean {
  const { msg, count = {} } = JSON.parse(line) as { msg: string; count?: Readonly<Record<string, number>> }
  return (
    msg === 'the database was restored or failed over; tickets wait until it is confirmed' ||
    Object.keys(count).join() === 'database-restored'
  )
}

await runProgram(async undo => {
  const options = readOptions(process.argv.slice(2))
  const rounds = await laboratory(options, undo)
  const command = ['npm run cluster --', ...process.argv.slice(2)].join(' ').replace(/ --$/, '')
  const text = await reportOf(rounds, { command, isStrict: options.isStrict })
  process.stdout.write(`\n${text}\n`)
  if (options.out !== null) say(`Written to ${await writeReport(options.out, text)}`)
  const wrong = rounds.flatMap(wrongWith)
  for (const line of wrong) say(`WRONG ${line}`)
  const findings = `${wrong.length} findings; writes are to resume in ${RESUME_MS_MAX} ms`
  say(wrong.length === 0 ? 'Nothing was lost.' : findings)
  return wrong.length === 0 ? 0 : 1
})
