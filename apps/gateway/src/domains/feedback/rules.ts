import type { FeedbackCategory } from '@farebox/wire/feedback'
import type { SupportCategory } from '@farebox/wire/forum'

/** Maximum number of reports per hour, of one client and of one wallet. */
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

/** Returns the category of the support task for a report; null if none is needed. */
export function supportCategoryOf(category: FeedbackCategory): SupportCategory | null {
  return actionable[category]
}
