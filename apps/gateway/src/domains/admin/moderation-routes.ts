import {
  exampleReply,
  exampleTopic,
  replyPathIn,
  replyRemoved,
  topicAnswer,
  topicPathIn,
  topicRemoved,
} from '@farebox/wire/forum'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { adminGuard } from '../auth/require-admin.ts'
import { ownerOf } from '../auth/require-owner.ts'
import {
  type Moderation,
  moderateTopic,
  type OnModerated,
  removeReply,
  removeTopic,
} from '../forum/moderate-topic.ts'
import { recordAct } from './record-act.ts'

const acts: { readonly [Act in Moderation]: { id: string; summary: string; description: string } } = {
  pin: {
    id: 'pinTopic',
    summary: 'Pin a topic',
    description: 'It is listed before newer topics.',
  },
  unpin: {
    id: 'unpinTopic',
    summary: 'Unpin a topic',
    description: 'It is listed by its activity again.',
  },
  lock: {
    id: 'lockTopic',
    summary: 'Lock a topic',
    description: 'It takes no replies until it is unlocked.',
  },
  unlock: {
    id: 'unlockTopic',
    summary: 'Unlock a topic',
    description: 'It takes replies again.',
  },
}
const tag = 'Admin'
const access = 'admin'

/** Registers the routes for moderating the forum below `/api/v1`. */
export function moderationRoutes(app: App, deps: ModerationDeps): void {
  const onRequest = adminGuard(deps)
  pinAndLock(app, deps, onRequest)
  takeDown(app, deps, onRequest)
}

type ModerationDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'config'>
type Guard = ReturnType<typeof adminGuard>

function pinAndLock(app: App, deps: ModerationDeps, onRequest: Guard): void {
  for (const act of ['pin', 'unpin', 'lock', 'unlock'] as const) {
    app.post(
      `/admin/forum/topics/:topicId/${act}`,
      {
        ...contract(
          {
            ...acts[act],
            tag,
            access,
            errors: ['TOPIC_NOT_FOUND'],
            answer: topicAnswer,
            example: { status: 'success', topic: exampleTopic },
          },
          { params: topicPathIn },
        ),
        onRequest,
      },
      async request => {
        const { topicId } = request.params
        const { wallet: actor } = ownerOf(request)
        const onModerated = audited(deps, { actor, action: `topic.${act}`, target: topicId })
        return { status: 'success', topic: await moderateTopic(deps, { topicId, act }, onModerated) }
      },
    )
  }
}

function takeDown(app: App, deps: ModerationDeps, onRequest: Guard): void {
  app.delete(
    '/admin/forum/topics/:topicId',
    {
      ...contract(
        {
          id: 'removeTopic',
          summary: 'Remove a topic',
          description: 'It is no longer shown, but stays stored.',
          tag,
          access,
          errors: ['TOPIC_NOT_FOUND'],
          answer: topicRemoved,
          example: { status: 'success', topicId: exampleTopic.topicId },
        },
        { params: topicPathIn },
      ),
      onRequest,
    },
    async request => {
      const { topicId } = request.params
      const { wallet: actor } = ownerOf(request)
      await removeTopic(deps, topicId, audited(deps, { actor, action: 'topic.remove', target: topicId }))
      return { status: 'success', topicId }
    },
  )

  app.delete(
    '/admin/forum/replies/:replyId',
    {
      ...contract(
        {
          id: 'removeReply',
          summary: 'Remove a reply',
          description: 'It is no longer shown, but stays stored. An unknown one is NOT_FOUND.',
          tag,
          access,
          errors: ['NOT_FOUND'],
          answer: replyRemoved,
          example: { status: 'success', replyId: exampleReply.replyId, topicId: exampleReply.topicId },
        },
        { params: replyPathIn },
      ),
      onRequest,
    },
    async request => {
      const { replyId } = request.params
      const { wallet: actor } = ownerOf(request)
      const onModerated = audited(deps, { actor, action: 'reply.remove', target: replyId })
      const { topicId } = await removeReply(deps, replyId, onModerated)
      return { status: 'success', replyId, topicId }
    },
  )
}

/** Records an act in the audit log, in the transaction of the act. */
function audited(
  deps: Pick<Deps, 'ids'>,
  act: { actor: string; action: string; target: string },
): OnModerated<unknown> {
  return (tx, change) => recordAct(deps, tx, { ...act, ...change, reason: null })
}
