import { GatewayError } from '@farebox/wire/errors'
import { healthAnswer, readyAnswer } from '@farebox/wire/operations'
import type { App } from '../app.ts'
import type { Deps, Log } from '../ports.ts'
import { forRequest } from './observe.ts'
import { contract } from './openapi/contract.ts'
import type { Departure } from './shutdown.ts'

/** After how long to ask again, in seconds. */
const RETRY_AFTER_SECONDS = 5

type CheckDeps = Pick<Deps, 'chain' | 'log'> & {
  readonly departure: Departure
  /** Fails unless the database answers and has its schema. */
  readonly checkSchema: () => Promise<void>
}

/**
 * `GET /health` says that the process lives; `GET /ready` that it can serve, database with its schema, and chain, and
 * that it is not about to stop.
 */
export function healthChecks(app: App, deps: CheckDeps, version: string): void {
  app.get(
    '/health',
    contract({
      id: 'readLiveness',
      summary: 'Ask whether the process lives',
      description: 'Says nothing of what it needs; that is what `GET /ready` is for.',
      tag: 'Operations',
      access: 'public',
      answer: healthAnswer,
      example: { status: 'ok', version: '0.1.0' },
    }),
    async () => ({ status: 'ok', version }),
  )

  const ready = contract({
    id: 'readReadiness',
    summary: 'Ask whether the gateway can serve',
    description:
      'Database, schema and chain. What is not so stands in `detail.checks` of the error; `detail.stopping` is true when the gateway is about to stop: it takes calls still, and should be sent no more.',
    tag: 'Operations',
    access: 'public',
    answer: readyAnswer,
    example: { status: 'ok', checks: { database: true, chain: true, migrations: true } },
  })
  app.get('/ready', ready, async request => {
    if (deps.departure.hasBegun()) {
      const options = { message: 'The gateway is about to stop.', retryAfterSeconds: RETRY_AFTER_SECONDS }
      throw new GatewayError('UNAVAILABLE', { stopping: true }, options)
    }
    const { log } = forRequest(deps, request)
    const [database, chain] = await Promise.all([isOk(log, deps.checkSchema()), isOk(log, deps.chain.head())])
    const checks = { database, chain, migrations: database }
    if (!database || !chain) {
      throw new GatewayError('UNAVAILABLE', { checks }, { retryAfterSeconds: RETRY_AFTER_SECONDS })
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
