import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createLog } from '../adapters/log.ts'
import { createLogOutput, type LogOutput } from '../adapters/log-output.ts'
import { ConfigError, readConfig } from '../config.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import type { Log } from '../ports.ts'
import { startOnFreePort } from '../runtime/start-on-free-port.ts'

/** Maximum time of a shutdown after the drain, in ms. */
const STOP_SLACK_MS = 15_000
/** Under npm one Ctrl-C arrives twice, from the terminal and from npm: within this time it counts as one, in ms. */
const SAME_SIGNAL_MS = 1_000
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

const [standardOutput, standardError] = [createLogOutput(1), createLogOutput(2)]

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}

/** Starts everything for the mode; returns the gateway, what to print below its address, and how to stop everything. */
async function start(): Promise<{ gateway: Gateway; hints: string; stop: () => Promise<void> }> {
  const config = readConfig(process.env)
  const log = createLog({ level: config.LOG_LEVEL, destination: standardOutput })
  if (config.FAREBOX_MODE === 'production') {
    logWarnings(log)
    const gateway = await startOnFreePort(config, config, its => startGateway({ config: its, log, version }))
    return { gateway, hints: '', stop: () => gateway.stop() }
  }
  const { startDevelopmentGateway } = await import('../dev/development-gateway.ts')
  const print = (line: string) => writeNow(standardOutput, `${line}\n`)
  return startDevelopmentGateway(config, { log, version, print })
}

/** Logs warnings of Node.js and of libraries, which Node.js prints as plain text: collectors expect JSON. */
function logWarnings(log: Log): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') log.warn({ warning: name }, message)
  })
}

/** Ends a start: nothing is to be drained yet, and the database and chain of development end with this process. */
const interrupt = () => process.exit(0)

/** One graceful shutdown; a later signal ends the process at once. */
function stopOnSignal(stop: () => Promise<void>, limitMs: number): void {
  let stoppingSince: number | null = null
  for (const signal of STOP_SIGNALS) {
    process.removeListener(signal, interrupt)
    process.on(signal, () => {
      if (stoppingSince !== null) {
        if (Date.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1)
        return
      }
      stoppingSince = Date.now()
      setTimeout(() => process.exit(1), limitMs).unref()
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          lineOf(standardError).error({ err: error }, 'Farebox did not shut down cleanly')
          process.exit(1)
        },
      )
    })
  }
}

for (const signal of STOP_SIGNALS) process.on(signal, interrupt)
try {
  const { gateway, hints, stop } = await start()
  const { config } = gateway.deps
  stopOnSignal(stop, config.DRAIN_SECONDS * 1_000 + STOP_SLACK_MS)
  // Node writes the cache of NODE_COMPILE_CACHE at an orderly exit only: a gateway that is killed would leave none.
  flushCompileCache()
  const ready = `Farebox ready at ${gateway.url}`
  if (config.FAREBOX_MODE === 'production') lineOf(standardOutput).info({ url: gateway.url, version }, ready)
  else writeNow(standardOutput, `${ready}\n${hints}`)
} catch (error) {
  const reason =
    error instanceof ConfigError ? error.message : `Farebox could not start: ${describeError(error)}`
  if (process.env.FAREBOX_MODE === 'dev') writeNow(standardError, `${reason}\n`)
  else lineOf(standardError).error({}, reason)
  process.exit(1)
}

/** Returns a log for start and end, whatever LOG_LEVEL is: collectors of a production gateway expect JSON. */
function lineOf(output: LogOutput): Log {
  return createLog({ level: 'info', destination: { write: line => writeNow(output, line) } })
}

function writeNow(output: LogOutput, text: string): void {
  output.write(text)
  output.flush()
}

/** Returns an error and its causes as text; with stacks if the log level asks for detail. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = process.env.LOG_LEVEL === 'debug' ? (error.stack ?? error.message) : error.message
  return error.cause === undefined ? own : `${own} (${describeError(error.cause)})`
}
