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
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass()}>
            To the front page
          </Link>
        }
      >
        The address may be mistyped, or what was here is gone.
      </EmptyState>
    </div>
  )
}
