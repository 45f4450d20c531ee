import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { loadCode } from '../../ui/state/reachability.ts'
import { followRecentPages } from './recent-pages.ts'
import { listenToShortcuts } from './shortcuts.ts'

const Palette = lazy(() =>
  loadCode(() => import('./palette.tsx')).then(({ Palette }) => ({ default: Palette })),
)
const ShortcutsDialog = lazy(() =>
  loadCode(() => import('./shortcuts-dialog.tsx')).then(({ ShortcutsDialog }) => ({
    default: ShortcutsDialog,
  })),
)

/** The button that opens the palette; keyboard shortcuts work while it is there. */
export function PaletteButton() {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null)
  // In the step that replaces the prerendered page: an effect would lose keys that are pressed before it runs.
  useLayoutEffect(
    () =>
      listenToShortcuts(wish => {
        if ('open' in wish) setOpen(wish.open)
        else void navigate({ to: wish.to })
      }),
    [navigate],
  )
  useEffect(followRecentPages, [])
  const close = () => setOpen(null)
  return (
    <>
      <IconButton label="Go to anything (Ctrl K or ⌘K)" onClick={() => setOpen('palette')}>
        <Search />
      </IconButton>
      <Suspense>
        {open === 'palette' && <Palette onClose={close} />}
        {open === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    </>
  )
}
