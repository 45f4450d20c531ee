import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.ts'
import { Id } from '../../ui/values/address.tsx'
import { Amount } from '../../ui/values/amount.tsx'
import { describeCached, formatCount, formatMs } from '../../ui/values/format-measures.ts'
import type { Invocation } from './settled.ts'

/** The receipt of a call: hold, charge, release and duration. */
export function Receipt({ invocation }: { invocation: Invocation }) {
  const { invocationId, holdUsdc, chargedUsdc, releasedUsdc, receipt } = invocation
  const isSignedIn = useSession() !== null
  const usage = 'usage' in invocation ? invocation.usage : undefined
  return (
    <section aria-label="Receipt" className="rounded-lg border bg-subtle">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 p-3.5 sm:grid-cols-4">
        <Figure name="Held">
          <Amount usdc={holdUsdc} />
        </Figure>
        <Figure name="Charged" isMain>
          <Amount usdc={chargedUsdc} />
        </Figure>
        <Figure name="Released">
          <Amount usdc={releasedUsdc} />
        </Figure>
        <Figure name="Took">
          {receipt.latencyMs === null ? '–' : <span className="tabular">{formatMs(receipt.latencyMs)}</span>}
        </Figure>
      </dl>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t px-3.5 py-1.5 text-sm text-muted">
        <Id value={invocationId} />
        {usage !== undefined && (
          <span className="tabular">
            {formatCount(usage.inputTokens)} in · {formatCount(usage.outputTokens)} out
            {describeCached(usage)}
          </span>
        )}
        {receipt.attempts > 1 && <span>{receipt.attempts} attempts</span>}
        {isSignedIn && (
          <Link
            to={`/app/calls/${invocationId}` as string}
            className="ml-auto rounded text-accent hover:underline"
          >
            Full receipt
          </Link>
        )}
      </div>
    </section>
  )
}

function Figure({ name, isMain, children }: { name: string; isMain?: boolean; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={clsx(isMain === true && 'font-semibold')}>{children}</dd>
    </div>
  )
}
