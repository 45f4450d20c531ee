import { GatewayError } from '@farebox/wire/errors'
import type { FeedbackAnswer, FeedbackIn } from '@farebox/wire/feedback'
import type { Deps, Tx } from '../../ports.ts'
import { openSupportTask } from '../forum/open-support-task.ts'
import { redactJson, redactText } from '../redaction/redact.ts'
import { REPORTS_PER_HOUR, supportCategoryOf } from './rules.ts'
import { countRecentReports, insertReport, type Report } from './store.ts'

const HOUR_SECONDS = 3_600

/**
 * Stores a report, after removing secrets from it. Opens a support task in the same transaction if the category needs
 * one.
 *
 * @param wallet sender, lower-case; null if unknown
 * @throws GatewayError RATE_LIMITED when the wallet has reached its limit, over all gateways
 */
export async function submitReport(
  deps: Pick<Deps, 'db' | 'ids'>,
  input: FeedbackIn,
  wallet: string | null,
): Promise<FeedbackAnswer> {
  const report = withoutSecrets(input, { id: deps.ids.next('fb'), wallet })
  const taskId = await deps.db.transaction(async tx => {
    if (wallet !== null) await assertMayReport(tx, wallet)
    const id = await openTask(deps, tx, report)
    await insertReport(tx, report, id)
    return id
  })
  return {
    status: 'success',
    feedbackId: report.id,
    redacted: report.isRedacted,
    supportCaseCreated: taskId !== null,
    ...(taskId !== null && { supportTaskId: taskId }),
  }
}

function withoutSecrets(input: FeedbackIn, sender: { id: string; wallet: string | null }): Report {
  const { source, sentiment } = input
  const message = redactText(input.message)
  const route = redactText(input.route ?? '')
  const context = redactJson(input.context ?? null)
  return {
    ...sender,
    source,
    sentiment,
    category: input.category ?? 'other',
    message: message.value,
    route: route.value === '' ? null : route.value,
    context: context.value,
    isRedacted: message.isRedacted || route.isRedacted || context.isRedacted,
  }
}

async function assertMayReport(tx: Tx, wallet: string): Promise<void> {
  const { count, oldestAgeSeconds } = await countRecentReports(tx, wallet)
  if (count < REPORTS_PER_HOUR) return
  throw new GatewayError(
    'RATE_LIMITED',
    { policy: 'feedback-per-wallet', perHour: REPORTS_PER_HOUR },
    { retryAfterSeconds: Math.max(1, Math.ceil(HOUR_SECONDS - oldestAgeSeconds)) },
  )
}

async function openTask(deps: Pick<Deps, 'ids'>, tx: Tx, report: Report): Promise<string | null> {
  const category = supportCategoryOf(report.category)
  if (category === null) return null
  const { id: feedbackId, source, sentiment, route, context, isRedacted: redacted, message, wallet } = report
  const reported = { feedbackId, source, sentiment, route, context, redacted }
  return openSupportTask(deps, tx, { category, message, report: reported, wallet })
}
