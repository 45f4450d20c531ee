import { MessageSquare } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { loadCode } from '../ui/state/reachability.ts'

const FeedbackDialog = lazy(() =>
  loadCode(() => import('./feedback-dialog.tsx')).then(({ FeedbackDialog }) => ({ default: FeedbackDialog })),
)

/** The feedback button in the header. */
export function FeedbackButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        icon={<MessageSquare aria-hidden className="size-4" />}
        onClick={() => setOpen(true)}
      >
        Feedback
      </Button>
      {isOpen && (
        <Suspense>
          <FeedbackDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
