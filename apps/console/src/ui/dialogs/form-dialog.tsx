import { type ReactNode, useId } from 'react'
import { Button } from '../button.tsx'
import { Failed } from '../feedback/failed.tsx'
import { Dialog } from './dialog.tsx'

/** A dialog with a form. Enter submits it. */
export function FormDialog(props: {
  title: string
  description?: ReactNode
  /** Label of the submit button, such as `Make secret`. */
  action: string
  isDanger?: boolean
  isBusy: boolean
  /** Enables the submit button. */
  isReady?: boolean
  /** An error that no field shows. */
  error?: unknown
  onClose: () => void
  onSubmit: () => void
  children: ReactNode
}) {
  const { title, description, isBusy, isReady = true, onClose } = props
  const id = useId()
  return (
    <Dialog
      open
      isStrict
      onClose={onClose}
      title={title}
      {...(description !== undefined && { description })}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={id}
            variant={props.isDanger === true ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabled={!isReady}
          >
            {props.action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="flex flex-col gap-4 pt-1"
        onSubmit={event => {
          event.preventDefault()
          if (!isBusy && isReady) props.onSubmit()
        }}
      >
        {props.children}
        <Failed error={props.error} />
      </form>
    </Dialog>
  )
}
