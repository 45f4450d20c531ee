import type { ErrorCode } from '@farebox/wire/errors'
import { EXCERPT_LENGTH_MAX, type ForumCategory, type SupportStatus } from '@farebox/wire/forum'

/** The signed-in reader or author; null without a session. */
export type Reader = { readonly wallet: string; readonly isAdmin: boolean } | null

/** Maximum number of topics and replies of a wallet per hour, over all gateways. */
export const WRITES_PER_HOUR = { topics: 100, replies: 300 } as const

const WRITTEN_BY_ADMINS: ReadonlySet<ForumCategory> = new Set(['announcements', 'support'])
const READ_BY_ADMINS: ReadonlySet<ForumCategory> = new Set(['support'])

/** Returns true if a reader may read a board. */
export function mayRead(reader: Reader, category: ForumCategory): boolean {
  return reader?.isAdmin === true || !READ_BY_ADMINS.has(category)
}

/** Returns true if a reader may open topics on a board. Every reader of a board may reply there. */
export function mayOpenTopics(reader: Reader, category: ForumCategory): boolean {
  return reader?.isAdmin === true || !WRITTEN_BY_ADMINS.has(category)
}

/** Returns why a reply to a topic is refused, or null. A topic that the author may not read counts as not found. */
export function judgeReply(
  topic: { category: ForumCategory; locked: boolean } | undefined,
  author: Reader,
): ErrorCode | null {
  if (topic === undefined || !mayRead(author, topic.category)) return 'TOPIC_NOT_FOUND'
  return topic.locked ? 'TOPIC_LOCKED' : null
}

/** Transitions of a support task. Closing a closed task has no effect. */
export const NEXT: { readonly [Status in SupportStatus]: readonly SupportStatus[] } = {
  open: ['closed'],
  closed: [],
}

/** Returns the beginning of a text on one line, cut between characters. */
export function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return shorten(line, EXCERPT_LENGTH_MAX)
}

/** Shortens a text to a number of UTF-16 code units, with an ellipsis if it was cut. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  let cut = text.slice(0, lengthMax - 1)
  // Do not keep half of a surrogate pair.
  if (!cut.isWellFormed()) cut = cut.slice(0, -1)
  return `${cut.trimEnd()}…`
}
