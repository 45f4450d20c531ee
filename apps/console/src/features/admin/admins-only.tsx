import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { ShieldX } from 'lucide-react'
import { api } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { Address } from '../../ui/values/address.tsx'
import { heads } from './heads.ts'
import { NeedsAttention } from './needs-attention.tsx'

const headsByPath: Readonly<Record<string, { title: string; description: string }>> = heads

/** Renders the page for admins, and a refusal for everybody else. */
export function AdminsOnly() {
  const { pathname } = useLocation()
  const profile = useQuery({
    queryKey: ['profile'],
    queryFn: ({ signal }) => api.readProfile({ signal }),
  })
  if (profile.data === undefined) {
    if (profile.error !== null) return <ErrorState isPage error={profile.error} onRetry={profile.refetch} />
    const head = headsByPath[pathname]
    return (
      <div aria-busy="true">
        <NeedsAttention isAdmin={false} />
        {head && <PageHead {...head} />}
        <Skeleton className="h-72" />
      </div>
    )
  }
  const { roles, walletAddress } = profile.data
  if (roles.includes('admin'))
    return (
      <>
        <NeedsAttention isAdmin />
        <Outlet />
      </>
    )
  return (
    <EmptyState
      isPage
      icon={<ShieldX />}
      title="Only admins can see this page"
      action={
        <Link to="/app" className={buttonClass()}>
          Go to your account
        </Link>
      }
    >
      <p>
        You are signed in as <Address value={walletAddress} />, which is not an admin of this gateway. Its
        operator adds admins with the setting <code className="font-mono text-sm">ADMIN_WALLETS</code>.
      </p>
    </EmptyState>
  )
}
