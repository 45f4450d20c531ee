import { safeLocalStorage } from '../../ui/state/safe-storage.ts'
import { createStore } from '../../ui/state/store.ts'

/** A page of a service or topic that was viewed. */
export type RecentPage = { readonly to: string; readonly title: string }

const KEY = 'farebox.recent'
const KEPT_MAX = 8
/** Only what everybody may see: the next wallet on this device sees the list too. */
const KEPT = [/^\/services\/[^/]+$/, /^\/forum\/[^/]+$/]

const store = createStore<readonly RecentPage[]>(read())

function read(): readonly RecentPage[] {
  try {
    const found: unknown = JSON.parse(safeLocalStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found.filter(isRecentPage).slice(0, KEPT_MAX) : []
  } catch {
    return []
  }
}

function isRecentPage(found: unknown): found is RecentPage {
  const { to, title } = (found ?? {}) as Record<string, unknown>
  return typeof to === 'string' && to.startsWith('/') && typeof title === 'string'
}

/** Keeps the list from now on. A page has its title once its data is there. Returns the function that ends it. */
export function followRecentPages(): () => void {
  const observer = new MutationObserver(noteOpenPage)
  observer.observe(document.head, { childList: true, characterData: true, subtree: true })
  return () => observer.disconnect()
}

function noteOpenPage(): void {
  const { pathname } = window.location
  const title = document.title.replace(/ · Farebox$/, '')
  const [newest] = store.read()
  if (newest?.to === pathname && newest.title === title) return
  if (title === '' || !KEPT.some(pattern => pattern.test(pathname))) return
  const others = store.read().filter(({ to }) => to !== pathname)
  store.set([{ to: pathname, title }, ...others].slice(0, KEPT_MAX))
  safeLocalStorage.setItem(KEY, JSON.stringify(store.read()))
}

/** Returns the pages of services and topics that were viewed last, newest first. */
export const useRecentPages = store.use
