import { setTimeout as pause } from 'node:timers/promises'
import type { Usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { unavailable } from '../adapters/chain/chain-rpc.ts'
import { confirmDeposit } from '../domains/deposits/confirm-deposit.ts'
import { openDeposit } from '../domains/deposits/open-deposit.ts'
import type { Deps } from '../ports.ts'
import type { AnvilClient } from './anvil.ts'
import { type Contracts, sendMined } from './deploy.ts'
import type { Faucet } from './faucet.ts'

const LOOK_EVERY_MS = 200
/** There is a block per second; with more confirmations than this, the deposit is credited later. */
const LOOKS_MAX = 100

/** A development chain whose USDC is test money. */
export type TestMoney = {
  readonly client: AnvilClient
  readonly contracts: Contracts
  readonly faucet: Faucet
}

/**
 * Deposits test USDC of the faucet for a wallet, and waits until it is credited. The node sends for the wallet, without
 * its key.
 *
 * @throws GatewayError UNAVAILABLE if the chain fails; DEPOSIT_NOT_CONFIRMED if it takes too long
 */
export async function depositTestMoney(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
  chain: TestMoney,
  { address, amount }: { address: Address; amount: Usdc },
): Promise<void> {
  const txHash = await sendToVault(chain, address, amount).catch((error: unknown) => {
    throw unavailable(error)
  })
  const wallet = address.toLowerCase()
  const { body } = await openDeposit(deps, { wallet, txHash, amount, idempotencyKey: null })
  await untilCredited(deps, { wallet, id: body.intent.id })
}

async function sendToVault(
  { client, contracts: { usdc, vault }, faucet }: TestMoney,
  from: Address,
  amount: Usdc,
): Promise<Hex> {
  await faucet(from, amount)
  await client.impersonateAccount({ address: from })
  const approval = encodeFunctionData({ abi: testUsdcAbi, functionName: 'approve', args: [vault, amount] })
  await sendMined(client, { from, to: usdc, data: approval })
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] })
  return (await sendMined(client, { from, to: vault, data })).transactionHash
}

async function untilCredited(
  deps: Pick<Deps, 'db' | 'chain' | 'ids' | 'log'>,
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
