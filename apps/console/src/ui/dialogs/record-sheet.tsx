import type { ReactElement, ReactNode } from 'react'
import { Badge, type Tone } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Id } from '../values/address.tsx'
import { Sheet } from './dialog.tsx'

/** A panel with one record of a list: name, status, id, actions and details. */
export function RecordSheet(props: {
  name: string
  /** Undefined while it loads. */
  state: { readonly label: string; readonly tone: Tone } | undefined
  id: string
  /** {@link RecordAction}s. */
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  const { name, state, id, actions, onClose, children } = props
  return (
    <Sheet
      open
      onClose={onClose}
      title={
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-words">{name}</span>
          {state !== undefined && <Badge tone={state.tone}>{state.label}</Badge>}
        </span>
      }
      description={<Id value={id} />}
    >
      <div className="flex flex-col gap-6">
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
        {children}
      </div>
    </Sheet>
  )
}

export function RecordAction(props: {
  icon: ReactElement
  onClick: () => void
  isDanger?: boolean
  isBusy?: boolean
  children: string
}) {
  return (
    <Button
      size="sm"
      variant={props.isDanger === true ? 'danger' : 'secondary'}
      className="[&>svg]:size-3.5"
      icon={props.icon}
      isBusy={props.isBusy ?? false}
      onClick={props.onClick}
    >
      {props.children}
    </Button>
  )
}
