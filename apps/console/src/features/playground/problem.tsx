import { GatewayError } from '@farebox/client/errors'
import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { describeError } from '../../ui/feedback/states.tsx'
import { formatAmount } from '../../ui/values/amount.tsx'

const SECOND_MS = 1_000
const ISSUES_SHOWN = 6

/** The error of a call: message, code and advice. */
export function Problem(props: {
  error: unknown
  /** Sends the request again with the same key. */
  onRetry?: (() => void) | undefined
  /** Further actions, such as accepting a new price. */
  children?: ReactNode
}) {
  const { error, onRetry, children } = props
  const known = error instanceof GatewayError ? error : null
  const advice = known === null ? null : adviceOn(known)
  return (
    <div role="alert" className="flex gap-3 rounded-lg border bg-danger-soft p-3.5">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="font-medium break-words text-danger">{describeError(error)}</p>
        {advice !== null && <p className="text-sm break-words text-text">{advice.text}</p>}
        {known !== null && <Issues error={known} />}
        <div className="flex flex-wrap items-center gap-2 empty:hidden">
          {advice?.to !== undefined && (
            <Link to={advice.to as string} className={buttonClass({ size: 'sm' })}>
              {advice.action}
            </Link>
          )}
          {children}
          {onRetry !== undefined && known?.isPassing === true && (
            <RetryButton seconds={known.retryAfter ?? 0} onRetry={onRetry} />
          )}
        </div>
        {known !== null && (
          <p className="flex flex-wrap items-center gap-x-1 font-mono text-xs text-muted">
            {known.code}
            {known.requestId !== null && (
              <>
                <span aria-hidden>·</span> <span className="break-all">{known.requestId}</span>
                <CopyButton
                  text={known.requestId}
                  label="Copy request ID"
                  className="!size-6 [&>svg]:!size-3.5"
                />
              </>
            )}
          </p>
        )}
      </div>
    </div>
  )
}

/** A retry button that counts down the gateway's `Retry-After`. */
function RetryButton({ seconds, onRetry }: { seconds: number; onRetry: () => void }) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const until = Date.now() + seconds * SECOND_MS
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((until - Date.now()) / SECOND_MS))
      setLeft(rest)
      if (rest === 0) clearInterval(timer)
    }, SECOND_MS / 4)
    return () => clearInterval(timer)
  }, [seconds])
  return (
    <Button size="sm" disabled={left > 0} onClick={onRetry} className="tabular">
      {left > 0 ? `Try again in ${left} s` : 'Try again'}
    </Button>
  )
}

/** Lists the validation messages of the gateway. */
function Issues({ error }: { error: GatewayError }) {
  const { issues } = error.detail
  if (!Array.isArray(issues) || issues.length === 0) return null
  return (
    <ul className="flex flex-col gap-0.5 text-sm">
      {(issues as { path?: unknown; message?: unknown }[]).slice(0, ISSUES_SHOWN).map(({ path, message }) => (
        <li key={`${path} ${message}`} className="break-words">
          <code className="font-mono text-xs">{String(path)}</code> {String(message)}
        </li>
      ))}
    </ul>
  )
}

type Advice = { readonly text: string; readonly to?: string; readonly action?: string }

const limits: Readonly<Record<string, string>> = {
  credential_credit: 'the credit limit of this credential',
  credential_per_call: 'the per-call limit of this credential',
  credential_calls: 'the call limit of this credential',
  policy_per_call: 'the per-call limit of your spending policy',
  policy_daily: 'the daily limit of your spending policy',
  policy_monthly: 'the monthly limit of your spending policy',
}

/** Returns the advice for an error, with the amounts from its details. */
function adviceOn({ code, detail }: GatewayError): Advice | null {
  const amount = (name: string) => {
    const wire = detail[name]
    return typeof wire === 'string' && /^\d/.test(wire) ? `${formatAmount(wire)} USDC` : null
  }
  switch (code) {
    case 'BUDGET_EXHAUSTED': {
      const limit = limits[String(detail.limit)] ?? 'the budget'
      const [left, needed] = [amount('remainingUsdc'), amount('requiredUsdc')]
      const reported =
        left === null || needed === null ? '' : `: ${left} is left, and this call needs a hold of ${needed}`
      const isPolicy = String(detail.limit).includes('policy')
      return {
        text: `This call would exceed ${limit}${reported}. Nothing was charged.`,
        to: isPolicy ? '/app/policy' : '/app/credentials',
        action: isPolicy ? 'Spending policy' : 'Credentials',
      }
    }
    case 'INSUFFICIENT_BALANCE':
      return {
        text: 'Nothing was charged. Deposit USDC and repeat the call.',
        to: '/app/deposit',
        action: 'Make a deposit',
      }
    case 'CREDENTIAL_INVALID':
    case 'CREDENTIAL_INACTIVE':
      return { text: 'Choose another credential above, or create one.' }
    case 'SERVICE_NOT_ALLOWED':
      return {
        text: 'This credential is not allowed to call this service. Choose another above.',
        to: '/app/credentials',
        action: 'Credentials',
      }
    case 'SERVICE_NOT_FOUND':
      return {
        text: 'It may be down or deleted. The market lists all callable services.',
        to: '/market',
        action: 'Market',
      }
    case 'PRICE_MISMATCH': {
      const now = amount('currentPriceUsdc')
      return {
        text: `The price has changed${now === null ? '' : ` to ${now}`}. Nothing was charged.`,
      }
    }
    case 'IDEMPOTENCY_CONFLICT':
      return { text: 'The key belongs to another request. Leave it empty to generate a new one.' }
    case 'IDEMPOTENCY_IN_PROGRESS':
      return { text: 'The first call with this key is still in progress.' }
    case 'LLM_AUTO_HOLD_LIMIT_EXCEEDED': {
      const { affordableMaxTokens: most } = detail
      return {
        text: `Request fewer output tokens${typeof most === 'number' ? `: at most ${most}` : ''}.`,
      }
    }
    case 'UPSTREAM_ERROR':
      return detail.status === 'PROCESSING'
        ? {
            text: 'The model responded without usage data. The hold remains until the provider reports it, for at most 15 minutes. Do not repeat the call before then.',
          }
        : { text: 'The provider failed. Failed calls are not charged.' }
    case 'TIMEOUT':
    case 'UNREACHABLE':
      return { text: 'Retrying with the same key is safe: the call is charged once.' }
    default:
      return null
  }
}
