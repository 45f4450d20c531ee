type Context = Readonly<Record<string, unknown>>

/** Why a call to a provider failed, by the `reason` of an `UPSTREAM_ERROR`. */
export const upstreamReasons: Readonly<Record<string, string>> = {
  status: 'The provider returned an error.',
  timeout: 'The provider did not answer in time.',
  connect: 'The provider could not be reached.',
  reset: 'The provider closed the connection.',
  redirect: 'The provider redirected the call, which is not followed.',
  blocked_address: 'The address of the provider is not allowed.',
  too_large: 'The response of the provider was too large.',
  encoding: 'The response of the provider could not be decoded.',
  invalid_json: 'The response of the provider was not valid JSON.',
  usage_missing: 'The provider reported no token usage.',
  stream_cut: 'The stream of the provider ended early.',
  no_healthy_target: 'No target of the service was healthy.',
}

/**
 * Returns the message of a failure of the provider by its reason, and of a refusal by a limit: which limit, how much of it
 * is left, and what to do. Returns null if the context lacks these; the code's default message is then used.
 */
export function messageOf(code: string, context: Context): string | null {
  if (code === 'RATE_LIMITED') return rateMessage(context)
  if (code === 'BUDGET_EXHAUSTED') return budgetMessage(context)
  if (code === 'UPSTREAM_ERROR') return upstreamReasons[String(context.reason)] ?? null
  return null
}

const UNITS: Readonly<Record<number, string>> = { 60: 'minute', 3600: 'hour', 86400: 'day' }

function rateMessage({
  policy,
  limit,
  rpm,
  quota,
  windowSeconds,
  perHour,
  ...context
}: Context): string | null {
  const retry =
    typeof context.retryAfterSeconds === 'number'
      ? ` Retry in ${Math.max(1, Math.ceil(context.retryAfterSeconds))} s.`
      : ''
  if (limit === 'rpm')
    return `rpm: this token may make ${rpm} ${rpm === 1 ? 'request' : 'requests'} a minute.${retry}`
  if (typeof policy !== 'string') return null
  if (typeof quota !== 'number') {
    return typeof perHour === 'number'
      ? `The limit ${policy} is ${perHour} an hour.${retry}`
      : `The limit ${policy} is reached.${retry}`
  }
  const unit = UNITS[Number(windowSeconds)] ?? `${windowSeconds} s`
  return `The limit ${policy} is ${quota} requests per ${unit}.${retry}`
}

/** For each budget: the member that sets its limit, and what to do when it is used up. */
const BUDGETS: Readonly<Record<string, readonly [member: string, step: string]>> = {
  credential_credit: [
    'creditLimit',
    'Its owner can raise it with PATCH /api/v1/credentials/agent/:id/quota.',
  ],
  credential_per_call: [
    'maxCostPerCallUsdc',
    'Send a smaller call, or ask the owner of the credential to raise the cap.',
  ],
  policy_per_call: ['perCallLimitUsdc', 'The owner can raise it with PUT /api/v1/balance/spending-limit.'],
  policy_daily: ['dailyLimitUsdc', 'The owner can raise it with PUT /api/v1/balance/spending-limit.'],
  policy_monthly: ['spendingLimitUsdc', 'The owner can raise it with PUT /api/v1/balance/spending-limit.'],
  owner_balance: ["The owner's balance", 'Deposit USDC.'],
  provider_secret_credit: ['creditLimit of the provider secret', 'Report with another secret, or later.'],
}

function budgetMessage(context: Context): string | null {
  const { limit, remainingUsdc, requiredUsdc, limitUsdc, maxCalls, resetsAt } = context
  if (limit === 'credential_calls' && typeof maxCalls === 'number') {
    return `maxCalls: all ${maxCalls} calls of the credential are used. Its owner can raise maxCalls with PATCH /api/v1/credentials/agent/:id/quota.`
  }
  const [member, step] = BUDGETS[String(limit)] ?? []
  if (limit === 'credential_per_call' && typeof requiredUsdc === 'string')
    return `${member}: the call costs ${requiredUsdc} USDC; this credential may spend ${limitUsdc ?? remainingUsdc} on one call. ${step}`
  if (member === undefined || step === undefined) return null
  const needs = typeof requiredUsdc === 'string' ? `the call needs ${requiredUsdc} USDC, ` : ''
  const of = typeof limitUsdc === 'string' ? ` of ${limitUsdc}` : ''
  const until = typeof resetsAt === 'string' ? ` until ${resetsAt}` : ''
  return `${member}: ${needs}${remainingUsdc}${of} USDC are left${until}. ${step}`
}
