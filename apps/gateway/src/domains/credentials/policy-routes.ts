import { formatUsdc } from '@farebox/money'
import { type SpendingPolicyAnswer, spendingLimitBody, spendingPolicyAnswer } from '@farebox/wire/credentials'
import type { App } from '../../app.ts'
import { contract } from '../../http/openapi/contract.ts'
import type { Deps } from '../../ports.ts'
import { ownerGuard, ownerOf } from '../auth/require-owner.ts'
import * as examples from './examples.ts'
import { readSpendingPolicy } from './read-spending-policy.ts'
import { presentLimits, type SpendingPolicy } from './rules.ts'
import { setSpendingPolicy } from './set-spending-policy.ts'

/** Registers the routes of the spending policy, for wallet sessions, below `/api/v1`. */
export function policyRoutes(app: App, deps: Deps): void {
  const onRequest = ownerGuard(deps)

  app.get(
    '/balance/spending-limit',
    {
      ...contract({
        id: 'readSpendingPolicy',
        summary: 'Read my spending policy',
        description:
          'The caps on all agent credentials of the wallet together, and how much of them is used.',
        tag: 'Balance',
        access: 'wallet',
        answer: spendingPolicyAnswer,
        example: examples.policy,
      }),
      onRequest,
    },
    async request => presentPolicy(await readSpendingPolicy(deps, ownerOf(request).wallet)),
  )

  app.put(
    '/balance/spending-limit',
    {
      ...contract(
        {
          id: 'setSpendingPolicy',
          summary: 'Set my spending policy',
          description:
            'Absent members stay unchanged. After the response no call is admitted above the new limits; calls in flight continue.',
          tag: 'Balance',
          access: 'wallet',
          answer: spendingPolicyAnswer,
          example: examples.policy,
          exampleBody: { spendingLimitUsdc: '500', dailyLimitUsdc: '50', perCallLimitUsdc: '1' },
        },
        { body: spendingLimitBody },
      ),
      onRequest,
    },
    async request => presentPolicy(await setSpendingPolicy(deps, ownerOf(request).wallet, request.body)),
  )
}

function presentPolicy(policy: SpendingPolicy): SpendingPolicyAnswer {
  return {
    status: 'success',
    ...presentLimits(policy),
    spentThisMonthUsdc: formatUsdc(policy.monthDrawn),
    spentTodayUsdc: formatUsdc(policy.dayDrawn),
  }
}
