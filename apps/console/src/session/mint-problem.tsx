import { GatewayError } from '@farebox/client/errors'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { Failed } from '../ui/feedback/failed.tsx'

/** Why no credential could be created, and what to do. */
export function MintProblem({ error }: { error: unknown }) {
  const isBroke = error instanceof GatewayError && error.code === 'INSUFFICIENT_BALANCE'
  if (!isBroke) return <Failed error={error} />
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-warn-soft p-2 pl-3"
    >
      <span className="text-sm text-warn">Your balance is empty.</span>
      <Link to="/app/deposit" className={buttonClass({ size: 'sm' })}>
        Make a deposit
      </Link>
    </div>
  )
}
