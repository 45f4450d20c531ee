import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { IconButton } from '../button.tsx'
import { createStore } from '../state/store.ts'

type Toast = { readonly id: number; readonly kind: 'done' | 'failed'; readonly text: string }

const SHOWN_MS = 6_000
const SHOWN_MAX = 4
const ANNOUNCED_MS = 1_000
const shown = createStore<readonly Toast[]>([])
const announced = createStore('')
let lastId = 0

function show(kind: Toast['kind'], text: string): void {
  lastId += 1
  const toast = { id: lastId, kind, text }
  shown.set([...shown.read(), toast].slice(-SHOWN_MAX))
  setTimeout(() => dismiss(toast.id), SHOWN_MS)
}

function dismiss(id: number): void {
  shown.set(shown.read().filter(toast => toast.id !== id))
}

/** Shows a message for six seconds, away from where forms and dialogs have their buttons. */
export const toast = {
  done: (text: string) => show('done', text),
  failed: (text: string) => show('failed', text),
}

/** Has screen readers say what only sighted people see: the region is empty again before the same text is said again. */
export function announce(text: string): void {
  announced.set(text)
  setTimeout(() => announced.set(''), ANNOUNCED_MS)
}

/** Renders the toasts; once in the app. */
export function Toasts() {
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {announced.use()}
      </p>
      <ShownToasts />
    </>
  )
}

function ShownToasts() {
  const toasts = shown.use()
  return (
    <output
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 top-16 z-60 flex flex-col gap-2 sm:top-auto sm:right-auto sm:bottom-4 sm:w-80 lg:w-55"
    >
      {toasts.map(({ id, kind, text }) => (
        <div
          key={id}
          className="pointer-events-auto flex animate-appear items-start gap-2.5 rounded-lg border bg-raised py-2 pr-1 pl-3 text-sm shadow-raised"
        >
          <span className={clsx('mt-1', kind === 'done' ? 'text-accent' : 'text-danger')}>
            {kind === 'done' ? (
              <CircleCheck aria-hidden className="size-4" />
            ) : (
              <CircleAlert aria-hidden className="size-4" />
            )}
          </span>
          <p className="min-w-0 flex-1 py-0.5 break-words">{text}</p>
          <IconButton label="Dismiss" className="size-7" onClick={() => dismiss(id)}>
            <X />
          </IconButton>
        </div>
      ))}
    </output>
  )
}
