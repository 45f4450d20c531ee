import { GatewayError } from '@farebox/wire/errors'
import { healthAnswer, readyAnswer } from '@farebox/wire/operations'
import type { App } from '../app.ts'
import type { Deps, Log } from '../ports.ts'
import { RETRY_AFTER_SECONDS } from '../runtime/retry-after.ts'
import { forRequest } from './observe.ts'
import { contract } from './openapi/contract.ts'
import type { Shutdown } from './shutdown.ts'

type CheckDeps = Pick<Deps, 'chain' | 'log'> & {
  readonly shutdown: Shutdown
  /** Throws unless the database answers and has its schema. */
  readonly checkSchema: () => Promise<void>
}

/**
 * `GET /health`: the process is alive. `GET /ready`: it can serve, with database, schema and chain, and is not about to
 * stop.
 */
export function healthChecks(app: App, deps: CheckDeps, version: string): void {
  app.get(
    '/health',
    contract({
      id: 'readLiveness',
      summary: 'Check that the process is alive',
      description: 'Checks no dependencies; `GET /ready` does.',
      tag: 'Operations',
      access: 'public',
      answer: healthAnswer,
      example: { status: 'ok', version: '0.1.0' },
    }),
    async () => ({ status: 'ok', version }),
  )

  const ready = contract({
    id: 'readReadiness',
    summary: 'Check that the gateway can serve requests',
    description:
      'Database, schema and chain. `detail.checks` of the error says which of them fail; `detail.stopping` is true while the gateway drains: it still takes requests, but should get no new ones.',
    tag: 'Operations',
    access: 'public',
    answer: readyAnswer,
    example: { status: 'ok', checks: { database: true, chain: true, migrations: true } },
  })
  app.get('/ready', ready, async request => {
    if (deps.shutdown.hasBegun()) {
      const options = {
        message: 'The gateway is about to stop.',
        retryAfterSeconds: RETRY_AFTER_SECONDS.notReady,
      }
      throw new GatewayError('UNAVAILABLE', { stopping: true }, options)
    }
    const { log } = forRequest(deps, request)
    const [database, chain] = await Promise.all([isOk(log, deps.checkSchema()), isOk(log, deps.chain.head())])
    const checks = { database, chain, migrations: database }
    if (!database || !chain) {
      throw new GatewayError('UNAVAILABLE', { checks }, { retryAfterSeconds: RETRY_AFTER_SECONDS.notReady })
    }
    return { status: 'ok', checks }
  })
}

async function isOk(log: Log, check: Promise<unknown>): Promise<boolean> {
  try {
    await check
    return true
  } catch (error) {
    log.warn({ err: error }, 'not ready')
    return false
  }
}
