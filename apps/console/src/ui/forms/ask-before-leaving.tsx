import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../dialogs/dialog.tsx'

/** Asks before a link, the Back button or a reload drops the unsaved changes of a form. */
export function AskBeforeLeaving({ isUnsaved }: { isUnsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => true,
    disabled: !isUnsaved,
    withResolver: true,
  })
  return (
    <Confirm
      open={status === 'blocked'}
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
      title="Discard your changes?"
      action="Discard changes"
    >
      You have not saved them.
    </Confirm>
  )
}
