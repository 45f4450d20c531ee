import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useConsoleConfig } from '../console-config.ts'
import { useSession } from '../session/session.ts'
import { requestSignIn } from '../session/sign-in-request.ts'
import { Button } from '../ui/button.tsx'
import { useIsHydrated } from '../ui/state/use-is-hydrated.ts'
import { AccountButton } from './account-button.tsx'

const fetchMenu = () => import('./signed-in-menu.tsx')
const SignedInMenu = lazy(() => fetchMenu().then(({ SignedInMenu }) => ({ default: SignedInMenu })))

/** Who is signed in, at the right end of the head. */
export function AccountMenu() {
  const session = useSession()
  const isLive = useIsHydrated()
  const navigate = useNavigate()
  if (session !== null) {
    return (
      <Suspense fallback={<AccountButton address={session.address} disabled />}>
        <SignedInMenu {...session} />
      </Suspense>
    )
  }
  const signIn = async () => {
    fetchMenu().catch(() => undefined) // fetched once more when it is shown
    const made = await requestSignIn()
    if (made !== null && window.location.pathname === '/') await navigate({ to: '/app' as string })
  }
  return (
    <Button variant="primary" size="sm" className={isLive ? undefined : 'invisible'} onClick={signIn}>
      Sign in
    </Button>
  )
}

/** Says that nothing here is real, in development mode. */
export function DevelopmentMark() {
  if (useConsoleConfig()?.mode !== 'dev') return null
  return (
    <span className="rounded bg-warn-soft px-1.5 py-0.5 text-xs font-medium whitespace-nowrap text-warn max-sm:hidden">
      Test money
    </span>
  )
}
