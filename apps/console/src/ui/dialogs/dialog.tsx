import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { Button, IconButton } from '../button.tsx'

type Props = {
  open: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  footer?: ReactNode
  children?: ReactNode
  /** A click outside does not close it. */
  isStrict?: boolean
  /** Neither Escape nor a click outside closes it. */
  isLocked?: boolean
  className?: string
}

/** A modal dialog. Escape and a click outside close it. */
export function Dialog(props: Props) {
  return (
    <Frame
      {...props}
      className={clsx(
        'fixed top-[12vh] left-1/2 flex max-h-[80vh] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 animate-appear flex-col rounded-xl',
        props.className,
      )}
    />
  )
}

/** A panel at the right edge of the page. */
export function Sheet(props: Props) {
  return (
    <Frame
      {...props}
      isSheet
      className={clsx(
        'fixed inset-y-0 right-0 flex w-full max-w-xl animate-slide-in flex-col border-y-0 border-r-0',
        props.className,
      )}
    />
  )
}

/** Moves the focus to the first field, or to the top of a panel without fields, but not to the close button. */
function focusFirst(event: Event, isSheet: boolean): void {
  const content = event.currentTarget
  if (!(content instanceof HTMLElement)) return
  const field = content.querySelector<HTMLElement>('form input, form textarea') ?? (isSheet ? content : null)
  if (field === null) return
  event.preventDefault()
  field.focus({ preventScroll: true })
}

/**
 * Returns the focus to where it was, or to the page if that is gone, such as a row of another page. Leaves it if it has
 * moved on since the dialog closed.
 */
function focusAgain(event: Event, opener: Element | null): void {
  event.preventDefault()
  // A closed dialog leaves it to the page as a whole, or to the dialog around it.
  if (document.activeElement?.matches('body, [role=dialog]') === false) return
  const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected
  const place = isThere ? opener : document.getElementById('page')
  place?.focus({ preventScroll: true })
}

function Frame(props: Props & { isSheet?: true }) {
  const { open, onClose, title, description, footer, children, isStrict, isLocked, className } = props
  const opener = useRef<Element | null>(null)
  return (
    <Radix.Root open={open} onOpenChange={isOpen => !isOpen && onClose()}>
      {/* Without a container, the portal is drawn a second time for it, all at once. */}
      <Radix.Portal container={document.body}>
        <Radix.Overlay className="fixed inset-0 z-50 shade" />
        <Radix.Content
          {...(description === undefined && { 'aria-describedby': undefined })}
          onInteractOutside={event => (isStrict === true || isLocked === true) && event.preventDefault()}
          onEscapeKeyDown={event => isLocked === true && event.preventDefault()}
          onOpenAutoFocus={event => {
            opener.current = document.activeElement
            focusFirst(event, props.isSheet === true)
          }}
          onCloseAutoFocus={event => focusAgain(event, opener.current)}
          className={clsx('z-50 border bg-raised shadow-raised outline-none', className)}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div className="flex min-w-0 flex-col gap-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-sm text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" className="-mt-1 -mr-2">
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t px-5 py-3">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Asks for confirmation before an irreversible action. */
export function Confirm(props: {
  open: boolean
  onClose: () => void
  onConfirm: () => void
  title: string
  /** Label of the button, such as `Revoke credential`. */
  action: string
  isBusy?: boolean
  isDanger?: boolean
  children?: ReactNode
}) {
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      title={props.title}
      footer={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            variant={props.isDanger === false ? 'primary' : 'danger'}
            isBusy={props.isBusy ?? false}
            onClick={props.onConfirm}
          >
            {props.action}
          </Button>
        </>
      }
    >
      <div className="text-muted">{props.children}</div>
    </Dialog>
  )
}
