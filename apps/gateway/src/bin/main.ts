import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../adapters/log.ts'
import { ConfigError, readConfig } from '../config.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import type { Log } from '../ports.ts'
import { startOnFreePort } from '../runtime/start-on-free-port.ts'

/** Maximum time of a shutdown after the drain, in ms. */
const STOP_SLACK_MS = 15_000
/** Under npm one Ctrl-C arrives twice, from the terminal and from npm: within this time it counts as one, in ms. */
const SAME_SIGNAL_MS = 1_000

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}

/** Starts everything for the mode; returns the gateway and a function that stops everything. */
async function start(): Promise<{ gateway: Gateway; stop: () => Promise<void> }> {
  const config = readConfig(process.env)
  const log = createLog({ level: config.LOG_LEVEL })
  if (config.FAREBOX_MODE === 'production') {
    const gateway = await startOnFreePort(config, config, its => startGateway({ config: its, log, version }))
    return { gateway, stop: () => gateway.stop() }
  }
  const { startDevelopment } = await import('../dev/start-development.ts')
  const development = await startDevelopment(config, message => process.stdout.write(`${message}\n`))
  try {
    const gateway = await startOnFreePort(config, development.config, its =>
      startGateway({
        config: its,
        log,
        version,
        extraRoutes: development.routes,
        ...(development.fundPromotions && { onPromotionsShort: development.fundPromotions }),
      }),
    )
    await development.afterListen(gateway)
    const stop = async () => {
      await gateway.stop()
      await development.stop()
    }
    return { gateway, stop }
  } catch (error) {
    await development.stop()
    throw error
  }
}

/** One graceful shutdown; a later signal ends the process at once. */
function stopOnSignal(stop: () => Promise<void>, limitMs: number): void {
  let stoppingSince: number | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
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
          lineOf(2).error({ err: error }, 'Farebox did not shut down cleanly')
          process.exit(1)
        },
      )
    })
  }
}

try {
  const { gateway, stop } = await start()
  const { config } = gateway.deps
  stopOnSignal(stop, config.DRAIN_SECONDS * 1_000 + STOP_SLACK_MS)
  const ready = `Farebox ready at ${gateway.url}`
  if (config.FAREBOX_MODE === 'production') lineOf(1).info({ url: gateway.url, version }, ready)
  else
    process.stdout.write(
      `${ready}\nTry it: npm run tour          (in a second shell)\n        curl ${gateway.url}/api/v1/services/discover\n`,
    )
} catch (error) {
  const reason =
    error instanceof ConfigError ? error.message : `Farebox could not start: ${describeError(error)}`
  if (process.env.FAREBOX_MODE === 'dev') process.stderr.write(`${reason}\n`)
  else lineOf(2).error({}, reason)
  process.exit(1)
}

/** Returns a log for start and end, whatever LOG_LEVEL is: collectors of a production gateway expect JSON. */
function lineOf(fd: 1 | 2): Log {
  return createLog({ level: 'info', destination: { write: line => void writeSync(fd, line) } })
}

/** Returns an error and its causes as text; with stacks if the log level asks for detail. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = process.env.LOG_LEVEL === 'debug' ? (error.stack ?? error.message) : error.message
  return error.cause === undefined ? own : `${own} (${describeError(error.cause)})`
}
