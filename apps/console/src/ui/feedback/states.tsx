import { GatewayError } from '@farebox/client/errors'
import { clsx } from 'clsx'
import { CircleAlert, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy.tsx'

/** A placeholder for content that loads; give it the size of the content. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={clsx('block animate-breathe rounded bg-hover', className)} />
}

/** An empty list: what will appear in it, and how. */
export function EmptyState(props: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  /** It fills the page, so its title is the heading of the page. */
  isPage?: boolean
}) {
  const Title = props.isPage === true ? 'h1' : 'p'
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      {props.icon !== undefined && <span className="mb-1 text-faint [&>svg]:size-7">{props.icon}</span>}
      <Title className="text-lg font-medium">{props.title}</Title>
      {props.children !== undefined && (
        <div className="max-w-md text-muted text-balance">{props.children}</div>
      )}
      {props.action !== undefined && <div className="mt-3">{props.action}</div>}
    </div>
  )
}

/** Returns a message for people that also tells them what to do. */
export function describeError(error: unknown): string {
  if (!(error instanceof GatewayError)) return error instanceof Error ? error.message : String(error)
  if (error.code === 'UNREACHABLE')
    return 'The gateway cannot be reached. Check your connection and try again.'
  if (error.code === 'RATE_LIMITED' && error.retryAfter !== null)
    return `Too many requests. Try again in ${error.retryAfter} s.`
  return error.message
}

/** An error with its code, its meaning and the next action. */
export function ErrorState({
  error,
  onRetry,
  title,
  isPage,
}: {
  error: unknown
  onRetry?: () => void
  title?: string
  /** It fills the page, so its title is the heading of the page. */
  isPage?: boolean
}) {
  const Title = isPage === true ? 'h1' : 'p'
  const known = error instanceof GatewayError ? error : null
  return (
    <div role="alert" className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <CircleAlert aria-hidden className="size-6 text-danger" />
      <Title className="text-lg font-medium">{title ?? 'Something went wrong'}</Title>
      <p className="max-w-md text-muted">{describeError(error)}</p>
      {known !== null && (
        <p className="flex items-center gap-1 font-mono text-xs text-faint">
          {known.code}
          {known.requestId !== null && (
            <>
              <span aria-hidden>·</span> {known.requestId}
              <CopyButton
                text={known.requestId}
                label="Copy request ID"
                className="!size-6 [&>svg]:!size-3.5"
              />
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && (
        <Button className="mt-2" icon={<RotateCw aria-hidden className="size-4" />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** A persistent note: a warning, a hint, a mark of test money. */
export function Notice(props: {
  tone?: 'info' | 'warn' | 'bad' | 'good'
  children: ReactNode
  className?: string
}) {
  const tones = {
    info: 'bg-info-soft text-info',
    warn: 'bg-warn-soft text-warn',
    bad: 'bg-danger-soft text-danger',
    good: 'bg-accent-soft text-accent',
  }
  return (
    <div className={clsx('rounded-lg px-3 py-2 text-sm', tones[props.tone ?? 'info'], props.className)}>
      {props.children}
    </div>
  )
}
