import { type GatewayStatus, gatewayStatus } from '@farebox/wire/operations'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { cached } from '../../runtime/cached.ts'
import { ticketBlock } from './database/ticket-gate.ts'
import { readLastReconciliation } from './reconcile/reconcile-store.ts'

/** Time for which a reading is shared, in ms. */
const MAX_AGE_MS = 1_000

/** `GET /status`, below `/api/v1`: what waits at the moment. Costs no more when it is requested more often. */
export function statusRoutes(app: App, deps: Pick<Deps, 'db' | 'chain' | 'clock' | 'config'>): void {
  const read = cached(deps.clock, MAX_AGE_MS, () => readStatus(deps))
  app.get(
    '/status',
    contract({
      id: 'readStatus',
      summary: 'Read the status of deposits and withdrawals',
      description:
        'Whether the chain is reachable, the vault is paused, and withdrawals require a review. Calls are not affected by any of these states. `GET /ready` says whether a gateway can serve calls.',
      tag: 'Operations',
      access: 'public',
      answer: gatewayStatus,
      example: {
        status: 'success',
        asOf: '2026-11-21T09:30:00.000Z',
        isChainReachable: true,
        isVaultPaused: false,
        ticketBlock: null,
        lastReconciledAt: '2026-11-21T09:29:17.402Z',
      },
    }),
    async (_, reply) => {
      const answer = await read()
      reply.header('cache-control', `public, max-age=${MAX_AGE_MS / 1_000}`)
      return answer
    },
  )
}

async function readStatus(deps: Pick<Deps, 'db' | 'chain' | 'clock' | 'config'>): Promise<GatewayStatus> {
  const [head, isVaultPaused, last] = await Promise.all([
    deps.chain.head().catch(() => null),
    deps.chain.isVaultPaused().catch(() => null),
    readLastReconciliation(deps.db),
  ])
  return {
    status: 'success',
    asOf: new Date(deps.clock.now()).toISOString(),
    isChainReachable: head !== null,
    isVaultPaused,
    // A gateway that has just been set up has checked nothing yet, which is no fault.
    ticketBlock: last === null ? null : await ticketBlock(deps.db, deps, head),
    lastReconciledAt: last?.at.toISOString() ?? null,
  }
}
