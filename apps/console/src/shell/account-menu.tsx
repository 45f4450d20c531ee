import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, LayoutDashboard, LogOut, ShieldCheck, Store } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../api.ts'
import { useConsoleConfig } from '../console-config.ts'
import { useSession } from '../session/session.ts'
import { signOut } from '../session/sign-in.ts'
import { requestSignIn } from '../session/sign-in-request.ts'
import { shorten } from '../ui/address.tsx'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { toast } from '../ui/toast.tsx'

/** The profile, read in passing: a session that has ended is not asked for again, least of all on the way to sign out. */
const profileOf = (token: string) => ({
  queryKey: ['profile'],
  queryFn: () => api.readProfile({ headers: { authorization: `Bearer ${token}` } }),
})

/** Who is signed in, at the right end of the head. */
export function AccountMenu() {
  const session = useSession()
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const { data: known } = useQuery({ ...profileOf(session?.token ?? ''), enabled: false })
  if (session === null) {
    const signIn = async () => {
      const made = await requestSignIn()
      if (made !== null && window.location.pathname === '/') await navigate({ to: '/app' as string })
    }
    return (
      <Button variant="primary" size="sm" onClick={signIn}>
        Sign in
      </Button>
    )
  }
  const { address, token } = session
  const prepare = () => queryClient.prefetchQuery(profileOf(token))
  return (
    <Menu
      label="Account"
      head={
        <>
          <p className="text-faint">Signed in as</p>
          <p className="font-mono text-xs break-all">{address}</p>
        </>
      }
      trigger={
        <Button
          size="sm"
          isBusy={isBusy}
          onPointerEnter={prepare}
          onFocus={prepare}
          aria-label={`Account ${address}, ${shorten(address)}`}
          className="font-mono"
        >
          <span aria-hidden className="size-2 rounded-full bg-accent" />
          {shorten(address)}
        </Button>
      }
      items={[
        { label: 'Overview', icon: <LayoutDashboard />, onSelect: () => navigate({ to: '/app' as string }) },
        { label: 'Provider', icon: <Store />, onSelect: () => navigate({ to: '/provider' as string }) },
        ...(known?.roles.includes('admin') === true
          ? [
              {
                label: 'Admin',
                icon: <ShieldCheck />,
                onSelect: () => navigate({ to: '/admin' as string }),
              },
            ]
          : []),
        {
          label: 'Copy address',
          icon: <Copy />,
          onSelect: () => {
            navigator.clipboard.writeText(address).then(() => toast.done('Address copied.'))
          },
        },
        'separator',
        {
          label: 'Sign out',
          icon: <LogOut />,
          onSelect: async () => {
            setBusy(true)
            await signOut()
            setBusy(false)
            await navigate({ to: '/' })
          },
        },
      ]}
    />
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
