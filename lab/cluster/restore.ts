import { execFile } from 'node:child_process'
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startTestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import { sendJson, startProvider } from '../../apps/gateway/test/kit/provider/provider.ts'
import { freePort } from '../bench/child.ts'
import { findBinaries, findOwner } from './debian.ts'
import { makeSecrets, startGateways } from './gateways.ts'
import { startLoad } from './load.ts'
import { openMarket } from './market.ts'
import { interrupted, killIn, start, until } from './processes.ts'
import { checkBooks, type Fixture, replayAll } from './verify.ts'

/**
 * `sh scripts/with-node lab/cluster/restore.ts`: a point-in-time restore, tried.
 *
 * A gateway takes paid calls and deposits on a PostgreSQL that archives its log; a base backup is made meanwhile. Then a
 * time is noted, more is called and deposited, the server is killed and its data are removed. A new server is made of
 * backup and log as of that time. Checked: what was acknowledged until then is answered alike, the books hold, and what
 * was deposited later is credited again, since the chain still has it. Needs root and Debian's PostgreSQL
 * (`lab/cluster/install-packages`).
 */

const execute = promisify(execFile)
const OWNERS = 3
const CALLERS = 6
const LOAD_MS = 5_000
const START_MS = 60_000
const CREDIT_MS = 60_000
const STOP_MS = 20_000
/** The log of a time is complete in the archive once something later was written. */
const AFTER_MS = 1_500

const say = (line: string) => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
const seconds = (from: number) => `${((performance.now() - from) / 1_000).toFixed(1)} s`

/** Where the servers of this try lie, and as whom they run. */
async function openPlace(undo: AsyncDisposableStack) {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-restore-'))
  await chmod(directory, 0o755)
  undo.defer(() => rm(directory, { recursive: true, force: true }))
  const [binaries, owner] = [await findBinaries(), await findOwner()]
  const archive = join(directory, 'archive')
  await mkdir(archive)
  await chown(archive, owner.uid, owner.gid)
  await chown(directory, owner.uid, owner.gid)
  const asOwner = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
  const run = async (program: string, ...args: string[]) => {
    const [first = '', ...rest] = [...asOwner, join(binaries, program), ...args]
    return (await execute(first, rest)).stdout
  }
  /** Runs a server on a data directory; resolves when it takes writes. */
  const serve = async (data: string) => {
    const port = await freePort()
    const settings = [
      '-c',
      `port=${port}`,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${directory}`,
    ]
    const server = start([...asOwner, join(binaries, 'postgres'), '-D', data, ...settings], {
      name: 'PostgreSQL',
      logFile: join(directory, 'log'),
    })
    undo.defer(() => server.stop(STOP_MS))
    const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
    await until('PostgreSQL takes writes', START_MS, async () => {
      const [row] = await ask<{ down: boolean }>(urlOf('postgres'), 'select pg_is_in_recovery() as down')
      return row?.down === false
    })
    return { port, urlOf }
  }
  return { directory, archive, run, serve, owner }
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function tryRestore(undo: AsyncDisposableStack): Promise<readonly string[]> {
  const place = await openPlace(undo)
  const data = join(place.directory, 'data')
  await place.run('initdb', '-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--data-checksums')
  await appendFile(
    join(data, 'postgresql.conf'),
    `archive_mode = on\narchive_command = 'test ! -f ${place.archive}/%f && cp %p ${place.archive}/%f'\n`,
  )
  const first = await place.serve(data)
  await ask(first.urlOf('postgres'), 'create database farebox')
  const chain = await startTestChain()
  undo.defer(() => chain.stop())
  const provider = await startProvider()
  undo.defer(() => provider.stop())
  provider.respondWith((call, response) =>
    sendJson(response, 200, { number: (JSON.parse(call.body) as { number: string }).number }),
  )
  const settings = { ...makeSecrets(), AUTO_CREDIT_AFTER_SECONDS: '1', FOLLOWER_INTERVAL_SECONDS: '0.5' }

  await using before = new AsyncDisposableStack()
  const databaseUrl = first.urlOf('farebox')
  const urls = (await startGateways({ databaseUrl, chain, settings, undo: before }, 1)).map(({ url }) => url)
  const market = await openMarket({
    gatewayUrl: urls[0] ?? '',
    providerUrl: provider.url,
    chain,
    owners: OWNERS,
  })
  const load = startLoad({ urls, market, chain, undo: before }, CALLERS)
  load.go()
  const backupFrom = performance.now()
  const backup = join(place.directory, 'backup')
  await place.run(
    'pg_basebackup',
    '-h',
    '127.0.0.1',
    '-p',
    String(first.port),
    '-U',
    'postgres',
    '-D',
    backup,
    '-X',
    'none',
    // Or it waits for the next regular checkpoint, which takes minutes.
    '-c',
    'fast',
  )
  say(`A base backup under load took ${seconds(backupFrom)}.`)
  await delay(LOAD_MS)
  await load.pause()
  const known = [...load.acknowledged]
  const depositsThen = load.deposits()
  const [row] = await ask<{ time: string }>(first.urlOf('postgres'), 'select clock_timestamp()::text as time')
  await delay(AFTER_MS)
  load.go()
  await delay(LOAD_MS)
  await load.pause()
  await ask(first.urlOf('postgres'), 'select pg_switch_wal()')
  const later = load.acknowledged.length - known.length
  say(
    `${known.length} calls and ${depositsThen} deposits until ${row?.time}, ${later} and ${load.deposits() - depositsThen} after it.`,
  )
  const [lastSegment] = await ask<{ name: string }>(
    first.urlOf('postgres'),
    'select pg_walfile_name(pg_current_wal_lsn() - 1) as name',
  )
  await until('the log is archived', START_MS, async () => {
    const [archived] = await ask<{ name: string }>(
      first.urlOf('postgres'),
      'select last_archived_wal as name from pg_stat_archiver',
    )
    return (archived?.name ?? '') >= (lastSegment?.name ?? '')
  })
  await before.disposeAsync()
  await killIn(data, STOP_MS)
  await rm(data, { recursive: true })
  say('The server is killed and its data are gone.')

  const restoreFrom = performance.now()
  await appendFile(
    join(backup, 'postgresql.auto.conf'),
    `restore_command = 'cp ${place.archive}/%f %p'\nrecovery_target_time = '${row?.time}'\nrecovery_target_action = promote\n`,
  )
  await writeFile(join(backup, 'recovery.signal'), '')
  await chown(join(backup, 'recovery.signal'), place.owner.uid, place.owner.gid)
  const second = await place.serve(backup)
  say(`The database as of then takes writes after ${seconds(restoreFrom)}.`)

  await using after = new AsyncDisposableStack()
  const restoredUrl = second.urlOf('farebox')
  const again = await startGateways({ databaseUrl: restoredUrl, chain, settings, undo: after }, 1)
  const fixture: Fixture = {
    urls: again.map(({ url }) => url),
    databaseUrl: restoredUrl,
    chain,
    market,
    provider,
  }
  const creditFrom = performance.now()
  const expected = market.owners.reduce((all, { deposited }) => all + deposited, 0n)
  await until('later deposits are credited again', CREDIT_MS, async () => {
    const [sum] = await ask<{ sum: string }>(
      restoredUrl,
      'select sum(amount)::text as sum from vault_deposits where credited_at is not null',
    )
    return BigInt(sum?.sum ?? 0) === expected
  })
  say(`Deposits that were made after that time are credited again after ${seconds(creditFrom)}.`)
  const findings = [...(await replayAll(fixture, known)), ...(await checkBooks(fixture, known)).findings]
  say(
    `${known.length} answers were asked for again; the calls and deposits of the books were compared with them.`,
  )
  return findings
}

const undo = new AsyncDisposableStack()
try {
  const findings = await Promise.race([tryRestore(undo), interrupted()])
  for (const finding of findings) say(`WRONG ${finding}`)
  say(
    findings.length === 0
      ? 'Everything as of then is there, and the books hold.'
      : `${findings.length} findings`,
  )
  if (findings.length > 0) process.exitCode = 1
} finally {
  await undo.disposeAsync()
}
