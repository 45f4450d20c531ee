import type { ListOrder } from '@farebox/wire/common'
import type { SupportCategory, SupportStatus } from '@farebox/wire/forum'
import sql, { empty } from 'sql-template-tag'
import type { Queryable, Tx } from '../../ports.ts'

/** A support task with its topic. */
export type SupportTaskRow = {
  id: string
  topicId: string
  category: SupportCategory
  status: SupportStatus
  title: string
  message: string
  author: string | null
  report: Record<string, unknown>
  note: string | null
  closedBy: string | null
  closedAt: Date | null
  createdAt: Date
}

const selection = sql`
  select s.id, s.topic_id, s.category, s.status, t.title, t.body as message, t.author, s.report, s.note, s.closed_by,
         s.closed_at, s.created_at
  from support_tasks s join forum_topics t on t.id = s.topic_id`

/** Inserts a task for a topic. */
export async function insertTask(
  tx: Tx,
  task: { id: string; topicId: string; category: SupportCategory; report: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { id, topicId, category, report } = task
  await tx.query(sql`
    insert into support_tasks (id, topic_id, category, report)
    values (${id}, ${topicId}, ${category}, ${JSON.stringify(report)}::jsonb)`)
}

/** Selects a page of tasks. */
export type TasksQuery = {
  readonly status: SupportStatus | undefined
  readonly order: ListOrder
  /** Id of the last one of the previous page. */
  readonly after: string | null
  readonly limit: number
}

/** Returns a page of tasks. */
export function readTasks(db: Queryable, query: TasksQuery): Promise<SupportTaskRow[]> {
  const { status, order, after, limit } = query
  const isOldestFirst = order === 'oldest'
  return db.query<SupportTaskRow>(sql`
    ${selection} where true
      ${status === undefined ? empty : sql`and s.status = ${status}`}
      ${after === null ? empty : isOldestFirst ? sql`and s.id > ${after}` : sql`and s.id < ${after}`}
    order by s.id ${isOldestFirst ? empty : sql`desc`} limit ${limit}`)
}

/** Returns a task. */
export async function findTask(db: Queryable, id: string): Promise<SupportTaskRow | undefined> {
  const [row] = await db.query<SupportTaskRow>(sql`${selection} where s.id = ${id}`)
  return row
}

/** Locks and returns a task. */
export async function lockTask(tx: Tx, id: string): Promise<SupportTaskRow | undefined> {
  const [row] = await tx.query<SupportTaskRow>(sql`${selection} where s.id = ${id} for update of s`)
  return row
}

/** Closes a task and locks its topic. */
export async function writeClosed(
  tx: Tx,
  closing: { id: string; note: string; closedBy: string },
): Promise<void> {
  const { id, note, closedBy } = closing
  await tx.query(sql`
    with closed as (
      update support_tasks set status = 'closed', note = ${note}, closed_by = ${closedBy}, closed_at = clock_timestamp()
      where id = ${id} returning topic_id)
    update forum_topics t set locked = true from closed where t.id = closed.topic_id`)
}
