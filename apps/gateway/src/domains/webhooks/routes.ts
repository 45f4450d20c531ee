import {
  createWebhookBody,
  deletedWebhookAnswer,
  deliveriesQuery,
  deliveryAnswer,
  deliveryParams,
  issuedWebhookAnswer,
  listDeliveriesAnswer,
  listWebhooksAnswer,
  rotateWebhookBody,
  updateWebhookBody,
  webhookAnswer,
  webhookParams,
} from '@farebox/wire/webhooks'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { createWebhook } from './create-webhook.ts'
import { deleteWebhook } from './delete-webhook.ts'
import * as examples from './examples.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listWebhooks } from './list-webhooks.ts'
import { replayDelivery } from './replay-delivery.ts'
import { rotateSecret } from './rotate-secret.ts'
import { testWebhook } from './send-test.ts'
import { updateWebhook } from './update-webhook.ts'

/**
 * Maximum number of tests, replays and changes per minute and client address, as each sends a request to a third-party
 * server: enabling a webhook ends the pause of its receiver.
 */
const SENDS_PER_MINUTE = 60

const common = { tag: 'Webhooks', access: 'wallet' } as const
const onOne = { ...common, errors: ['WEBHOOK_NOT_FOUND'] } as const
const sending = { ...common, errors: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'] } as const
const success = { status: 'success' } as const

/** Registers the routes of webhooks, for wallet sessions, below `/api/v1`. */
export function webhookRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)
  const policy = { name: 'webhook-sends', quota: SENDS_PER_MINUTE, windowSeconds: 60 }
  const limited = [onRequest, limitPerClient(deps.clock, policy)]
  subscribe(app, deps, onRequest)
  change(app, deps, limited)
  rotate(app, deps, onRequest)
  end(app, deps, onRequest)
  readDeliveries(app, deps, onRequest)
  sendAgain(app, deps, limited)
}

type Guard = ReturnType<typeof ownerGuard>

const keyOf = (request: Parameters<typeof ownerOf>[0], { id }: { id: string }) => ({
  owner: ownerOf(request).wallet,
  id,
})

function subscribe(app: App, deps: Deps, onRequest: Guard): void {
  app.post(
    '/webhooks',
    {
      ...contract(
        {
          ...common,
          id: 'createWebhook',
          summary: 'Register a webhook',
          description:
            'Events of the wallet are sent there by POST, signed by Standard Webhooks. The secret is shown only once. A wallet can have ten webhooks.',
          errors: ['UNSAFE_TARGET_URL', 'LIMIT_EXCEEDED'],
          answer: issuedWebhookAnswer,
          example: examples.issued,
          exampleBody: examples.createBody,
        },
        { body: createWebhookBody },
      ),
      onRequest,
    },
    async request => ({ ...success, ...(await createWebhook(deps, ownerOf(request).wallet, request.body)) }),
  )

  app.get(
    '/webhooks',
    {
      ...contract({
        ...common,
        id: 'listWebhooks',
        summary: 'List my webhooks',
        description: 'Newest first. Their secrets are not shown again.',
        answer: listWebhooksAnswer,
        example: examples.list,
      }),
      onRequest,
    },
    async request => ({ ...success, webhooks: await listWebhooks(deps, ownerOf(request).wallet) }),
  )
}

function change(app: App, deps: Deps, onRequest: Guard[]): void {
  app.patch(
    '/webhooks/:id',
    {
      ...contract(
        {
          ...common,
          id: 'updateWebhook',
          summary: 'Change a webhook',
          description:
            'Its URL, its events, or whether it is active. Pending deliveries will use the new URL. `isActive: true` enables a disabled webhook and resumes its pending deliveries.',
          errors: ['WEBHOOK_NOT_FOUND', 'UNSAFE_TARGET_URL', 'RATE_LIMITED'],
          answer: webhookAnswer,
          example: examples.one,
          exampleBody: examples.updateBody,
        },
        { params: webhookParams, body: updateWebhookBody },
      ),
      onRequest,
    },
    async request => ({
      ...success,
      webhook: await updateWebhook(deps, keyOf(request, request.params), request.body),
    }),
  )
}

function rotate(app: App, deps: Deps, onRequest: Guard): void {
  app.post(
    '/webhooks/:id/rotate',
    {
      ...contract(
        {
          ...onOne,
          id: 'rotateWebhookSecret',
          summary: 'Rotate the secret of a webhook',
          description:
            'Until `overlapSeconds` (default one day) have passed, deliveries have a signature by each of the two.',
          answer: issuedWebhookAnswer,
          example: { ...examples.issued, webhook: examples.one.webhook },
          exampleBody: examples.rotateBody,
        },
        { params: webhookParams, body: rotateWebhookBody },
      ),
      onRequest,
    },
    async request => ({
      ...success,
      ...(await rotateSecret(deps, keyOf(request, request.params), request.body.overlapSeconds)),
    }),
  )
}

function end(app: App, deps: Deps, onRequest: Guard): void {
  app.delete(
    '/webhooks/:id',
    {
      ...contract(
        {
          ...onOne,
          id: 'deleteWebhook',
          summary: 'Delete a webhook',
          description: 'Its pending deliveries are not sent.',
          answer: deletedWebhookAnswer,
          example: examples.deleted,
        },
        { params: webhookParams },
      ),
      onRequest,
    },
    async request => {
      await deleteWebhook(deps, keyOf(request, request.params))
      return { ...success, webhookId: request.params.id }
    },
  )
}

function readDeliveries(app: App, deps: Deps, onRequest: Guard): void {
  app.get(
    '/webhooks/:id/deliveries',
    {
      ...contract(
        {
          ...onOne,
          id: 'listWebhookDeliveries',
          summary: 'List the deliveries of a webhook',
          description: 'Newest first; stored for 30 days, at most 10,000.',
          answer: listDeliveriesAnswer,
          example: examples.deliveries,
        },
        { params: webhookParams, querystring: deliveriesQuery },
      ),
      onRequest,
    },
    async request => {
      const { status, limit, cursor } = request.query
      const page = await listDeliveries(deps, keyOf(request, request.params), { status, limit, cursor })
      return { ...success, deliveries: page.items, nextCursor: page.nextCursor }
    },
  )
}

function sendAgain(app: App, deps: Deps, onRequest: Guard[]): void {
  app.post(
    '/webhooks/:id/deliveries/:deliveryId/replay',
    {
      ...contract(
        {
          ...sending,
          id: 'replayWebhookDelivery',
          summary: 'Replay a delivery',
          description:
            'With the same `webhook-id` and body, at once; if that fails, with the full retry schedule.',
          answer: deliveryAnswer,
          example: examples.replayed,
        },
        { params: deliveryParams },
      ),
      onRequest,
    },
    async request => {
      const { deliveryId } = request.params
      return { ...success, delivery: await replayDelivery(deps, keyOf(request, request.params), deliveryId) }
    },
  )

  app.post(
    '/webhooks/:id/test',
    {
      ...contract(
        {
          ...sending,
          id: 'testWebhook',
          summary: 'Send a test event to a webhook',
          description: 'Of the type `webhook.test`. The list of deliveries shows the result.',
          answer: deliveryAnswer,
          example: examples.tested,
        },
        { params: webhookParams },
      ),
      onRequest,
    },
    async request => ({ ...success, delivery: await testWebhook(deps, keyOf(request, request.params)) }),
  )
}
