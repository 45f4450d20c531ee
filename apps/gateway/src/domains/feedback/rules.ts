import type { FeedbackCategory } from '@farebox/wire/feedback'
import type { SupportCategory } from '@farebox/wire/forum'

/** Reports that one client, and one wallet, may send within an hour. */
export const REPORTS_PER_HOUR = 10

const actionable: { readonly [Category in FeedbackCategory]: SupportCategory | null } = {
  bug: 'bug',
  billing: 'billing',
  account: 'account',
  abuse: 'abuse',
  docs_issue: null,
  feature_request: null,
  other: null,
}

/** What support has to do about reports of a category; null: nothing. */
export function supportCategoryOf(category: FeedbackCategory): SupportCategory | null {
  return actionable[category]
}
