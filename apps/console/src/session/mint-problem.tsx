import { GatewayError } from '@farebox/client/errors'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { Failed } from '../ui/feedback/failed.tsx'
import { formatAmount } from '../ui/values/amount.tsx'

/** Why no credential could be created, and what to do. */
export function MintProblem({ error }: { error: unknown }) {
  const known = error instanceof GatewayError ? error : null
  const max = known?.detail.maxCreditLimitUsdc
  if (known?.code === 'INSUFFICIENT_BALANCE')
    return <Obstacle why="Your balance is empty." to="/app/deposit" remedy="Make a deposit" />
  if (known?.code === 'LIMIT_EXCEEDED' && typeof max === 'string')
    return (
      <Obstacle
        why={`Your spending policy allows at most ${formatAmount(max)} USDC.`}
        to="/app/policy"
        remedy="Change the policy"
      />
    )
  return <Failed error={error} />
}

function Obstacle(props: { why: string; to: '/app/deposit' | '/app/policy'; remedy: string }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-warn-soft p-2 pl-3"
    >
      <span className="text-sm text-warn">{props.why}</span>
      <Link to={props.to} className={buttonClass({ size: 'sm' })}>
        {props.remedy}
      </Link>
    </div>
  )
}
