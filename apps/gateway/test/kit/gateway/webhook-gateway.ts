import type { ShownDelivery, ShownWebhook } from '@farebox/wire/webhooks'
import { expect } from 'vitest'
import { type Announcement, announce } from '../../../src/domains/webhooks/announce.ts'
import { deliverDue } from '../../../src/domains/webhooks/deliver-due.ts'
import { webhookRoutes } from '../../../src/domains/webhooks/routes.ts'
import type { Deps } from '../../../src/ports.ts'
import type { Sent } from '../network/http.ts'
import { startPartialGateway } from './partial-gateway.ts'

/** A signed-in wallet and its webhooks. `wallet` is lower-case. */
export type Listener = Awaited<ReturnType<WebhookGateway['listener']>>
export type WebhookGateway = Awaited<ReturnType<typeof startWebhookGateway>>

/** Starts a gateway of webhooks. Only `deliver` delivers. */
export async function startWebhookGateway(env: Record<string, string> = {}) {
  const gateway = await startPartialGateway({ env, routes: webhookRoutes })
  const { deps } = gateway

  return {
    ...gateway,
    /** A new wallet. */
    async listener() {
      const member = await gateway.member()
      const ask = <Body = Record<string, unknown>>(
        method: NonNullable<Sent['method']>,
        path: string,
        body?: unknown,
      ) => member.ask<Body>(method, `/webhooks${path}`, body)
      return {
        ...member,
        ask,
        /** Registers a webhook; throws if it is refused. */
        async register(target: string, events: readonly string[] = ['balance.low']) {
          const { status, body } = await ask<{ webhook: ShownWebhook; secret: string }>('POST', '', {
            url: target,
            events,
          })
          expect(status).toBe(200)
          return { id: body.webhook.id, secret: body.secret, webhook: body.webhook }
        },
        async deliveries(id: string): Promise<readonly ShownDelivery[]> {
          const { body } = await ask<{ deliveries: ShownDelivery[] }>('GET', `/${id}/deliveries?limit=100`)
          return body.deliveries
        },
        async webhook(id: string): Promise<ShownWebhook | undefined> {
          const { body } = await ask<{ webhooks: ShownWebhook[] }>('GET', '')
          return body.webhooks.find(webhook => webhook.id === id)
        },
      }
    },
    /** Announces events in a transaction of its own. */
    announce: (...reported: Announcement[]) =>
      deps.db.transaction(async tx => void announce(deps, tx, reported)),
    /** Delivers everything that is due; throws if a delivery attempt was lost. */
    async deliver(more: Partial<Deps> = {}) {
      const lost: unknown[] = []
      const log = { ...deps.log, warn: (fields: Record<string, unknown>) => void lost.push(fields.err) }
      await deliverDue({ ...deps, log, ...more }, new AbortController().signal)
      if (lost.length > 0) throw new Error('Turns were lost.', { cause: lost[0] })
    },
  }
}

/** Returns an event of a low balance. */
export const lowBalance = (owner: string, onceKey?: string): Announcement => ({
  owner,
  type: 'balance.low',
  data: {
    balanceUsdc: '0.990000',
    availableUsdc: '0.980000',
    heldUsdc: '0.010000',
    thresholdUsdc: '1.000000',
  },
  ...(onceKey !== undefined && { onceKey }),
})

/** Returns an event of a failed call. */
export const failedCall = (owner: string, number: number): Announcement => ({
  owner,
  type: 'invocation.failed',
  data: {
    invocationId: `inv_${number}`,
    credentialId: 'cred_1',
    serviceId: 'svc_1',
    status: 'FAILED_FINAL',
    errorCode: 'UPSTREAM_ERROR',
    attempts: 1,
    latencyMs: 12,
  },
})
