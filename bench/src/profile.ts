import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatUsdc, usdc } from '@farebox/money'
import { type CpuProfile, type Share, summarise } from './cpu-profile.ts'
import { startGateway } from './gateway.ts'
import { openMarket } from './market.ts'
import { readOptions } from './options.ts'
import { readProcessTimes } from './process-times.ts'
import { startLoad, startUpstream } from './workers.ts'

/**
 * `sh scripts/with-node bench/src/profile.ts`: where the gateway spends its time under load. It runs the gateway
 * with `--cpu-prof`, loads it (by default with 256 callers on one owner) and prints, of the measured time only: the
 * processor time of every process, and the functions of the gateway by time. A profiled gateway is slower than
 * another; shares matter here, not calls per second.
 *
 * Flags are those of the bench; of `--callers` the last number counts. `--owners` above 0 loads with that many
 * owners instead of one.
 */

const TOP = 40
const CALLS_PER_SECOND_MAX = 25_000
const MARGIN_SECONDS = 3

const say = (line: string) => void process.stdout.write(`${line}\n`)
const microsNow = () => Number(process.hrtime.bigint() / 1_000n)

async function profile(started: AsyncDisposableStack): Promise<void> {
  const options = readOptions(['--owners', '0', '--seconds', '8', ...process.argv.slice(2)], '')
  const { owners, price, seconds, warmupSeconds } = options
  const profiles = await mkdtemp(join(tmpdir(), 'farebox-profile-'))
  started.defer(() => rm(profiles, { recursive: true, force: true }))
  const upstream = await startUpstream()
  started.defer(() => upstream.stop())
  const load = startLoad()
  started.defer(() => load.stop())
  const gateway = await startGateway({ nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${profiles}`] })
  started.defer(() => gateway.stop())

  const cost = Math.ceil((warmupSeconds + seconds + MARGIN_SECONDS) * CALLS_PER_SECOND_MAX)
  const deposit = usdc(BigInt(cost) * price)
  const market = await openMarket({
    ...{ gatewayUrl: gateway.url, upstreamUrl: upstream.url, owners, price },
    ...{ hotDeposit: deposit, spreadDeposit: deposit },
  })
  const callers = options.callers.at(-1) ?? 1
  const job = {
    ...{ origin: gateway.url, path: '/api/v1/agent/invoke', isPaid: true, callers },
    ...{ targets: owners > 0 ? market.spread : market.hot, price: formatUsdc(price) },
  }
  await load.run({ ...job, keyPrefix: 'warm', warmupSeconds: 0, seconds: warmupSeconds })

  const from = microsNow()
  const timesBefore = await readProcessTimes()
  const result = await load.run({ ...job, keyPrefix: 'measured', warmupSeconds: 0, seconds })
  const timesAfter = await readProcessTimes()
  const to = microsNow()
  await gateway.stop()

  const calls = result.goodByTarget.reduce((sum, count) => sum + count, 0)
  say(`${callers} callers: ${Math.round(result.perSecond)} calls/s (profiled), ${result.errors} errors`)
  say(`p50 ${result.latency.p50.toFixed(2)} ms, p99 ${result.latency.p99.toFixed(2)} ms`)
  say('\nProcessor time per paid call, in microseconds (0 on systems without /proc):')
  for (const [name, spent] of timesAfter) {
    const micros = (spent - (timesBefore.get(name) ?? 0)) * 1e6
    if (micros / calls >= 1) say(`${(micros / calls).toFixed(0).padStart(8)}  ${name}`)
  }
  await tellProfile(profiles, { from, to })
}

async function tellProfile(directory: string, stretch: { from: number; to: number }): Promise<void> {
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
  tell('By package', summary.byPackage, 'self')
  tell('Functions by their own time', summary.bySelf, 'self')
  tell('Our functions with all they call', summary.byTotal, 'total')
}

function tell(title: string, shares: readonly Share[], by: 'self' | 'total'): void {
  say(`\n${title}`)
  for (const share of shares.slice(0, TOP)) say(`${percent(share[by]).padStart(8)}  ${share.name}`)
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const started = new AsyncDisposableStack()
try {
  await profile(started)
} catch (error) {
  process.stderr.write(`The profile failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await started.disposeAsync()
}
