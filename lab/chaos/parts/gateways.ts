import type { ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'
import { startTcpProxy, type TcpProxy } from '../../../apps/gateway/test/kit/network/tcp-proxy.ts'
import { spawnGateway } from '../../kit/gateway-process.ts'
import { endChild, isRunning } from '../../kit/processes.ts'

const CLOCK = join(import.meta.dirname, '../clock-preload.ts')
const EXIT_TIMEOUT_MS = 15_000

/** A gateway process and the lines around it. Its address for callers stays the same over all of its lives. */
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
  /** SIGSTOP; returns a function that sends SIGCONT. */
  freeze(): () => void
  /** Puts its wall clock so many ms beside the right time. */
  setClock(aheadMs: number): void
  stop(): Promise<void>
}

/** The lines of a gateway; its settings by the ports of its own lines; the file that its output is added to. */
type Parts = {
  readonly index: number
  readonly databasePort: number
  readonly chainPort: number
  readonly environment: (lines: { database: number; chain: number }) => Record<string, string>
  readonly logFile: string
}

/** Prepares a gateway; {@link LabGateway.start} runs it. */
export async function prepareGateway({ index, logFile, ...parts }: Parts): Promise<LabGateway> {
  const port = await freePort()
  const lines = {
    callers: await startTcpProxy(() => port),
    database: await startTcpProxy(() => parts.databasePort),
    chain: await startTcpProxy(() => parts.chainPort),
  }
  const settings = {
    PORT: String(port),
    ...parts.environment({ database: lines.database.port, chain: lines.chain.port }),
  }
  const life = createLife(settings, text => appendFileSync(logFile, text))
  let starting: Promise<void> | null = null
  const once = (start: () => Promise<void>): Promise<void> => {
    starting ??= start().finally(() => {
      starting = null
    })
    return starting
  }
  return {
    index,
    url: `http://127.0.0.1:${lines.callers.port}`,
    lines,
    isAlive: life.isAlive,
    start: () => once(() => (life.isAlive() ? Promise.resolve() : life.begin())),
    restart: () => once(() => life.end('SIGTERM').then(life.begin)),
    kill: () => life.signal('SIGKILL'),
    freeze() {
      life.signal('SIGSTOP')
      return () => life.signal('SIGCONT')
    },
    setClock: life.setClock,
    async stop() {
      await life.close()
      for (const line of Object.values(lines)) await line.stop()
    },
  }
}

/** The processes of a gateway, one after another. */
function createLife(settings: Record<string, string>, hear: (text: string) => void) {
  let child: ChildProcess | null = null
  /** It was killed; its exit event comes later. */
  let isDoomed = false
  const isAlive = () => child !== null && isRunning(child) && !isDoomed
  const signal = (name: NodeJS.Signals): void => {
    if (child === null || !isRunning(child)) return
    isDoomed ||= name === 'SIGKILL'
    child.kill(name)
  }
  const endWithUs = () => signal('SIGKILL')
  process.on('exit', endWithUs)
  const end = async (name: NodeJS.Signals) => {
    if (child !== null) await endChild(child, EXIT_TIMEOUT_MS, name)
  }
  return {
    isAlive,
    signal,
    end,
    async begin() {
      await end('SIGKILL')
      isDoomed = false
      const started = spawnGateway({ settings, nodeFlags: ['--import', CLOCK], isDetached: true, hear })
      child = started.child
      await started.ready
    },
    setClock(aheadMs: number): void {
      if (isAlive() && child?.connected) child.send(aheadMs, () => undefined)
    },
    async close() {
      await end('SIGKILL')
      process.removeListener('exit', endWithUs)
    },
  }
}

/** Returns a gateway by any number. */
export function gatewayAt(gateways: readonly LabGateway[], index: number): LabGateway {
  const found = gateways[index % gateways.length]
  if (found === undefined) throw new RangeError('There is no gateway.')
  return found
}
