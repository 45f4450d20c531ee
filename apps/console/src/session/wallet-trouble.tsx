import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { WalletError } from '../wallet/errors.ts'
import { requestSignIn } from './sign-in-request.ts'

/** Buttons against an error of the wallet: connect, switch the network, try again. */
export function WalletTrouble({
  error,
  onGoOn,
  children,
}: {
  error: unknown
  onGoOn: () => void
  /** Further actions. */
  children?: ReactNode
}) {
  return (
    <div className="flex flex-wrap gap-2">
      {isAway(error) && (
        <Button size="sm" onClick={() => requestSignIn('disconnected')}>
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

/** Returns whether the wallet is disconnected or at another account, which a new sign-in solves. */
function isAway(error: unknown): boolean {
  return error instanceof WalletError && (error.problem === 'NO_WALLET' || error.problem === 'OTHER_ACCOUNT')
}
