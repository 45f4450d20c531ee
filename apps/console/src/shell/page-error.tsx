import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/feedback/states.tsx'

/** How browsers say that a file of the page is not there. */
const OUTDATED = /dynamically imported module|module script failed/i

/** A page that failed: to be read, or because a newer version of the console has taken its files' place. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOutdated = error instanceof Error && OUTDATED.test(error.message)
  return (
    <div className="py-16">
      <ErrorState
        isPage
        title={isOutdated ? 'A newer version is there' : 'This page has failed'}
        error={
          isOutdated ? new Error('The console was updated while it was open. Reload it to go on.') : error
        }
        onRetry={() => {
          if (isOutdated) window.location.reload()
          else {
            reset()
            router.invalidate()
          }
        }}
      />
    </div>
  )
}
