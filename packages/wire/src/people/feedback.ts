import { z } from 'zod'
import { idOut, isDeeperThan, plainText, success } from '../common.ts'

/** Maximum length of a message, in UTF-16 code units. */
const MESSAGE_LENGTH_MAX = 4_000
const ROUTE_LENGTH_MAX = 2_000
/** Maximum length of a context as JSON, in UTF-16 code units. */
const CONTEXT_LENGTH_MAX = 16_384
const CONTEXT_DEPTH_MAX = 20

/** Origin of a report. */
const feedbackSource = z.enum(['docs', 'console', 'api', 'agent'])
/** Verdict of the sender. */
const feedbackSentiment = z.enum(['helpful', 'not_helpful', 'neutral'])
/** Subject of a report. */
const feedbackCategory = z.enum([
  'docs_issue',
  'bug',
  'billing',
  'account',
  'abuse',
  'feature_request',
  'other',
])
export type FeedbackCategory = z.output<typeof feedbackCategory>

/** Any JSON object that helps to understand the report, such as `{pageTitle}`. */
const context = z
  .record(z.string(), z.unknown())
  .refine(
    value => !isDeeperThan(value, CONTEXT_DEPTH_MAX),
    `Must be nested at most ${CONTEXT_DEPTH_MAX} deep.`,
  )
  .refine(
    value => isDeeperThan(value, CONTEXT_DEPTH_MAX) || JSON.stringify(value).length <= CONTEXT_LENGTH_MAX,
    `Must be at most ${CONTEXT_LENGTH_MAX} characters of JSON.`,
  )

/** Body of `POST /feedback`. `category` defaults to `other`. */
export const feedbackIn = z.object({
  source: feedbackSource,
  sentiment: feedbackSentiment,
  category: feedbackCategory.nullish(),
  route: plainText({ min: 0, max: ROUTE_LENGTH_MAX }).nullish(),
  message: plainText({ min: 1, max: MESSAGE_LENGTH_MAX }).refine(
    text => text.trim() !== '',
    'Must not be blank.',
  ),
  context: context.nullish(),
})
export type FeedbackIn = z.output<typeof feedbackIn>

/** Answer of `POST /feedback`. */
export const feedbackAnswer = z.object({
  status: success,
  feedbackId: idOut('fb'),
  redacted: z.boolean().meta({ description: 'Whether text that looked like a secret was redacted.' }),
  supportCaseCreated: z.boolean(),
  supportTaskId: idOut('task').optional().meta({ description: 'Present if a support task was created.' }),
})
export type FeedbackAnswer = z.output<typeof feedbackAnswer>
