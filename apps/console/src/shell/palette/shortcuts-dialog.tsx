import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { pageShortcuts, paletteKey } from './shortcuts.ts'

/** The list of keyboard shortcuts. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const rows = [
    { keys: [paletteKey()], label: 'Go to anything' },
    ...pageShortcuts,
    { keys: ['/'], label: 'Search on this page' },
    { keys: ['?'], label: 'Show keyboard shortcuts' },
    { keys: ['Esc'], label: 'Close a dialog' },
  ]
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[1fr_auto] gap-y-2">
        {rows.map(({ keys, label }) => (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.map(key => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border bg-hover px-1.5 text-center font-mono text-xs leading-6"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
