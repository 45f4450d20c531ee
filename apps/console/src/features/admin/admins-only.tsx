import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { ShieldX } from 'lucide-react'
import { api } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback/states.tsx'
import { Address } from '../../ui/values/address.tsx'

/** Renders the page for admins, and a refusal for everybody else. */
export function AdminsOnly() {
  const profile = useQuery({
    queryKey: ['profile'],
    queryFn: ({ signal }) => api.readProfile({ signal }),
  })
  if (profile.data === undefined) {
    if (profile.error !== null) return <ErrorState isPage error={profile.error} onRetry={profile.refetch} />
    return (
      <div aria-busy="true">
        <Skeleton className="h-7 w-48" />
        <Skeleton className="mt-2 h-4 w-80 max-w-full" />
        <Skeleton className="mt-8 h-72" />
      </div>
    )
  }
  const { roles, walletAddress } = profile.data
  if (roles.includes('admin')) return <Outlet />
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
