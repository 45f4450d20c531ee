import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Menu as MenuIcon } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useConsoleConfig } from '../console-config.ts'
import { useSession } from '../session/session.ts'
import { useSignInRequest } from '../session/sign-in-request.ts'
import { IconButton } from '../ui/button.tsx'
import { Toasts } from '../ui/feedback/toast.tsx'
import { focusWrongFields } from '../ui/forms/focus-wrong-field.ts'
import { loadCode } from '../ui/state/reachability.ts'
import { ChainOfPage } from '../ui/values/explorer.ts'
import { AccountMenu, DevelopmentMark } from './account-menu.tsx'
import { FeedbackButton } from './feedback-button.tsx'
import { GatewayBanner } from './gateway-banner.tsx'
import { PaletteButton } from './palette/palette-button.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

const SignInDialog = lazy(() =>
  loadCode(() => import('../session/sign-in-dialog.tsx')).then(({ SignInDialog }) => ({
    default: SignInDialog,
  })),
)

const Sheet = lazy(() =>
  loadCode(() => import('../ui/dialogs/dialog.tsx')).then(({ Sheet }) => ({ default: Sheet })),
)

const places = [
  { to: '/market', label: 'Market' },
  { to: '/playground', label: 'Playground' },
  { to: '/forum', label: 'Forum' },
  { to: '/docs', label: 'Docs' },
] as const
const signedInPlaces = [
  { to: '/app', label: 'Account', className: 'wallets-only' },
  { to: '/provider', label: 'Provider', className: 'wallets-only' },
] as const

/** The frame of every page: header, page, footer, dialogs and toasts. */
export function Shell() {
  const isBusy = useRouterState({ select: ({ isLoading }) => isLoading })
  const request = useSignInRequest()
  useEffect(focusWrongFields, [])
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#page"
        className="absolute top-2 left-2 z-60 -translate-y-20 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <Head />
      {isBusy && <div aria-hidden className="fixed inset-x-0 top-0 z-60 h-0.5 animate-breathe bg-accent" />}
      <main
        id="page"
        tabIndex={-1}
        // The footer starts below the fold, so that it does not shift while the page fills.
        className="mx-auto flex min-h-[calc(100dvh-3.25rem)] w-full max-w-7xl flex-1 flex-col px-4 outline-none sm:px-6"
      >
        <ChainOfPage value={useConsoleConfig()?.chainId ?? null}>
          <Outlet />
        </ChainOfPage>
      </main>
      <Foot />
      {request !== null && (
        <Suspense>
          <SignInDialog />
        </Suspense>
      )}
      <Toasts />
    </div>
  )
}

function Head() {
  return (
    <header className="sticky top-0 z-30 border-b bg-page">
      <div className="mx-auto flex min-h-13 max-w-7xl items-center gap-2 px-4 sm:gap-3 sm:px-6 md:flex-wrap">
        <PhoneMenu />
        <Link to="/" className="flex items-center gap-2 rounded font-semibold tracking-tight">
          <img src="/icon.svg" alt="" className="size-5.5" width="22" height="22" />
          Farebox
        </Link>
        <nav aria-label="Main" className="ml-3 flex flex-wrap items-center gap-1 max-md:hidden">
          <Places />
        </nav>
        <div className="ml-auto flex items-center gap-1 sm:gap-1.5">
          <DevelopmentMark />
          <PaletteButton />
          <ThemeSwitch />
          <AccountMenu />
        </div>
      </div>
      <GatewayBanner />
    </header>
  )
}

function Places({ onGo }: { onGo?: () => void }) {
  // Signed-in links come last, so that the prerendered ones do not shift.
  const shown: readonly { to: string; label: string; className?: string }[] =
    useSession() === null ? places : [...places, ...signedInPlaces]
  return shown.map(({ to, label, className }) => (
    <Link
      key={to}
      to={to}
      onClick={onGo}
      className={clsx(
        className,
        'rounded px-2 py-1 text-sm text-muted transition-colors hover:text-text max-md:py-2.5 max-md:text-base',
      )}
      activeProps={{ className: 'font-medium !text-text' }}
    >
      {label}
    </Link>
  ))
}

function PhoneMenu() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton label="Menu" className="-ml-2 md:hidden" onClick={() => setOpen(true)}>
        <MenuIcon />
      </IconButton>
      {isOpen && (
        <Suspense>
          <Sheet open onClose={() => setOpen(false)} title="Menu">
            <nav aria-label="Main" className="flex flex-col">
              <Places onGo={() => setOpen(false)} />
            </nav>
          </Sheet>
        </Suspense>
      )}
    </>
  )
}

function Foot() {
  return (
    <footer className="mt-16 border-t">
      <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-5 gap-y-2 px-4 py-5 text-sm text-muted sm:px-6">
        <span>Farebox is open source, Apache-2.0.</span>
        <Link to={'/docs/reference' as string} className="hover:text-text">
          API reference
        </Link>
        <a href="/openapi.json" className="hover:text-text">
          OpenAPI
        </a>
        <Link to={'/proof' as string} className="hover:text-text">
          Proof of reserves
        </Link>
        <span className="ml-auto">
          <FeedbackButton />
        </span>
      </div>
    </footer>
  )
}
