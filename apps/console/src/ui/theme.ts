import { useSyncExternalStore } from 'react'

/** What was chosen; `system` follows the machine. public/theme.js applies it before anything is painted. */
export type ThemeChoice = 'system' | 'light' | 'dark'

const KEY = 'farebox.theme'
const CHANGED = 'farebox:theme'
const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)')

function readChoice(): ThemeChoice {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Changes the theme, for later visits as well. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = choice
    localStorage.setItem(KEY, choice)
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

/** What was chosen. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, readChoice, () => 'system')
}

/** What is shown: for what has to know its colours by itself, such as a canvas. */
export function useTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, () => {
    const choice = readChoice()
    if (choice !== 'system') return choice
    return systemIsDark().matches ? 'dark' : 'light'
  })
}
