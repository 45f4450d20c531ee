import type { Usdc } from '@farebox/money'
import { unavailable } from '../adapters/chain/chain-rpc.ts'
import { giveToPromotions } from '../domains/vouchers/give-to-promotions.ts'
import type { Deps } from '../ports.ts'
import { takeTurns } from '../runtime/take-turns.ts'
import { depositTestMoney, type TestMoney } from './deposit-test-money.ts'

/** Funds promotions with test money: a deposit on chain, given to promotions. */
export type FundPromotions = (deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>, amount: Usdc) => Promise<void>

/**
 * Returns a funder for development mode: pays for vouchers that an admin's balance does not cover, so that vouchers
 * work without preparation. One deposit at a time.
 *
 * @throws GatewayError UNAVAILABLE if the chain fails or too many requests wait
 */
export function createPromotionFund(chain: TestMoney): FundPromotions {
  const inTurn = takeTurns()
  return (deps, amount) =>
    inTurn(async () => {
      // The node's last account: the first funds the faucet, and the next ones are popular wallets of developers.
      const address = (await chain.client.getAddresses()).at(-1)
      if (address === undefined) throw unavailable('the node has no unlocked account')
      await depositTestMoney(deps, chain, { address, amount })
      await giveToPromotions(deps, { wallet: address.toLowerCase(), amount })
    })
}
