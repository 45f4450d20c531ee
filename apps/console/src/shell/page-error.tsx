import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/feedback/states.tsx'

/** Messages of browsers for a chunk that no longer exists. */
const OUTDATED = /dynamically imported module|module script failed/i

/** The error page: for a page that threw, or whose files were replaced by a newer version of the console. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isOutdated = error instanceof Error && OUTDATED.test(error.message)
  return (
    <div className="py-16">
      <ErrorState
        isPage
        title={isOutdated ? 'A new version is available' : 'Something went wrong'}
        error={
          isOutdated ? new Error('The console was updated while it was open. Reload to continue.') : error
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
