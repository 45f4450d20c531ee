import type { FeedbackCategory, FeedbackIn } from '@farebox/wire/feedback'
import sql from 'sql-template-tag'
import type { Tx } from '../../ports.ts'
import type { Json } from '../redaction/redact.ts'

/** A report, with secrets removed. */
export type Report = Pick<FeedbackIn, 'source' | 'sentiment' | 'message'> & {
  readonly id: string
  readonly wallet: string | null
  readonly category: FeedbackCategory
  readonly route: string | null
  readonly context: Json
  readonly isRedacted: boolean
}

/**
 * Returns the number of reports of a wallet within the last hour. Serializes reports of the wallet until the
 * transaction ends, so that no two see the same count.
 */
export async function countRecentReports(
  tx: Tx,
  wallet: string,
): Promise<{ count: number; oldestAgeSeconds: number }> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`feedback ${wallet}`}, 0))`)
  const [row] = await tx.query<{ count: number; age: number }>(sql`
    select count(*)::int as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
    from feedback_reports where wallet = ${wallet} and created_at > now() - interval '1 hour'`)
  return { count: row?.count ?? 0, oldestAgeSeconds: row?.age ?? 0 }
}

/** Inserts a report. */
export async function insertReport(tx: Tx, report: Report, supportTaskId: string | null): Promise<void> {
  const { id, wallet, source, sentiment, category, route, message, context, isRedacted } = report
  await tx.query(sql`
    insert into feedback_reports
      (id, wallet, source, sentiment, category, route, message, context, redacted, support_task_id)
    values (${id}, ${wallet}, ${source}, ${sentiment}, ${category}, ${route}, ${message},
      ${context === null ? null : JSON.stringify(context)}::jsonb, ${isRedacted}, ${supportTaskId})`)
}
