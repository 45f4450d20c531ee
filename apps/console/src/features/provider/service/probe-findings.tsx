import type { AnswerOf } from '@farebox/client'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX } from 'lucide-react'
import { Latency } from '../../../ui/values/measures.tsx'
import { describeProbe, targetLabel } from './service-labels.ts'

type Answer = AnswerOf<'pingService'>

/** The answer of each target to a test, and the consequence. */
export function ProbeFindings({ answer }: { answer: Answer }) {
  return (
    <div role="status" className="flex flex-col gap-3 border-t bg-subtle p-4">
      <ul aria-label="Responses of the targets" className="flex flex-col gap-2">
        {answer.targets.map(found => (
          <Line key={found.url} found={found} />
        ))}
      </ul>
      <p className="text-sm text-muted">
        {describeConsequence(answer)}
        {answer.runtimeAvailable && (
          <>
            {' '}
            <Link
              to="/playground"
              search={{ service: answer.serviceId }}
              className="text-accent underline underline-offset-2"
            >
              Call it yourself
            </Link>
          </>
        )}
      </p>
    </div>
  )
}

function describeConsequence({ runtimeAvailable, targets }: Answer): string {
  if (runtimeAvailable) return 'Agents can find and call it.'
  return targets.some(({ status }) => status === 'healthy')
    ? 'It responds but cannot be called yet. It is switched off or needs more successful probes.'
    : 'It is not listed until a target responds. Fix the target and test again. Regular probes continue.'
}

function Line({ found }: { found: Answer['targets'][number] }) {
  const isGood = found.status === 'healthy'
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm">
      {isGood ? (
        <CircleCheck aria-label="Healthy" className="size-4 shrink-0 text-accent" />
      ) : (
        <CircleX aria-label="Not healthy" className="size-4 shrink-0 text-danger" />
      )}
      <span className="min-w-0 flex-1 font-mono text-[0.92em] break-all">{targetLabel(found.url)}</span>
      <span className="flex gap-3 text-muted">
        <span className={isGood ? undefined : 'text-danger'}>{describeProbe(found)}</span>
        <Latency ms={found.latencyMs} />
      </span>
    </li>
  )
}
