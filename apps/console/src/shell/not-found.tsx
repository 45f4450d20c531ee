import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/feedback/states.tsx'

export function NotFound() {
  return (
    <div className="py-16">
      <EmptyState
        isPage
        icon={<Compass />}
        title="Page not found"
        action={
          <Link to="/" className={buttonClass()}>
            Go to the home page
          </Link>
        }
      >
        The address may be mistyped, or the page was removed.
      </EmptyState>
    </div>
  )
}
