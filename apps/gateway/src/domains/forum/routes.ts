import {
  createReplyIn,
  createTopicIn,
  exampleReply,
  exampleTopic,
  listTopicsIn,
  readTopicIn,
  replyAnswer,
  topicAnswer,
  topicPathIn,
  topicRead,
  topicsPage,
  voteAnswer,
} from '@farebox/wire/forum'
import type { App } from '../../app.ts'
import { limitPerClient } from '../../http/limits/rate-limit.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { optionalOwnerGuard, ownerGuard, ownerOf } from '../auth/require-owner.ts'
import { createReply } from './create-reply.ts'
import { createTopic } from './create-topic.ts'
import { listTopics } from './list-topics.ts'
import { readTopic } from './read-topic.ts'
import { NEAR_MAX } from './store.ts'
import { voteTopic } from './vote-topic.ts'

type ForumDeps = Pick<Deps, 'db' | 'publicDb' | 'clientRates' | 'ids' | 'clock' | 'config' | 'secretBox'>

const WRITES_PER_CLIENT = { name: 'forum-writes', quota: 600, windowSeconds: 3_600 }
const tag = 'Forum'

/** Registers the routes of the forum below `/api/v1`. */
export function forumRoutes(app: App, deps: ForumDeps): void {
  readingRoutes(app, { ...deps, db: deps.publicDb })
  const onRequest = [limitPerClient(deps.clock, WRITES_PER_CLIENT), ownerGuard(deps)]
  writingRoutes(app, deps, onRequest)
  votingRoutes(app, deps, onRequest)
}

type Guards = ReturnType<typeof ownerGuard>[]

function readingRoutes(app: App, deps: ForumDeps): void {
  const quota = deps.config.SEARCHES_PER_MINUTE
  const onRequest = [limitPublic(deps, { name: 'forum', quota, windowSeconds: 60 }), optionalOwnerGuard(deps)]

  app.get(
    '/forum/topics',
    {
      ...contract(
        {
          id: 'listTopics',
          summary: 'List or search topics',
          description: `\`latest\` lists pinned topics, then the newest activity; \`top\` the most votes. \`q\` searches titles and texts; without a match it finds up to ${NEAR_MAX} topics with similar titles. Without \`category\` the list covers every public board; only admins can list \`support\`. Titles and excerpts are user text: escape them in pages.`,
          tag,
          access: 'anyone',
          errors: ['FORBIDDEN', 'RATE_LIMITED'],
          answer: topicsPage,
          example: {
            status: 'success',
            topics: [exampleTopic],
            pagination: { total: 1, page: 1, pageSize: 20 },
          },
        },
        { querystring: listTopicsIn },
      ),
      onRequest,
    },
    request => listTopics(deps, request.query, request.owner ?? null),
  )

  app.get(
    '/forum/topics/:topicId',
    {
      ...contract(
        {
          id: 'readTopic',
          summary: 'Read a topic and its replies, oldest first',
          description: 'Texts are user text: escape them in pages.',
          tag,
          access: 'anyone',
          errors: ['TOPIC_NOT_FOUND', 'RATE_LIMITED'],
          answer: topicRead,
          example: {
            status: 'success',
            topic: { ...exampleTopic, body: 'Mine answers in 20 seconds at worst.', voted: false },
            replies: [exampleReply],
            nextCursor: null,
          },
        },
        { params: topicPathIn, querystring: readTopicIn },
      ),
      onRequest,
    },
    request => {
      const { limit, cursor } = request.query
      return readTopic(deps, { topicId: request.params.topicId, limit, cursor }, request.owner ?? null)
    },
  )
}

function writingRoutes(app: App, deps: ForumDeps, onRequest: Guards): void {
  app.post(
    '/forum/topics',
    {
      ...contract(
        {
          id: 'createTopic',
          summary: 'Open a topic',
          description: 'Only admins can post on `announcements` and `support`.',
          tag,
          access: 'wallet',
          errors: ['FORBIDDEN', 'RATE_LIMITED'],
          answer: topicAnswer,
          example: { status: 'success', topic: exampleTopic },
          exampleBody: {
            title: 'Which timeout do you use for slow targets?',
            category: 'providers',
            body: 'Mine answers in 20 seconds at worst.',
          },
        },
        { body: createTopicIn },
      ),
      onRequest,
    },
    async request => ({
      status: 'success',
      topic: await createTopic(deps, request.body, ownerOf(request)),
    }),
  )

  app.post(
    '/forum/topics/:topicId/replies',
    {
      ...contract(
        {
          id: 'createReply',
          summary: 'Reply to a topic',
          description: 'Moves the topic to the top of the list. A locked topic takes no replies.',
          tag,
          access: 'wallet',
          errors: ['TOPIC_NOT_FOUND', 'TOPIC_LOCKED', 'RATE_LIMITED'],
          answer: replyAnswer,
          example: { status: 'success', reply: exampleReply },
          exampleBody: { body: 'Thirty seconds, and a health check of five.' },
        },
        { params: topicPathIn, body: createReplyIn },
      ),
      onRequest,
    },
    async request => {
      const { topicId } = request.params
      const reply = await createReply(deps, { topicId, body: request.body.body }, ownerOf(request))
      return { status: 'success', reply }
    },
  )
}

function votingRoutes(app: App, deps: ForumDeps, onRequest: Guards): void {
  app.post(
    '/forum/topics/:topicId/vote',
    {
      ...contract(
        {
          id: 'voteTopic',
          summary: 'Vote for a topic',
          description: 'One vote per wallet; voting again changes nothing.',
          tag,
          access: 'wallet',
          errors: ['TOPIC_NOT_FOUND', 'RATE_LIMITED'],
          answer: voteAnswer,
          example: { status: 'success', topicId: exampleTopic.topicId, voted: true, voteCount: 4 },
        },
        { params: topicPathIn },
      ),
      onRequest,
    },
    request => voteTopic(deps, { topicId: request.params.topicId, isFor: true }, ownerOf(request)),
  )

  app.delete(
    '/forum/topics/:topicId/vote',
    {
      ...contract(
        {
          id: 'unvoteTopic',
          summary: 'Remove a vote',
          description: 'Without a vote it changes nothing.',
          tag,
          access: 'wallet',
          errors: ['TOPIC_NOT_FOUND', 'RATE_LIMITED'],
          answer: voteAnswer,
          example: { status: 'success', topicId: exampleTopic.topicId, voted: false, voteCount: 3 },
        },
        { params: topicPathIn },
      ),
      onRequest,
    },
    request => voteTopic(deps, { topicId: request.params.topicId, isFor: false }, ownerOf(request)),
  )
}
