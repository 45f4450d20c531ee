import { exampleId } from '@farebox/wire/common'
import { feedbackAnswer, feedbackIn } from '@farebox/wire/feedback'
import type { App } from '../../app.ts'
import { limitPublic } from '../../http/limits/shared-rate-limit.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { optionalOwnerGuard } from '../auth/require-owner.ts'
import { REPORTS_PER_HOUR } from './rules.ts'
import { submitReport } from './submit-report.ts'

/** Registers the routes of user feedback below `/api/v1`. */
export function feedbackRoutes(
  app: App,
  deps: Pick<Deps, 'db' | 'clientRates' | 'ids' | 'clock' | 'config' | 'secretBox'>,
): void {
  const limited = limitPublic(deps, { name: 'feedback', quota: REPORTS_PER_HOUR, windowSeconds: 3_600 })

  app.post(
    '/feedback',
    {
      ...contract(
        {
          id: 'submitFeedback',
          summary: 'Send feedback',
          description: `The session token of a wallet is optional; it links the report to the wallet. Mail addresses, tokens, keys, seed phrases, signatures and card numbers are redacted from message, route and context before they are stored. The hash of a transaction stays if it is written with \`0x\` and named as one ("transaction 0x…", \`txHash\`): otherwise it looks like a private key. \`bug\`, \`billing\`, \`account\` and \`abuse\` open a support task. ${REPORTS_PER_HOUR} an hour per client and per wallet.`,
          tag: 'Feedback',
          access: 'anyone',
          errors: ['RATE_LIMITED'],
          answer: feedbackAnswer,
          example: {
            status: 'success',
            feedbackId: exampleId('fb'),
            redacted: false,
            supportCaseCreated: true,
            supportTaskId: exampleId('task'),
          },
          exampleBody: {
            source: 'docs',
            sentiment: 'not_helpful',
            category: 'bug',
            route: '/docs/invoke',
            message: 'The second example answers PRICE_MISMATCH.',
            context: { pageTitle: 'Invoke a service' },
          },
        },
        { body: feedbackIn },
      ),
      onRequest: optionalOwnerGuard(deps),
      // Limited after validation, so that invalid requests do not count.
      preHandler: limited,
    },
    request => submitReport(deps, request.body, request.owner?.wallet ?? null),
  )
}
