import { type ErrorContext, GatewayError } from '@farebox/wire/errors'
import { healthAnswer, readyAnswer } from '@farebox/wire/operations'
import type { App } from '../app.ts'
import type { Look } from '../runtime/readiness.ts'
import { RETRY_AFTER_SECONDS } from '../runtime/retry-after.ts'
import { sendError } from './errors.ts'
import { contract } from './openapi/contract.ts'
import type { Shutdown } from './shutdown.ts'

type CheckDeps = {
  readonly shutdown: Shutdown
  readonly readiness: () => Promise<Look>
}

/**
 * `GET /health`: the process is alive. `GET /ready`: it can serve paid calls, and is not about to stop. Neither costs
 * more when it is requested more often.
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
    summary: 'Check that the gateway can serve paid calls',
    description:
      'From a check at most one second old: the database accepts writes, every migration has run, and the clocks of gateway and database are at most five minutes apart. Otherwise 503, and `detail.checks` names what fails. `chain` is only reported, as paid calls continue without it. `detail.stopping` is true while the gateway drains: it still accepts requests, but should receive no new ones.',
    tag: 'Operations',
    access: 'public',
    answer: readyAnswer,
    example: { status: 'ok', checks: { database: true, migrations: true, clock: true, chain: true } },
  })
  app.get('/ready', ready, async (request, reply) => {
    // Not thrown: each probe of a balancer would be logged as a failed request.
    const refuse = (detail: ErrorContext, message: string) => {
      const retryAfterSeconds = RETRY_AFTER_SECONDS.notReady
      return sendError(
        reply,
        new GatewayError('UNAVAILABLE', detail, { message, retryAfterSeconds }),
        request.id,
      )
    }
    if (deps.shutdown.hasBegun()) return refuse({ stopping: true }, 'The gateway is about to stop.')
    const { checks, why } = await deps.readiness()
    return why === null ? { status: 'ok', checks } : refuse({ checks }, why)
  })
}
