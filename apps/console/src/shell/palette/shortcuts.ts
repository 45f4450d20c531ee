/** A shortcut: keys pressed one after another outside of fields, and where they lead. */
export type Shortcut = { readonly keys: readonly string[]; readonly label: string; readonly to: string }

/** Pages by `g` and a letter. */
export const pageShortcuts: readonly Shortcut[] = [
  { keys: ['g', 'm'], label: 'Market', to: '/market' },
  { keys: ['g', 'p'], label: 'Playground', to: '/playground' },
  { keys: ['g', 'o'], label: 'Overview', to: '/app' },
  { keys: ['g', 'd'], label: 'Deposit', to: '/app/deposit' },
  { keys: ['g', 'k'], label: 'Credentials', to: '/app/credentials' },
  { keys: ['g', 'c'], label: 'Calls', to: '/app/calls' },
  { keys: ['g', 'l'], label: 'Ledger', to: '/app/ledger' },
  { keys: ['g', 's'], label: 'Your services', to: '/provider' },
  { keys: ['g', 'e'], label: 'Earnings', to: '/provider/earnings' },
  { keys: ['g', 'w'], label: 'Withdraw', to: '/provider/withdraw' },
  { keys: ['g', 'f'], label: 'Forum', to: '/forum' },
]

/** Longest time between two keys of a shortcut, in ms. */
const BETWEEN_KEYS_MS = 1_000

/** Commands of the keyboard shortcuts. */
export type Wish = { readonly open: 'palette' | 'shortcuts' } | { readonly to: string }

/** Calls `onWish` for every shortcut pressed. Returns the function that stops listening. */
export function listenToShortcuts(onWish: (wish: Wish) => void): () => void {
  let first: { readonly key: string; readonly at: number } | null = null
  const onKey = (event: KeyboardEvent) => {
    if (isPaletteKey(event)) {
      event.preventDefault()
      onWish({ open: 'palette' })
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return
    if (event.key === '/') focusSearch(event)
    if (event.key === '?') onWish({ open: 'shortcuts' })
    const isSecond = first !== null && event.timeStamp - first.at <= BETWEEN_KEYS_MS
    const found = pageShortcuts.find(
      ({ keys }) => isSecond && keys[0] === first?.key && keys[1] === event.key,
    )
    first = found === undefined ? { key: event.key, at: event.timeStamp } : null
    if (found !== undefined) onWish({ to: found.to })
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}

/** Moves the focus to the search of the page, if it has one. */
function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
  if (search === null) return
  event.preventDefault()
  search.focus()
}

const isPaletteKey = (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k'

/** True if the key belongs to a field or to an open dialog or menu. */
function isTaken({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false
  return target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]') !== null
}

/** The key that opens the palette, as it is called on this device. */
export const paletteKey = () => (navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K')
