import { formatUsdc, parseUsdc, usdc } from '@farebox/money'
import { Meter } from '../../../ui/feedback/steps.tsx'
import { Amount, formatAmount } from '../../../ui/values/amount.tsx'
import { formatCount } from '../../../ui/values/format-measures.ts'
import { intervalLabel } from '../../../ui/values/intervals.ts'
import { shareOf } from '../../../ui/values/shares.ts'
import type { Credential } from './credential-labels.ts'

/** Returns the used credit: spent, and held for calls in flight. */
export function usedCreditOf({ spentUsdc, heldUsdc }: Credential): string {
  return formatUsdc(usdc(parseUsdc(spentUsdc) + parseUsdc(heldUsdc)))
}

/** The used credit, with its cap. */
export function Spent({ credential }: { credential: Credential }) {
  const { creditLimit, resetInterval } = credential
  const used = usedCreditOf(credential)
  return (
    <div className="flex min-w-32 flex-col gap-1.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm whitespace-nowrap">
        {creditLimit === null ? (
          <Amount usdc={used} />
        ) : (
          <span className="tabular">
            {formatAmount(used)}
            <span className="text-faint"> of {formatAmount(creditLimit)} USDC</span>
          </span>
        )}
        <span className="text-xs text-faint">{intervalLabel(resetInterval)}</span>
      </p>
      {creditLimit === null ? (
        <NoCap />
      ) : (
        <Meter label={`Spent by ${credential.name}`} value={shareOf(used, creditLimit)} />
      )}
    </div>
  )
}

/** The number of calls, with its cap. */
export function CallsUsed({ credential }: { credential: Credential }) {
  const { callsUsed, maxCalls } = credential
  return (
    <div className="flex min-w-28 flex-col gap-1.5">
      <p className="text-sm whitespace-nowrap tabular">
        {formatCount(callsUsed)}
        <span className="text-faint">
          {maxCalls === null ? ' calls' : ` of ${formatCount(maxCalls)} calls`}
        </span>
      </p>
      {maxCalls === null ? (
        <NoCap />
      ) : (
        <Meter label={`Calls of ${credential.name}`} value={callsUsed / maxCalls} />
      )}
    </div>
  )
}

/** Shown in place of a meter when there is no limit. */
function NoCap() {
  return (
    <span className="flex h-1.5 items-center">
      <span aria-hidden className="h-px w-full border-t border-dashed border-line-strong" />
    </span>
  )
}
