import { setTimeout as pause } from 'node:timers/promises'
import type { Usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { unavailable } from '../adapters/chain/chain-rpc.ts'
import { confirmDeposit } from '../domains/deposits/confirm-deposit.ts'
import { openDeposit } from '../domains/deposits/open-deposit.ts'
import { giveToPromotions } from '../domains/vouchers/give-to-promotions.ts'
import type { Deps } from '../ports.ts'
import type { AnvilClient } from './anvil.ts'
import { type Contracts, sendMined } from './deploy.ts'
import type { Faucet } from './faucet.ts'

const LOOK_EVERY_MS = 200
/** There is a block per second; with more confirmations than this, the admin waits for the deposit. */
const LOOKS_MAX = 100

/** Funds promotions with test money: a deposit on chain, given to promotions. */
export type FundPromotions = (deps: Pick<Deps, 'db' | 'chain' | 'ids'>, amount: Usdc) => Promise<void>

/**
 * Returns a funder for development mode: pays for vouchers that an admin's balance does not cover, so that vouchers
 * work without preparation. One deposit at a time.
 *
 * @throws GatewayError UNAVAILABLE if the chain fails
 */
export function createPromotionFund(chain: {
  client: AnvilClient
  contracts: Contracts
  faucet: Faucet
}): FundPromotions {
  let queue: Promise<unknown> = Promise.resolve()
  return (deps, amount) => {
    const funded = queue.then(async () => {
      const { house, txHash } = await depositAsHouse(chain, amount).catch((error: unknown) => {
        throw unavailable(error)
      })
      const wallet = house.toLowerCase()
      const claim = { wallet, txHash, amount, idempotencyKey: null }
      const { body } = await openDeposit(deps, claim)
      await untilCredited(deps, { wallet, id: body.intent.id })
      await giveToPromotions(deps, { wallet, amount })
    })
    // A failure is reported to its caller; the next one is served regardless.
    queue = funded.catch(() => undefined)
    return funded
  }
}

/** The node's last account: the first funds the faucet, and the next ones are popular wallets of developers. */
async function depositAsHouse(
  { client, contracts, faucet }: Parameters<typeof createPromotionFund>[0],
  amount: Usdc,
): Promise<{ house: Address; txHash: Hex }> {
  const house = (await client.getAddresses()).at(-1)
  if (house === undefined) throw new Error('The node has no unlocked account.')
  await faucet(house, amount)
  const { usdc, vault } = contracts
  const approval = encodeFunctionData({ abi: testUsdcAbi, functionName: 'approve', args: [vault, amount] })
  await sendMined(client, { from: house, to: usdc, data: approval })
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] })
  const { transactionHash } = await sendMined(client, { from: house, to: vault, data })
  return { house, txHash: transactionHash }
}

async function untilCredited(
  deps: Pick<Deps, 'db' | 'chain' | 'ids'>,
  key: { wallet: string; id: string },
): Promise<void> {
  for (let look = 1; ; look += 1) {
    try {
      await confirmDeposit(deps, key)
      return
    } catch (error) {
      const isEarly = error instanceof GatewayError && error.code === 'DEPOSIT_NOT_CONFIRMED'
      if (!isEarly || look === LOOKS_MAX) throw error
      await pause(LOOK_EVERY_MS)
    }
  }
}
