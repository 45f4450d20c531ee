import { GatewayError } from '@farebox/wire/errors'
import { invocationPathIn } from '@farebox/wire/invocation'
import { earnedIn, earnedPage, reportedUsage, usageReportIn } from '@farebox/wire/usage'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import { type ProviderGuard, providerOf, requireProvider } from '../secrets/require-provider.ts'
import * as examples from './examples.ts'
import type { InvocationDeps } from './invoke-service.ts'
import { reportUsage } from './pricing/report-usage.ts'
import { readUsageBlock } from './pricing/usage-rules.ts'
import { listEarned } from './records/list-usage.ts'
import { readEarned } from './records/read-invocation.ts'

const common = { tag: 'Provider side', access: 'providerSecret' } as const

/** Routes for provider secrets: earning calls and late usage reports. */
export function providerInvocationRoutes(
  app: App,
  deps: InvocationDeps & { readonly providers: ProviderGuard },
): void {
  const onRequest = requireProvider(deps.providers)

  app.get(
    '/provider/invocations',
    {
      ...contract(
        {
          ...common,
          id: 'listProviderInvocations',
          summary: "List the calls of the provider's services",
          description:
            'Newest first, with earnings. `status=PROCESSING` lists the calls whose usage is pending.',
          answer: earnedPage,
          example: examples.earnedCalls,
        },
        { querystring: earnedIn },
      ),
      onRequest,
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const { wallet: provider } = providerOf(request)
      return { status: 'success', ...(await listEarned(deps, { provider, filter, cursor, limit })) }
    },
  )

  app.post(
    '/provider/invocations/:id/usage',
    {
      ...contract(
        {
          ...common,
          id: 'reportUsage',
          summary: 'Report the final usage of a call',
          description:
            'Charges a PROCESSING call. The body has `{inputTokens, outputTokens}`, directly or in `usage`, or a usage block of OpenAI or Anthropic. The call is charged once, at its quoted prices and never above its hold; the same report again changes nothing. Without a report the hold is released after 15 minutes.',
          errors: [
            'INVOCATION_NOT_FOUND',
            'IDEMPOTENCY_IN_PROGRESS',
            'USAGE_ALREADY_FINAL',
            'INVALID_STATE',
            'BUDGET_EXHAUSTED',
          ],
          answer: reportedUsage,
          example: examples.reported,
          exampleBody: { inputTokens: 412, outputTokens: 96 },
        },
        { params: invocationPathIn, body: usageReportIn },
      ),
      onRequest,
    },
    async request => {
      const { wallet: provider, secretId } = providerOf(request)
      const { id: invocationId } = request.params
      const usage = readUsageBlock(request.body.usage ?? request.body)
      if (usage === null || usage.statedTotalTokens !== undefined) {
        const message = 'Must be inputTokens and outputTokens as whole numbers that add up.'
        throw new GatewayError('INVALID_PAYLOAD', { issues: [{ path: 'usage', message }] }, { message })
      }
      await reportUsage(deps, { invocationId, provider, secretId, usage })
      return { status: 'success', invocation: await readEarned(deps, invocationId, provider) }
    },
  )
}
