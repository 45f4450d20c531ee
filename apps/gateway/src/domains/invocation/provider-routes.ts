import { GatewayError } from '@farebox/wire/errors'
import { earnedIn, invocationPathIn, usageReportIn } from '@farebox/wire/invocation'
import type { App } from '../../app.ts'
import { type ProviderGuard, providerOf, requireProvider } from '../secrets/require-provider.ts'
import type { InvocationDeps } from './invoke-service.ts'
import { listEarned } from './list-usage.ts'
import { readEarned } from './read-invocation.ts'
import { reportUsage } from './report-usage.ts'
import { readUsageBlock } from './usage-rules.ts'

/** What providers do with a secret of theirs: see the calls they earn by, and report usage late. */
export function providerInvocationRoutes(
  app: App,
  deps: InvocationDeps & { readonly providers: ProviderGuard },
): void {
  const onRequest = requireProvider(deps.providers)

  app.get('/provider/invocations', { onRequest, schema: { querystring: earnedIn } }, async request => {
    const { limit, cursor, ...filter } = request.query
    const { wallet: provider } = providerOf(request)
    return { status: 'success', ...(await listEarned(deps, { provider, filter, cursor, limit })) }
  })

  app.post(
    '/provider/invocations/:id/usage',
    { onRequest, schema: { params: invocationPathIn, body: usageReportIn } },
    async request => {
      const { wallet: provider, secretId } = providerOf(request)
      const { id: invocationId } = request.params
      const usage = readUsageBlock(request.body.usage ?? request.body)
      if (usage === null) {
        const message = 'Must be inputTokens and outputTokens as whole numbers that add up.'
        throw new GatewayError('INVALID_PAYLOAD', { issues: [{ path: 'usage', message }] }, { message })
      }
      await reportUsage(deps, { invocationId, provider, secretId, usage })
      return { status: 'success', invocation: await readEarned(deps, invocationId, provider) }
    },
  )
}
