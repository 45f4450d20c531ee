import { CircleAlert, CircleCheck } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Failed } from '../../../ui/feedback/failed.tsx'
import { Skeleton } from '../../../ui/feedback/states.tsx'
import { Card } from '../../../ui/layout/page.tsx'
import type { Issue } from './manifest-issues.ts'
import type { Registration } from './use-registration.ts'

/** The fields that a registration still lacks, and the button that registers the service. */
export function RegisterCard({ registration }: { registration: Registration }) {
  const { isReady, canSubmit, checked, issues, refused, registering } = registration
  return (
    <Card>
      <div className="flex flex-col gap-3">
        {isReady ? (
          <Standing issues={issues} isStrict={checked.has('review')} />
        ) : canSubmit && checked.size === 0 ? (
          <p className="text-sm text-muted">The draft is empty.</p>
        ) : (
          <Skeleton className="h-5" />
        )}
        {refused.length === 0 && <Failed error={registering.error} />}
        <Button type="submit" variant="primary" disabled={!canSubmit} isBusy={registering.isPending}>
          Register service
        </Button>
        <p className="text-sm text-faint">
          It is probed immediately and listed as soon as a target answers. Everything but the price model (per
          call or per token) can be changed later.
        </p>
      </div>
    </Card>
  )
}

/** Number of issues that are listed. */
const ISSUES_SHOWN = 8

function Standing({ issues, isStrict }: { issues: readonly Issue[]; isStrict: boolean }) {
  if (issues.length === 0)
    return (
      <p role="status" className="flex items-center gap-2 text-sm">
        <CircleCheck aria-hidden className="size-4 shrink-0 text-accent" />
        Ready to register
      </p>
    )
  return (
    <div role="status" className="text-sm">
      <p className="flex items-center gap-2">
        <CircleAlert aria-hidden className="size-4 shrink-0 text-warn" />
        {issues.length === 1 ? 'One field to complete' : `${issues.length} fields to complete`}
      </p>
      {isStrict && (
        <ul className="mt-2 flex flex-col gap-1.5 text-muted">
          {issues.slice(0, ISSUES_SHOWN).map(({ path, message }) => (
            <li key={`${path}${message}`} className="break-words">
              <code className="font-mono text-xs text-text">{path}</code>
              <br />
              {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
