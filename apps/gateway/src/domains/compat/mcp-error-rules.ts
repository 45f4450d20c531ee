import type { ErrorCode } from '@farebox/wire/errors'
import { aboutMember } from '@farebox/wire/issue-texts'

/** An error of the gateway, from a refusal or a stored answer. */
export type Refusal = {
  readonly code: ErrorCode
  readonly message: string
  readonly detail: Readonly<Record<string, unknown>>
}

type Advice = (detail: Refusal['detail'], tool: string) => string

const ISSUES_SHOWN_MAX = 10

/**
 * Explains an error to an agent: what happened, what is left and what to do next, without assuming knowledge of the
 * gateway.
 */
export function explainRefusal({ code, message, detail }: Refusal, tool: string): string {
  return `${code}: ${advice[code]?.(detail, tool) ?? message}`
}

const advice: Readonly<Partial<Record<ErrorCode, Advice>>> = {
  BUDGET_EXHAUSTED: ({ limit, remainingUsdc, requiredUsdc }) => {
    const exhausted = budgets[String(limit)]
    const left =
      limit === 'credential_calls'
        ? ''
        : ` has ${remainingUsdc} USDC left, the call needs up to ${requiredUsdc}`
    return `${exhausted?.what ?? 'The budget'}${left}. Nothing was charged. ${exhausted?.next ?? 'Ask the owner.'}`
  },
  PRICE_MISMATCH: ({ expectedPriceUsdc, currentPriceUsdc }, tool) =>
    `${tool} costs ${currentPriceUsdc} USDC now, but the call allowed ${expectedPriceUsdc ?? 'no price'}. ` +
    'Nothing was charged. Call again if the new price is acceptable.',
  INVALID_PAYLOAD: detail =>
    `The arguments do not fit: ${issuesOf(detail)} Nothing was charged. Correct them and call again.`,
  LLM_AUTO_HOLD_LIMIT_EXCEEDED: ({ requiredHoldUsdc, maxAutoHoldUsdc, affordableMaxTokens }) =>
    `The call could cost up to ${requiredHoldUsdc} USDC, and at most ${maxAutoHoldUsdc} is held ` +
    `automatically. Nothing was charged. ${Number(affordableMaxTokens) > 0 ? `Lower max_tokens to ${affordableMaxTokens} or less, shorten` : 'Shorten'} the prompt, or ` +
    'allow more in _meta["farebox/maxCostUsdc"].',
  LIMIT_EXCEEDED: ({ requiredHoldUsdc }) =>
    `The prompt and one output token may cost ${requiredHoldUsdc} USDC, more than its cap. Nothing was ` +
    'charged. Shorten the prompt, or allow this amount in _meta["farebox/maxCostUsdc"].',
  UPSTREAM_ERROR: detail => `${upstreamFault(detail)} ${afterFault(detail)}`,
  GATEWAY_INTERRUPTED: () =>
    'The gateway was interrupted during the call. Nothing was charged. Call again with a new idempotency key.',
  RATE_LIMITED: ({ rpm, retryAfterSeconds }) =>
    `This credential may make ${rpm ?? 'only so many'} calls a minute. Nothing was charged. ` +
    `Call again in ${retryAfterSeconds ?? 60} seconds.`,
  IDEMPOTENCY_CONFLICT: ({ chargedUsdc }) =>
    chargedUsdc !== undefined
      ? `The call was already made with this idempotency key and charged ${chargedUsdc} USDC; its result is ` +
        'no longer stored. Nothing was charged now. Call with a new key to make, and pay, a new call.'
      : 'This idempotency key was used for another call. Nothing was charged. Call again with a new key.',
  IDEMPOTENCY_IN_PROGRESS: ({ retryAfterSeconds }) =>
    'The first call with this idempotency key is still running. It is paid once: retry with the same key in ' +
    `${retryAfterSeconds ?? 1} seconds, and do not use another key.`,
  SERVICE_NOT_ALLOWED: (_, tool) =>
    `This credential may not call ${tool}. Nothing was charged. Ask the owner to allow the service, or choose ` +
    'another tool.',
  CREDENTIAL_INACTIVE: () =>
    'The credential is revoked or expired. Nothing was charged. Ask the owner for another one.',
  UNAVAILABLE: ({ retryAfterSeconds }) =>
    `The gateway cannot serve the call now. Call again in ${retryAfterSeconds ?? 1} seconds, with the same ` +
    'idempotency key if it had one.',
}

/** For each limit of BUDGET_EXHAUSTED: its owner, and who can change it. */
const budgets: Readonly<Record<string, { what: string; next: string }>> = {
  credential_calls: {
    what: 'The credential has no calls left',
    next: 'Ask the owner for a higher maxCalls.',
  },
  credential_per_call: {
    what: 'The cap of the credential on one call',
    next: 'Ask the owner for a higher maxCostPerCallUsdc, or choose a cheaper tool.',
  },
  credential_credit: {
    what: 'The credential',
    next: 'Ask the owner for a higher creditLimit, or choose a cheaper tool.',
  },
  policy_per_call: {
    what: 'The cap on one call in the spending policy of the owner',
    next: 'Ask the owner for a higher perCallLimitUsdc, or choose a cheaper tool.',
  },
  policy_daily: {
    what: 'The daily spending policy of the owner',
    next: 'Ask the owner for a higher dailyLimitUsdc, or wait until midnight UTC.',
  },
  policy_monthly: {
    what: 'The monthly spending policy of the owner',
    next: 'Ask the owner for a higher spendingLimitUsdc, or wait until next month (UTC).',
  },
  owner_balance: {
    what: 'The balance of the owner',
    next: 'Ask the owner to deposit USDC, or choose a cheaper tool.',
  },
}

function issuesOf({ issues }: Refusal['detail']): string {
  if (!Array.isArray(issues) || issues.length === 0) return 'they are not valid.'
  const reported = issues
    .slice(0, ISSUES_SHOWN_MAX)
    .map(({ path, message }: { path: string; message: string }) => {
      return aboutMember(path === '' ? '' : argumentOf(path), message).replace(/\.$/, '')
    })
  const omitted = issues.length - reported.length
  const text = reported.join('; ') + (omitted > 0 ? `; and ${omitted} more` : '')
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** Returns where a member of POST /agent/invoke is in a tool call. */
function argumentOf(path: string): string {
  const [top = '', ...rest] = path.split('.')
  if (top !== 'payload') return `_meta["farebox/${top}"]`
  const [part, ...inside] = rest
  const within = inside.length === 0 ? '' : `.${inside.join('.')}`
  return part === 'query' ? `_meta["farebox/query"]${within}` : `arguments${within}`
}

function upstreamFault({ reason, upstreamStatus, upstreamBody }: Refusal['detail']): string {
  if (reason !== 'status') return `The provider returned no usable answer (${reason}).`
  const said = typeof upstreamBody === 'string' && upstreamBody !== '' ? `: ${upstreamBody}` : ''
  return `The provider answered ${upstreamStatus}${said}.`
}

function afterFault({ status, invocationId }: Refusal['detail']): string {
  switch (status) {
    case 'PROCESSING':
      return (
        `The charge of ${invocationId} is pending until the provider reports, at most 15 minutes. Do not call again ` +
        'before: the call may still be charged.'
      )
    case 'FAILED_RETRYABLE':
      return 'Nothing was charged. Call again with a new idempotency key.'
    default:
      return 'Nothing was charged. Call again only with other arguments.'
  }
}
