import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { WalletError } from '../wallet/errors.ts'
import { requestSignIn } from './sign-in-request.ts'

/** What a person can do when the wallet did not: connect it, switch its network, try again. */
export function WalletTrouble({
  error,
  onGoOn,
  children,
}: {
  error: unknown
  onGoOn: () => void
  /** Other ways on. */
  children?: ReactNode
}) {
  return (
    <div className="flex flex-wrap gap-2">
      {isAway(error) && (
        <Button size="sm" onClick={() => requestSignIn()}>
          Connect your wallet
        </Button>
      )}
      <Button size="sm" variant="primary" onClick={onGoOn}>
        {error instanceof WalletError && error.problem === 'WRONG_CHAIN' ? 'Switch network' : 'Try again'}
      </Button>
      {children}
    </div>
  )
}

/** Whether the wallet is not connected, or at another account: signing in anew connects it. */
function isAway(error: unknown): boolean {
  return error instanceof WalletError && (error.problem === 'NO_WALLET' || error.problem === 'OTHER_ACCOUNT')
}
