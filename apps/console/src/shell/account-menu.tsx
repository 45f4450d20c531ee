import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useConsoleConfig } from '../console-config.ts'
import { useSession } from '../session/session.ts'
import { requestSignIn } from '../session/sign-in-request.ts'
import { Button } from '../ui/button.tsx'
import { loadCode } from '../ui/state/reachability.ts'
import { useIsHydrated } from '../ui/state/use-is-hydrated.ts'
import { AccountButton } from './account-button.tsx'

const fetchMenu = () => loadCode(() => import('./signed-in-menu.tsx'))
const SignedInMenu = lazy(() => fetchMenu().then(({ SignedInMenu }) => ({ default: SignedInMenu })))

/** The account menu at the end of the header, or a button to sign in. */
export function AccountMenu() {
  const session = useSession()
  const isHydrated = useIsHydrated()
  const navigate = useNavigate()
  if (session !== null && isHydrated) {
    return (
      <Suspense fallback={<AccountButton address={session.address} disabled />}>
        <SignedInMenu {...session} />
      </Suspense>
    )
  }
  const signIn = async () => {
    fetchMenu().catch(() => undefined) // a failed preload is repeated on rendering
    const made = await requestSignIn()
    if (made !== null && window.location.pathname === '/') await navigate({ to: '/app' as string })
  }
  return (
    <Button variant="primary" size="sm" className={isHydrated ? undefined : 'invisible'} onClick={signIn}>
      Sign in
    </Button>
  )
}

/** A badge for development mode: nothing here is real money. */
export function DevelopmentMark() {
  if (useConsoleConfig()?.mode !== 'dev') return null
  return (
    <span className="rounded bg-warn-soft px-1.5 py-0.5 text-xs font-medium whitespace-nowrap text-warn max-sm:hidden">
      Test money
    </span>
  )
}
