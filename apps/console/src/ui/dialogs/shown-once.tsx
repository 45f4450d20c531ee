import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy.tsx'
import { Notice } from '../feedback/states.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a secret that cannot be shown again, with instructions below. Only its buttons close it. */
export function ShownOnce(props: {
  title: string
  description: string
  secret: string
  /** Name of the secret in lower case: `token`. */
  noun: string
  /** Rights of a holder of the secret. */
  warning?: string
  onClose: () => void
  children: ReactNode
}) {
  const { title, description, secret, noun, warning, onClose, children } = props
  return (
    <Dialog
      open
      isLocked
      onClose={onClose}
      className="!max-w-2xl"
      title={title}
      description={description}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have saved it
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-2 rounded-lg border border-line-strong bg-subtle py-1 pr-1 pl-3">
          <code className="min-w-0 flex-1 py-1 font-mono text-sm break-all">{secret}</code>
          <CopyButton text={secret} label={`Copy ${noun}`} />
        </div>
        {warning !== undefined && <Notice tone="warn">{warning}</Notice>}
        {children}
      </div>
    </Dialog>
  )
}
