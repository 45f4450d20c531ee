import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ErrorState } from '../ui/feedback/states.tsx'
import { safeSessionStorage } from '../ui/state/safe-storage.ts'

/** Messages of browsers for code that did not load. */
const NOT_LOADED = /dynamically imported module|module script failed/i
/** Session storage key of the time of the last reload. */
const RELOADED_AT = 'farebox-reloaded-at'
/** Minimum time between two reloads, in ms. */
const RELOAD_PAUSE_MS = 60_000

/**
 * The error page: for a page that threw, or whose code did not load. A browser never fetches code again that it failed
 * to load, so the window is reloaded; if that was tried just now, the user decides.
 */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const isMissing = error instanceof Error && NOT_LOADED.test(error.message)
  const [reloads, setReloads] = useState(() => isMissing && mayReload())
  useEffect(() => {
    if (!reloads) return
    safeSessionStorage.setItem(RELOADED_AT, String(Date.now()))
    // Otherwise the window would reload without end.
    if (safeSessionStorage.isStored(RELOADED_AT)) window.location.reload()
    else setReloads(false)
  }, [reloads])
  if (reloads) return null
  return (
    <div className="py-16">
      <ErrorState
        isPage
        title={isMissing ? 'This page did not load' : 'Something went wrong'}
        error={
          isMissing
            ? new Error('The console was updated, or the connection was lost. Reload to continue.')
            : error
        }
        onRetry={() => {
          if (isMissing) window.location.reload()
          else {
            reset()
            router.invalidate()
          }
        }}
      />
    </div>
  )
}

const mayReload = () => Date.now() - Number(safeSessionStorage.getItem(RELOADED_AT) ?? 0) > RELOAD_PAUSE_MS
