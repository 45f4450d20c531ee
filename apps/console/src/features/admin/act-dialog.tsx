import { type ReactNode, useState } from 'react'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { Field, Input, Textarea } from '../../ui/forms/field.tsx'

const REASON_LENGTH_MAX = 1_000

/**
 * Asks for confirmation of an admin action. With `confirmText`, the button is enabled once it was typed, so that the
 * action does not hit the wrong target.
 */
export function ActDialog(props: {
  title: string
  /** Label of the button, such as `Suspend wallet`. */
  action: string
  /** The text to type; null for a harmless action. */
  confirmText: string | null
  /** The field for a reason; null for none. */
  reason: { readonly isRequired: boolean; readonly label: string; readonly hint?: string } | null
  isDanger?: boolean
  isBusy: boolean
  error: unknown
  onClose: () => void
  onConfirm: (reason: string | null) => void
  children: ReactNode
}) {
  const {
    title,
    action,
    confirmText,
    reason,
    isDanger = true,
    isBusy,
    error,
    onClose,
    onConfirm,
    children,
  } = props
  const [why, setWhy] = useState('')
  const [typed, setTyped] = useState('')
  const isTyped = confirmText === null || typed.trim().toLowerCase() === confirmText.toLowerCase()
  const isReady = isTyped && (reason?.isRequired !== true || why.trim() !== '')
  return (
    <FormDialog
      title={title}
      action={action}
      isDanger={isDanger}
      isBusy={isBusy}
      isReady={isReady}
      error={error}
      onClose={onClose}
      onSubmit={() => onConfirm(why.trim() === '' ? null : why.trim())}
    >
      <div className="text-muted">{children}</div>
      {reason !== null && (
        <Field
          label={reason.label}
          {...(!reason.isRequired && { aside: <span className="text-xs text-faint">optional</span> })}
          {...(reason.hint !== undefined && { hint: reason.hint })}
        >
          <Textarea
            rows={3}
            required={reason.isRequired}
            maxLength={REASON_LENGTH_MAX}
            value={why}
            onChange={event => setWhy(event.target.value)}
          />
        </Field>
      )}
      {confirmText !== null && <ConfirmField text={confirmText} typed={typed} onType={setTyped} />}
    </FormDialog>
  )
}

function ConfirmField(props: { text: string; typed: string; onType: (typed: string) => void }) {
  const { text, typed, onType } = props
  return (
    <Field
      label={
        <>
          Type <code className="rounded bg-hover px-1 font-mono">{text}</code> to confirm
        </>
      }
    >
      <Input
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        value={typed}
        onChange={event => onType(event.target.value)}
      />
    </Field>
  )
}
