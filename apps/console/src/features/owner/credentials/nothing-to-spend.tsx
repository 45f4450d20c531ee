import { GatewayError } from '@farebox/client/errors'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/feedback/states.tsx'

/** Returns whether creating a credential failed because the balance is empty. */
export function isWithoutBalance(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'INSUFFICIENT_BALANCE'
}

/** Tells an owner without a balance to make a deposit. */
export function NothingToSpend({ isOtherTab = false }: { isOtherTab?: boolean }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <Notice tone="warn" className="w-full">
        Your balance is empty. Deposit USDC before agents can make paid calls.
      </Notice>
      <Link
        to="/app/deposit"
        className={buttonClass({ size: 'sm' })}
        {...(isOtherTab && { target: '_blank' })}
      >
        Make a deposit
      </Link>
    </div>
  )
}
