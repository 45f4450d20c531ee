import { Link, useSearch } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Amount } from '../../../ui/values/amount.tsx'
import { useNames } from '../use-names.ts'
import { type Call, stateOfCall } from './call-labels.ts'
import { useAttempts } from './use-calls.ts'

/** The attempts of a request at several models, in order, each a call of its own; nothing if this was the only one. */
export function Attempts({ line }: { line: Call | null | undefined }) {
  const names = useNames()
  const search = useSearch({ from: '/app/calls/{-$id}' })
  const attempts = useAttempts(line).data ?? []
  if (attempts.length < 2) return null
  return (
    <section aria-label="Attempts" className="flex flex-col gap-3">
      <h3 className="font-medium">Attempts</h3>
      <p className="text-sm text-muted">
        The request named several models. They were tried in this order; only one that answered is charged.
      </p>
      <ol className="divide-y rounded-lg border">
        {attempts.map(({ invocationId, serviceId, status, errorCode, chargedUsdc }, index) => {
          const { label, tone } = stateOfCall(status)
          return (
            <li key={invocationId} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
              <span className="text-sm text-faint tabular">{index + 1}</span>
              {invocationId === line?.invocationId ? (
                <span aria-current="true" className="min-w-0 font-medium break-words">
                  {names.service(serviceId)} <span className="font-normal text-faint">· this call</span>
                </span>
              ) : (
                <Link
                  to="/app/calls/{-$id}"
                  params={{ id: invocationId }}
                  search={search}
                  resetScroll={false}
                  preload={false}
                  className="min-w-0 rounded break-words text-accent hover:underline"
                >
                  {names.service(serviceId)}
                </Link>
              )}
              <span className="ml-auto inline-flex items-center gap-3">
                {errorCode !== null && (
                  <code className="font-mono text-xs text-faint max-sm:hidden">{errorCode}</code>
                )}
                <Badge tone={tone}>{label}</Badge>
                <Amount usdc={chargedUsdc} />
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
