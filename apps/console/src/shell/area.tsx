import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Wallet } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useSession } from '../session/session.ts'
import { requestSignIn } from '../session/sign-in-request.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/feedback/states.tsx'
import type { Place } from './places.tsx'

/** The frame of an area for signed-in wallets: a sidebar and the page. */
export function Area({ label, places }: { label: string; places: readonly Place[] }) {
  const session = useSession()
  const nav = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  // On a phone the sidebar is a scrolling row: scroll the open page's link into view. Not by `scrollIntoView`, after which
  // the next Tab starts at that link and skips the header. Once the row has been laid out, which reading its sizes any
  // sooner would force.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another page is there
  useEffect(() => {
    const row = nav.current
    if (row === null) return
    const laidOut = new ResizeObserver(() => {
      const link = row.querySelector<HTMLElement>('[aria-current="page"]')
      if (link !== null)
        row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2
    })
    laidOut.observe(row)
    return () => laidOut.disconnect()
  }, [path, session])
  if (session === null) return <SignInFirst />
  return (
    <div className="wallets-only flex flex-1 flex-col gap-x-10 gap-y-5 py-5 lg:flex-row lg:py-8">
      <nav
        ref={nav}
        aria-label={label}
        className="-mx-4 flex shrink-0 gap-0.5 overflow-x-auto border-b px-4 pb-2 sm:-mx-6 sm:px-6 lg:sticky lg:top-21 lg:mx-0 lg:w-44 lg:flex-col lg:self-start lg:overflow-visible lg:border-0 lg:p-0"
      >
        {places.map(({ to, label: name, icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: places[0]?.to === to }}
            className="flex h-8 shrink-0 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted transition-colors hover:bg-hover hover:text-text [&>svg]:size-4"
            activeProps={{ className: 'bg-hover font-medium !text-text' }}
          >
            {icon}
            {name}
          </Link>
        ))}
      </nav>
      {/* Remount the page for another wallet, so that no state of the previous one remains. */}
      <div key={session.address} className="min-w-0 flex-1">
        <Outlet />
      </div>
    </div>
  )
}

function SignInFirst() {
  return (
    <div className="py-16">
      <EmptyState
        isPage
        icon={<Wallet />}
        title="Sign in to see this page"
        action={
          <Button variant="primary" onClick={() => requestSignIn()}>
            Sign in with your wallet
          </Button>
        }
      >
        Your wallet is your account: sign a message instead of a password.
      </EmptyState>
    </div>
  )
}
