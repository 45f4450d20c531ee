import { suggestServices } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { api } from './api.ts'
import { buttonClass } from './ui/button.tsx'
import { EmptyState, ErrorState } from './ui/feedback/states.tsx'

type Props = {
  readonly id: string
  readonly error: Error
  readonly onRetry: () => void
  /** The page of a service, for links to others. */
  readonly to: '/services/$id' | '/playground'
}

/** The error of a service that could not be read. Retrying does not help for an unknown one: similar names are shown. */
export function ServiceError({ id, error, onRetry, to }: Props) {
  const isUnknown = error instanceof GatewayError && error.code === 'SERVICE_NOT_FOUND'
  const { data: names = [] } = useQuery({
    queryKey: ['market', 'like', id],
    queryFn: () => suggestServices(api, id),
    enabled: isUnknown,
  })
  const isPage = to === '/services/$id'
  if (!isUnknown) return <ErrorState isPage={isPage} error={error} onRetry={onRetry} />
  return (
    <EmptyState
      isPage={isPage}
      icon={<Compass />}
      title="Unknown service"
      action={
        <Link to="/market" className={buttonClass()}>
          Browse the market
        </Link>
      }
    >
      No service is called “{id}”. It may be mistyped, renamed or deleted.
      {names.length > 0 && (
        <span className="mt-2 block">
          Did you mean{' '}
          {names.map((name, index) => (
            <span key={name}>
              {index > 0 && ' or '}
              <Link
                {...(to === '/playground' ? { to, search: { service: name } } : { to, params: { id: name } })}
                className="font-medium break-all text-text underline underline-offset-2"
              >
                {name}
              </Link>
            </span>
          ))}
          ?
        </span>
      )}
    </EmptyState>
  )
}
