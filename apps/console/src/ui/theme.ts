import { useSyncExternalStore } from 'react'
import { safeLocalStorage } from './state/safe-storage.ts'

/** The chosen theme; `system` follows the operating system. public/before-paint.js applies it before the first paint. */
export type ThemeChoice = 'system' | 'light' | 'dark'

const KEY = 'farebox.theme'
const CHANGED = 'farebox:theme'
const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)')

function readChoice(): ThemeChoice {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Changes the theme and remembers it. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme
    safeLocalStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = choice
    safeLocalStorage.setItem(KEY, choice)
  }
  window.dispatchEvent(new Event(CHANGED))
}

function subscribe(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener)
  const system = systemIsDark()
  system.addEventListener('change', listener)
  return () => {
    window.removeEventListener(CHANGED, listener)
    system.removeEventListener('change', listener)
  }
}

/** Returns the chosen theme. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, readChoice, () => 'system')
}

/** Returns the theme in effect, for components that resolve colours themselves, such as a canvas. */
export function useTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, () => {
    const choice = readChoice()
    if (choice !== 'system') return choice
    return systemIsDark().matches ? 'dark' : 'light'
  })
}
