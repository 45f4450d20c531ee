import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, ExternalLink, LayoutDashboard, LogOut, ShieldCheck, Store } from 'lucide-react'
import { useState } from 'react'
import { api, queryClient } from '../api.ts'
import { useConsoleConfig } from '../console-config.ts'
import type { Session } from '../session/session.ts'
import { signOut } from '../session/sign-in.ts'
import { copyText } from '../ui/copy.tsx'
import { toast } from '../ui/feedback/toast.tsx'
import { Menu } from '../ui/menu.tsx'
import { explorerUrl } from '../ui/values/explorer.ts'
import { AccountButton } from './account-button.tsx'

/**
 * The profile for the menu. With a token of its own the request does not ask to sign in when the session has expired,
 * least of all while signing out.
 */
const profileOf = (token: string) => ({
  queryKey: ['profile'],
  queryFn: () => api.readProfile({ headers: { authorization: `Bearer ${token}` } }),
})

/** The menu of a signed-in wallet. */
export function SignedInMenu({ address, token }: Session) {
  const navigate = useNavigate()
  const explorer = explorerUrl(useConsoleConfig()?.chainId ?? null, address)
  const [isBusy, setBusy] = useState(false)
  const { data: known } = useQuery({ ...profileOf(token), enabled: false })
  const prepare = () => queryClient.prefetchQuery(profileOf(token))
  const goTo = (path: string) => () => navigate({ to: path })
  return (
    <Menu
      label="Account"
      head={
        <>
          <p className="text-faint">Signed in as</p>
          <p className="font-mono text-xs break-all">{address}</p>
        </>
      }
      trigger={<AccountButton address={address} isBusy={isBusy} onPointerEnter={prepare} onFocus={prepare} />}
      items={[
        { label: 'Overview', icon: <LayoutDashboard />, onSelect: goTo('/app') },
        { label: 'Provider', icon: <Store />, onSelect: goTo('/provider') },
        ...(known?.roles.includes('admin') === true
          ? [{ label: 'Admin', icon: <ShieldCheck />, onSelect: goTo('/admin') }]
          : []),
        {
          label: 'Copy address',
          icon: <Copy />,
          onSelect: async () => {
            if (await copyText(address)) toast.done('Address copied.')
          },
        },
        ...(explorer === null
          ? []
          : [
              {
                label: 'Open in block explorer',
                icon: <ExternalLink />,
                onSelect: () => window.open(explorer, '_blank', 'noreferrer'),
              },
            ]),
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
