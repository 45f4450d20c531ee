import type { Author, Reply, SupportTask, Topic } from '@farebox/wire/forum'
import { getAddress } from 'viem'
import type { Deps, Queryable } from '../../ports.ts'
import { readNames } from '../auth/read-names.ts'
import { isAdminWallet } from '../auth/require-admin.ts'
import { excerptOf } from './rules.ts'
import type { ReplyRow, TopicRow } from './store.ts'
import type { SupportTaskRow } from './support-store.ts'

/** Name of an unknown author. */
const NOBODY = 'anonymous'

/** Returns the author for a wallet. */
export type Authors = (wallet: string | null) => Author

/** Reads the authors of a page in one query, and marks staff. Users choose their names; the mark cannot be forged. */
export async function readAuthors(
  { db, config }: Pick<Deps, 'config'> & { readonly db: Queryable },
  written: readonly { readonly author: string | null }[],
): Promise<Authors> {
  const names = await readNames(
    db,
    written.flatMap(({ author }) => (author === null ? [] : [author])),
  )
  return wallet =>
    wallet === null
      ? { walletAddress: null, username: NOBODY, isStaff: false, isProvider: false }
      : {
          walletAddress: getAddress(wallet),
          username: names.get(wallet)?.username ?? NOBODY,
          isStaff: isAdminWallet(config, wallet),
          isProvider: names.get(wallet)?.isProvider ?? false,
        }
}

/** Formats a topic for a list. */
export function presentTopic(row: TopicRow, authors: Authors): Topic {
  return {
    topicId: row.id,
    title: row.title,
    category: row.category,
    excerpt: excerptOf(row.body),
    author: authors(row.author),
    replyCount: row.replyCount,
    voteCount: row.voteCount,
    createdAt: row.createdAt.toISOString(),
    lastActivityAt: row.lastActivityAt.toISOString(),
    pinned: row.pinned,
    locked: row.locked,
  }
}

/** Formats a reply for a response. */
export function presentReply(row: ReplyRow, authors: Authors): Reply {
  return {
    replyId: row.id,
    topicId: row.topicId,
    author: authors(row.author),
    body: row.body,
    createdAt: row.createdAt.toISOString(),
  }
}

/** Formats a support task for a response. */
export function presentTask(row: SupportTaskRow): SupportTask {
  return {
    taskId: row.id,
    topicId: row.topicId,
    category: row.category,
    status: row.status,
    title: row.title,
    message: row.message,
    report: row.report,
    walletAddress: row.author === null ? null : getAddress(row.author),
    note: row.note,
    closedBy: row.closedBy === null ? null : getAddress(row.closedBy),
    closedAt: row.closedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
