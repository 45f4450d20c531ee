import { Monitor, Moon, Sun } from 'lucide-react'
import { IconButton } from '../ui/button.tsx'
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../ui/theme.ts'

const order: readonly ThemeChoice[] = ['system', 'light', 'dark']
const icons = { system: Monitor, light: Sun, dark: Moon }

/** Cycles through the themes: system, light, dark. */
export function ThemeSwitch() {
  const choice = useThemeChoice()
  const Icon = icons[choice]
  const next = order[(order.indexOf(choice) + 1) % order.length] ?? 'system'
  return (
    <IconButton label={`Theme: ${choice}. Change to ${next}`} onClick={() => chooseTheme(next)}>
      <Icon />
    </IconButton>
  )
}
