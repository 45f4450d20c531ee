import { z } from 'zod'
import {
  clamped,
  countOut,
  cursorIn,
  exampleId,
  idOut,
  isoTime,
  LIST_LIMIT_MAX,
  limitIn,
  listOrder,
  nextCursor,
  pageIn,
  pathIdIn,
  plainText,
  success,
  textOut,
  walletOut,
} from '../common.ts'
import { fitsInLine } from './names.ts'

/** Maximum length of a title, in UTF-16 code units. */
const TITLE_LENGTH_MAX = 200
/** Maximum length of a topic or a reply, in UTF-16 code units. */
const BODY_LENGTH_MAX = 20_000
/** Maximum length of an excerpt, in UTF-16 code units, including the ellipsis. */
export const EXCERPT_LENGTH_MAX = 240
const QUERY_LENGTH_MAX = 200
const PAGE_SIZE_MAX = 50
const PAGE_SIZE_DEFAULT = 20
/** Topics on later pages are found by search only. */
const PAGE_MAX = 10_000
const NOTE_LENGTH_MAX = 2_000
const USERNAME_LENGTH_MAX = 200

/** Boards of the forum. Only admins write on `announcements`; only admins read and write `support`. */
const forumCategory = z.enum(['general', 'providers', 'agents', 'announcements', 'support'])
export type ForumCategory = z.output<typeof forumCategory>

/** Sort orders of the list. */
const forumSort = z.enum(['latest', 'top'])
export type ForumSort = z.output<typeof forumSort>

const notBlank = (text: string) => text.trim() !== ''
const titleIn = plainText({ min: 1, max: TITLE_LENGTH_MAX })
  .refine(notBlank, 'Must not be blank.')
  .refine(fitsInLine, 'Must be one line, without direction overrides and stacked marks.')
const bodyIn = plainText({ min: 1, max: BODY_LENGTH_MAX }).refine(notBlank, 'Must not be blank.')

/** Query of `GET /forum/topics`. */
export const listTopicsIn = z.object({
  page: clamped({ min: 1, max: PAGE_MAX, absent: 1 }),
  pageSize: clamped({ min: 1, max: PAGE_SIZE_MAX, absent: PAGE_SIZE_DEFAULT }),
  category: forumCategory.optional(),
  q: plainText({ min: 0, max: QUERY_LENGTH_MAX }).optional(),
  sort: forumSort.default('latest'),
})
export type ListTopics = z.output<typeof listTopicsIn>

/** Body of `POST /forum/topics`. */
export const createTopicIn = z.object({ title: titleIn, category: forumCategory, body: bodyIn })

/** Body of `POST /forum/topics/:topicId/replies`. */
export const createReplyIn = z.object({ body: bodyIn })

/** Path of a topic. */
export const topicPathIn = z.object({ topicId: pathIdIn('top') })
/** Path of a reply. */
export const replyPathIn = z.object({ replyId: pathIdIn('rep') })
/** Query of `GET /forum/topics/:topicId`: paging of the replies. */
export const readTopicIn = pageIn

/** Author. Without a wallet the author is unknown, as for the topic of an unsigned report. */
const author = z.object({
  walletAddress: walletOut.nullable(),
  username: textOut(USERNAME_LENGTH_MAX),
  isStaff: z.boolean().meta({ description: 'Whether this is a wallet of the operator of the gateway.' }),
  isProvider: z.boolean().optional().meta({ description: 'Whether the author has registered a service.' }),
})
export type Author = z.output<typeof author>

const topicFields = {
  topicId: idOut('top'),
  title: textOut(TITLE_LENGTH_MAX),
  category: forumCategory,
  excerpt: textOut(EXCERPT_LENGTH_MAX),
  author,
  replyCount: countOut,
  voteCount: countOut,
  createdAt: isoTime,
  lastActivityAt: isoTime,
  pinned: z.boolean(),
  locked: z.boolean(),
}
/** A topic in lists. Its text is as the author wrote it: escape it before inserting it into HTML. */
const topicOut = z.object(topicFields)
export type Topic = z.output<typeof topicOut>

const replyOut = z.object({
  replyId: idOut('rep'),
  topicId: idOut('top'),
  author,
  body: textOut(BODY_LENGTH_MAX),
  createdAt: isoTime,
})
export type Reply = z.output<typeof replyOut>

/** Answer of `GET /forum/topics`. */
export const topicsPage = z.object({
  status: success,
  topics: z.array(topicOut).max(PAGE_SIZE_MAX),
  pagination: z.object({
    total: countOut,
    page: z.int().min(1).max(PAGE_MAX),
    pageSize: z.int().min(1).max(PAGE_SIZE_MAX),
  }),
})
export type TopicsPage = z.output<typeof topicsPage>

/** Answer of `POST /forum/topics` and of admins' changes of a topic. */
export const topicAnswer = z.object({ status: success, topic: topicOut })

/** Answer of `GET /forum/topics/:topicId`: the topic with its text, the caller's vote, and a page of replies. */
export const topicRead = z.object({
  status: success,
  topic: z.object({ ...topicFields, body: textOut(BODY_LENGTH_MAX), voted: z.boolean() }),
  replies: z.array(replyOut).max(LIST_LIMIT_MAX),
  nextCursor,
})
export type TopicRead = z.output<typeof topicRead>

/** Answer of `POST /forum/topics/:topicId/replies`. */
export const replyAnswer = z.object({ status: success, reply: replyOut })

/** Answer of `POST` and `DELETE /forum/topics/:topicId/vote`. */
export const voteAnswer = z.object({
  status: success,
  topicId: idOut('top'),
  voted: z.boolean(),
  voteCount: countOut,
})
export type VoteAnswer = z.output<typeof voteAnswer>

/** Answer of `DELETE /admin/forum/topics/:topicId`. */
export const topicRemoved = z.object({ status: success, topicId: idOut('top') })
/** Answer of `DELETE /admin/forum/replies/:replyId`. */
export const replyRemoved = z.object({ status: success, replyId: idOut('rep'), topicId: idOut('top') })

/** Status of a support task. */
const supportStatus = z.enum(['open', 'closed'])
export type SupportStatus = z.output<typeof supportStatus>
/** Subject of a support task. */
const supportCategory = z.enum(['bug', 'billing', 'account', 'abuse'])
export type SupportCategory = z.output<typeof supportCategory>

/** Query of `GET /admin/support-tasks`. */
export const listSupportTasksIn = z.object({
  limit: limitIn,
  cursor: cursorIn,
  status: supportStatus.optional(),
  order: listOrder,
})
/** Path of a support task. */
export const supportTaskPathIn = z.object({ taskId: pathIdIn('task') })
/** Body of `POST /admin/support-tasks/:taskId/close`. */
export const closeSupportTaskIn = z.object({
  note: plainText({ min: 1, max: NOTE_LENGTH_MAX }).refine(notBlank, 'Must not be blank.'),
})

/** A support task: work on a topic of the `support` board. */
const supportTask = z.object({
  taskId: idOut('task'),
  topicId: idOut('top'),
  category: supportCategory,
  status: supportStatus,
  title: textOut(TITLE_LENGTH_MAX),
  message: textOut(BODY_LENGTH_MAX),
  report: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Other members of the report: feedbackId, source, route, context.' }),
  walletAddress: walletOut.nullable().meta({ description: 'Who sent the report; null: unsigned.' }),
  note: textOut(NOTE_LENGTH_MAX).nullable(),
  closedBy: walletOut.nullable(),
  closedAt: isoTime.nullable(),
  createdAt: isoTime,
})
export type SupportTask = z.output<typeof supportTask>

/** Answer of `GET /admin/support-tasks`. */
export const supportTasksPage = z.object({
  status: success,
  tasks: z.array(supportTask).max(LIST_LIMIT_MAX),
  nextCursor,
})
/** Answer of `GET /admin/support-tasks/:taskId` and of closing it. */
export const supportTaskAnswer = z.object({ status: success, task: supportTask })

const exampleAuthor: Author = {
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  username: 'ada',
  isStaff: false,
  isProvider: true,
}

/** Example of a topic. */
export const exampleTopic: Topic = {
  topicId: exampleId('top'),
  title: 'Which timeout do you use for slow targets?',
  category: 'providers',
  excerpt: 'Mine answers in 20 seconds at worst …',
  author: exampleAuthor,
  replyCount: 1,
  voteCount: 3,
  createdAt: '2026-11-21T09:00:00.000Z',
  lastActivityAt: '2026-11-21T09:30:00.000Z',
  pinned: false,
  locked: false,
}

/** Example of a reply. */
export const exampleReply: Reply = {
  replyId: exampleId('rep'),
  topicId: exampleId('top'),
  author: exampleAuthor,
  body: 'Thirty seconds, and a health check of five.',
  createdAt: '2026-11-21T09:30:00.000Z',
}

/** Example of a support task. */
export const exampleSupportTask: SupportTask = {
  taskId: exampleId('task'),
  topicId: exampleId('top'),
  category: 'billing',
  status: 'open',
  title: 'billing: I was charged twice for one call.',
  message: 'I was charged twice for one call.',
  report: { feedbackId: exampleId('fb'), source: 'console', sentiment: 'not_helpful', route: '/usage' },
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  note: null,
  closedBy: null,
  closedAt: null,
  createdAt: '2026-11-21T09:00:00.000Z',
}
