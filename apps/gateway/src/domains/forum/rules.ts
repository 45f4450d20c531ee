import type { ErrorCode } from '@farebox/wire/errors'
import { EXCERPT_LENGTH_MAX, type ForumCategory, type SupportStatus } from '@farebox/wire/forum'

/** Who looks or writes: null is nobody in particular. */
export type Reader = { readonly wallet: string; readonly isAdmin: boolean } | null

/** What a wallet may write within an hour, over all gateways. */
export const WRITES_PER_HOUR = { topics: 100, replies: 300 } as const

const WRITTEN_BY_ADMINS: ReadonlySet<ForumCategory> = new Set(['announcements', 'support'])
const READ_BY_ADMINS: ReadonlySet<ForumCategory> = new Set(['support'])

/** Whether somebody may read a board. */
export function mayRead(reader: Reader, category: ForumCategory): boolean {
  return reader?.isAdmin === true || !READ_BY_ADMINS.has(category)
}

/** Whether somebody may open topics on a board. Whoever may read it may reply there. */
export function mayOpenTopics(reader: Reader, category: ForumCategory): boolean {
  return reader?.isAdmin === true || !WRITTEN_BY_ADMINS.has(category)
}

/** Why a reply to a topic is refused; null when it is not. A topic that one may not read is not there. */
export function judgeReply(
  topic: { category: ForumCategory; locked: boolean } | undefined,
  author: Reader,
): ErrorCode | null {
  if (topic === undefined || !mayRead(author, topic.category)) return 'TOPIC_NOT_FOUND'
  return topic.locked ? 'TOPIC_LOCKED' : null
}

/** The ways of a support task. Closing a closed one again changes nothing. */
export const NEXT: { readonly [Status in SupportStatus]: readonly SupportStatus[] } = {
  open: ['closed'],
  closed: [],
}

/** The beginning of a text on one line, cut between characters. */
export function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return shorten(line, EXCERPT_LENGTH_MAX)
}

/** A text of at most so many UTF-16 code units, with an ellipsis where it was cut. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  let cut = text.slice(0, lengthMax - 1)
  // Half of a surrogate pair is no text.
  if (!cut.isWellFormed()) cut = cut.slice(0, -1)
  return `${cut.trimEnd()}…`
}
