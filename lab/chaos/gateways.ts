import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastingPort } from './lasting-port.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const MAIN = join(import.meta.dirname, '../../apps/gateway/src/bin/main.ts')
const CLOCK = join(import.meta.dirname, 'clock-preload.ts')
const COMPILE_CACHE = join(tmpdir(), 'farebox-test-compile-cache')
const READY_TIMEOUT_MS = 60_000
const EXIT_TIMEOUT_MS = 15_000
const OUTPUT_KEPT_MAX = 16_384

/** A gateway process and the lines around it. Where callers find it stays the same over all of its lives. */
export type LabGateway = {
  readonly index: number
  /** By way of its line to callers. */
  readonly url: string
  readonly lines: Readonly<Record<'callers' | 'database' | 'chain', TcpProxy>>
  isAlive(): boolean
  /** Runs it, unless it runs or is being started already. */
  start(): Promise<void>
  /** SIGTERM, the wait for its end, which comes by force when it takes too long, and a start. */
  restart(): Promise<void>
  /** SIGKILL, at once: returns before the process is gone. */
  kill(): void
  /** SIGSTOP; returns how it goes on. */
  freeze(): () => void
  /** Puts its wall clock so many ms beside the right time. */
  setClock(aheadMs: number): void
  stop(): Promise<void>
}

/**
 * Prepares a gateway; {@link LabGateway.start} runs it.
 *
 * @param parts.environment makes its settings, from the ports of its own lines to database and chain
 * @param parts.logFile     what it prints is added there
 */
export async function prepareGateway(parts: {
  index: number
  databasePort: number
  chainPort: number
  environment: (lines: { database: number; chain: number }) => Record<string, string>
  logFile: string
}): Promise<LabGateway> {
  const port = await lastingPort()
  const lines = {
    callers: await startTcpProxy(() => port),
    database: await startTcpProxy(() => parts.databasePort),
    chain: await startTcpProxy(() => parts.chainPort),
  }
  const { PATH = '' } = process.env
  const env = {
    PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    PORT: String(port),
    ...parts.environment({ database: lines.database.port, chain: lines.chain.port }),
  }
  let child: ChildProcess | null = null
  let starting: Promise<void> | null = null
  /** It was killed; word of its end comes later. */
  let isDoomed = false
  const isThere = () => child !== null && child.exitCode === null && child.signalCode === null
  const isAlive = () => isThere() && !isDoomed
  const signal = (name: NodeJS.Signals) => {
    if (!isThere()) return
    isDoomed ||= name === 'SIGKILL'
    child?.kill(name)
  }
  const endWithUs = () => signal('SIGKILL')
  process.on('exit', endWithUs)

  const end = async (name: NodeJS.Signals) => {
    if (child === null || !isThere()) return
    const exited = once(child, 'exit')
    signal(name)
    const late = setTimeout(() => signal('SIGKILL'), EXIT_TIMEOUT_MS)
    await exited
    clearTimeout(late)
  }
  const begin = async () => {
    await end('SIGKILL')
    isDoomed = false
    const start = startProcess(env, text => appendFileSync(parts.logFile, text))
    child = start.process
    await start.ready
  }
  return {
    index: parts.index,
    url: `http://127.0.0.1:${lines.callers.port}`,
    lines,
    isAlive,
    start() {
      starting ??= (isAlive() ? Promise.resolve() : begin()).finally(() => {
        starting = null
      })
      return starting
    },
    restart() {
      starting ??= end('SIGTERM')
        .then(begin)
        .finally(() => {
          starting = null
        })
      return starting
    },
    kill: () => signal('SIGKILL'),
    freeze() {
      signal('SIGSTOP')
      return () => signal('SIGCONT')
    },
    setClock(aheadMs) {
      if (isAlive() && child?.connected) child.send(aheadMs, () => undefined)
    },
    async stop() {
      await end('SIGKILL')
      process.removeListener('exit', endWithUs)
      for (const line of Object.values(lines)) await line.stop()
    },
  }
}

/** A gateway by any number. */
export function gatewayAt(gateways: readonly LabGateway[], index: number): LabGateway {
  const found = gateways[index % gateways.length]
  if (found === undefined) throw new RangeError('There is no gateway.')
  return found
}

/** Runs `main.ts`; `ready` waits for the line that says that it is. */
function startProcess(
  env: Record<string, string>,
  report: (text: string) => void,
): { readonly process: ChildProcess; readonly ready: Promise<void> } {
  const child = spawn(process.execPath, ['--import', CLOCK, MAIN], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A Ctrl-C meant for the laboratory, which ends the round first, must not reach it.
    detached: true,
  })
  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT_MAX)
      report(text)
      if (/^Farebox ready at \S+$/m.test(output)) resolve()
    })
  }
  child.once('exit', code => reject(new Error(`A gateway ended at its start with ${code}:\n${output}`)))
  child.on('error', reject)
  const timer = setTimeout(() => {
    reject(new Error(`A gateway did not become ready:\n${output}`))
    child.kill('SIGKILL')
  }, READY_TIMEOUT_MS)
  return { process: child, ready: promise.finally(() => clearTimeout(timer)) }
}
