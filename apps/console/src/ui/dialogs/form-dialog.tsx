import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '../button.tsx'
import { Failed } from '../feedback/failed.tsx'
import { Dialog } from './dialog.tsx'

/** A dialog with a form. Enter submits it, and the first invalid field is scrolled into view. */
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
  const form = useRef<HTMLFormElement>(null)
  /** The form was submitted and no error has been scrolled to since. */
  const isSent = useRef(false)
  useEffect(() => {
    if (!isSent.current) return
    const wrong = form.current?.querySelector('[aria-invalid="true"], [role="alert"]') ?? null
    if (wrong === null) return
    isSent.current = false
    wrong.scrollIntoView({ block: 'center' })
  })
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
        ref={form}
        noValidate
        className="flex flex-col gap-4 pt-1"
        onSubmit={event => {
          event.preventDefault()
          if (isBusy || !isReady) return
          isSent.current = true
          props.onSubmit()
        }}
      >
        {props.children}
        <Failed error={props.error} />
      </form>
    </Dialog>
  )
}
