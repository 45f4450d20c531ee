import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { connectPostgres } from '../../../src/adapters/postgres.ts'
import { readsCurrent } from '../../../src/domains/ledger/read-current.ts'
import { reconcile } from '../../../src/domains/ledger/reconcile/reconcile.ts'
import type { TestChain } from '../chain/test-chain.ts'
import { type OwnerSql, openOwnerSql } from '../database/owner-sql.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { silent } from '../silent-log.ts'
import { until } from '../until.ts'
import { bundledGateway } from './gateway-bundle.ts'
import { startParts, testEnvironment } from './test-gateway.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
const READY_TIMEOUT_MS = 60_000
const EXIT_TIMEOUT_MS = 20_000
const OUTPUT_KEPT_MAX = 16_384
/** Caches compiled sources, so that later starts are faster. */
const COMPILE_CACHE = join(tmpdir(), 'farebox-test-compile-cache')

/** A start fills the smaller young generation of the default several times: a tenth less processor time. */
const YOUNG_GENERATION = '--min-semi-space-size=32'

/** Exit of a process, and the time from the signal to it in ms. */
export type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly ms: number
}

/** A gateway in a process of its own, with a real database, chain and socket. */
export type GatewayProcess = {
  /** Base URL; changes at each start. */
  readonly url: string
  /** Id of the running process. */
  readonly pid: number
  readonly chain: TestChain
  readonly database: TestDatabase
  /** Its settings. */
  readonly environment: Readonly<Record<string, string>>
  readonly sql: OwnerSql['sql']
  /** True while the process runs. */
  isAlive(): boolean
  /** Returns the end of what it has printed since its last start. */
  output(): string
  /** Sends SIGKILL and waits for the exit. */
  kill9(): Promise<void>
  /** Sends SIGTERM and waits for the exit. */
  sigterm(): Promise<Ended>
  /** Kills it if it runs, then starts it with the same settings. */
  restart(): Promise<void>
  /** Waits until no call is open, then throws with the names of the rows that violate an invariant of the books. */
  assertBooks(): Promise<void>
  /** Kills the process and releases its parts. */
  stop(): Promise<void>
}

/**
 * Starts a gateway as a child process.
 *
 * @param options.env      settings that differ from those of `testEnvironment`
 * @param options.database the database, a new clone of the template by default; dropped by `stop`
 * @param options.chain    the chain, a new one by default; stopped by `stop`
 * @param options.via      returns the database URL of the process from the direct one
 * @param options.command  a command of a shell in the root of the repository that starts it, in place of the program
 * @param options.share    another process, whose database, chain and settings it uses; stop it before that one
 */
export async function startGatewayProcess(
  options: {
    env?: Record<string, string>
    database?: TestDatabase
    chain?: TestChain
    via?: (direct: string) => string
    command?: string
    share?: GatewayProcess
  } = {},
): Promise<GatewayProcess> {
  const { share, command } = options
  const { chain, database } = await startParts(options)
  const environment = {
    ...(share?.environment ?? { ...testEnvironment({ chain, database }), LEASE_SECONDS: '1' }),
    DATABASE_URL: options.via?.(database.url) ?? database.url,
    ...options.env,
  }
  const { sql, close } = openOwnerSql(database.ownerUrl)
  let child = await start(environment, command)

  return {
    chain,
    database,
    environment,
    get url() {
      return child.url
    },
    get pid() {
      return child.process.pid ?? 0
    },
    sql,
    isAlive: () => isAlive(child.process),
    output: () => child.output(),
    async kill9() {
      await end(child, 'SIGKILL')
    },
    sigterm: () => end(child, 'SIGTERM'),
    async restart() {
      await end(child, 'SIGKILL')
      child = await start(environment, command)
    },
    async assertBooks() {
      const db = connectPostgres({ connectionString: database.url, connectionsMax: 2, log: silent })
      try {
        await until('no call is open', async () => {
          const open = await sql(`select 1 from open_calls union all
            select 1 from invocations where status in ('PENDING', 'PROCESSING')`)
          return open.length === 0
        })
        const { findings } = await reconcile({ db: readsCurrent(db), chain: chain.adapter, log: silent })
        expect(findings).toEqual([])
      } finally {
        await db.close()
      }
    },
    async stop() {
      await end(child, 'SIGKILL')
      await close()
      if (share === undefined) await Promise.all([chain.stop(), database.drop()])
    },
  }
}

type Child = {
  readonly process: ChildProcess
  readonly url: string
  output(): string
  signal(signal: NodeJS.Signals): void
}

/** Runs the bundled `main.ts`, or a command, and waits until it prints that it is ready. */
async function start(environment: Record<string, string>, command?: string): Promise<Child> {
  const { PATH = '', HOME = '' } = process.env
  const [program, words] =
    command === undefined
      ? [process.execPath, [YOUNG_GENERATION, await bundledGateway()]]
      : ['sh', ['-c', command]]
  const child = spawn(program, words, {
    cwd: ROOT,
    env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The processes of a command are a group, which gets the signals as from a terminal.
    detached: command !== undefined,
  })
  const signal = (which: NodeJS.Signals) => {
    if (command === undefined) child.kill(which)
    else if (child.pid !== undefined) process.kill(-child.pid, which)
  }
  // Gateways end with an aborted test run.
  const endWithUs = () => signal('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.removeListener('exit', endWithUs))

  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT_MAX)
      if (process.env.TEST_LOG !== undefined) process.stderr.write(text)
    })
  }
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      if (isAlive(child)) signal('SIGKILL')
      reject(new Error(`The gateway ${why}:\n${output}`))
    }
    const timer = setTimeout(() => fail('did not become ready'), READY_TIMEOUT_MS)
    child.once('exit', code => fail(`ended at start with ${code}`))
    child.stdout.on('data', () => {
      const ready = /Farebox ready at ([^\s"]+)/.exec(output)?.[1]
      if (ready === undefined) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      child.once('exit', () => process.removeListener('exit', endWithUs))
      resolve(ready)
    })
  })
  return { process: child, url, output: () => output, signal }
}

const isAlive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

async function end({ process: child, signal: send }: Child, signal: NodeJS.Signals): Promise<Ended> {
  const from = Date.now()
  if (isAlive(child)) {
    const exited = once(child, 'exit')
    send(signal)
    const late = setTimeout(() => send('SIGKILL'), EXIT_TIMEOUT_MS)
    await exited
    clearTimeout(late)
  }
  return { code: child.exitCode, signal: child.signalCode, ms: Date.now() - from }
}
