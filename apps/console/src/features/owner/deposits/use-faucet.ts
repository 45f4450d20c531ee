import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import type { Address } from 'viem'
import { queryClient } from '../../../api.ts'
import { toast } from '../../../ui/feedback/toast.tsx'

/** Test USDC of one request. */
export const FAUCET_USDC = '100'

/** Returns the request for test money for a wallet, in development mode. */
export function useFaucet(owner: Address | undefined): UseMutationResult<void, Error, void> {
  return useMutation({
    mutationFn: async () => {
      const response = await fetch('/dev/faucet', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ address: owner, amountUsdc: FAUCET_USDC }),
      })
      if (!response.ok) throw new Error('The faucet did not respond. Try again in a moment.')
    },
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['wallet-balances'] })
      toast.done(`${FAUCET_USDC} test USDC and 10 test ether are in your wallet.`)
    },
  })
}
