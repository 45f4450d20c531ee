import type { ReactNode } from 'react'
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx'
import { type Body, type Fields, useCredentialFields } from './credential-fields.ts'
import { CredentialInputs } from './credential-inputs.tsx'

/** A dialog for the name and limits of a new or changed credential. */
export function CredentialForm(props: {
  title: string
  description: string
  onClose: () => void
  /** Shown above the fields. */
  notice?: ReactNode
  initial: Fields
  action: string
  error: unknown
  isBusy: boolean
  onSubmit: (body: Body) => void
  /** The current expiry of a changed credential. */
  expiresNow?: string
}) {
  const { inputs, otherError, submit } = useCredentialFields(props)
  return (
    <FormDialog
      title={props.title}
      description={props.description}
      action={props.action}
      isBusy={props.isBusy}
      error={otherError}
      onClose={props.onClose}
      onSubmit={submit}
    >
      {props.notice}
      <CredentialInputs
        {...inputs}
        {...(props.expiresNow !== undefined && { expiresNow: props.expiresNow })}
      />
    </FormDialog>
  )
}
