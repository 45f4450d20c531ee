import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from '../button.tsx'
import { Failed } from '../feedback/failed.tsx'
import { Dialog } from './dialog.tsx'

/** A dialog with fields: Enter sends them, and what is wrong with them is brought into sight. */
export function FormDialog(props: {
  title: string
  description?: ReactNode
  /** What the button does, such as `Make secret`. */
  action: string
  isDanger?: boolean
  isBusy: boolean
  /** Whether enough was typed to be sent. */
  isReady?: boolean
  /** What went wrong, unless a field shows it. */
  error?: unknown
  onClose: () => void
  onSubmit: () => void
  children: ReactNode
}) {
  const { title, description, isBusy, isReady = true, onClose } = props
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  /** It was sent, and nothing wrong has been seen since. */
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
