import type { Config } from '../config.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import type { Log } from '../ports.ts'
import { startOnFreePort } from '../runtime/start-on-free-port.ts'
import { describeCredential } from './development-credential.ts'
import { PARTS_STEPS, PORT_PREFERRED, SAMPLES_STEPS, startDevelopment } from './start-development.ts'
import { reportProgress } from './start-progress.ts'

/** A listening development gateway. */
export type DevelopmentGateway = {
  readonly gateway: Gateway
  /** Text printed once it is ready: the next steps. */
  readonly hints: string
  /** Stops it, and what was started for it. */
  stop(): Promise<void>
}

/** Returns the command of the tour of a gateway. */
export const tourOf = (url: string): string =>
  `${url.endsWith(`:${PORT_PREFERRED}`) ? '' : `FAREBOX_URL=${url} `}npm run tour`

/** Migrations, and listening. */
const GATEWAY_STEPS = 2

/**
 * Starts a gateway in development mode with all that it needs, and reports the steps.
 *
 * @param print receives lines of progress
 */
export async function startDevelopmentGateway(
  config: Config,
  options: { log: Log; version: string; print: (line: string) => void },
): Promise<DevelopmentGateway> {
  const { print, ...rest } = options
  const progress = reportProgress(PARTS_STEPS + GATEWAY_STEPS + SAMPLES_STEPS, print)
  const {
    config: completed,
    routes,
    fundPromotions,
    ...development
  } = await startDevelopment(config, progress)
  const migrated = Promise.withResolvers<void>()
  try {
    const starting = startOnFreePort(config, completed, its =>
      startGateway({
        ...rest,
        config: its,
        extraRoutes: routes,
        onMigrated: migrated.resolve,
        ...(fundPromotions && { onPromotionsShort: fundPromotions }),
      }),
    )
    await Promise.race([progress.step('migrations', migrated.promise), starting])
    const gateway = await progress.step('gateway', starting)
    const credential = await development.afterListen(gateway)
    return {
      gateway,
      hints: `${credential === null ? '' : describeCredential(credential)}
Try it: ${tourOf(gateway.url)}          (in a second shell)
`,
      async stop() {
        await gateway.stop()
        await development.stop()
      },
    }
  } catch (error) {
    await development.stop()
    throw error
  }
}
