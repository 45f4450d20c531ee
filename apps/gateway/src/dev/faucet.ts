import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { testUsdcAbi } from '@farebox/vault'
import { usdcIn } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { type Address, encodeFunctionData, formatEther, getAddress, type Hex, parseEther } from 'viem'
import { z } from 'zod'
import type { App } from '../app.ts'
import type { AnvilClient } from './anvil.ts'
import { type Contracts, firstAccount, sendMined } from './deploy.ts'

const AMOUNT_DEFAULT = parseUsdc('100')
/** Most test USDC in one request. */
const AMOUNT_MAX = parseUsdc('1000000')
const ETHER = parseEther('10')

const faucetBody = z.object({
  address: z.unknown(),
  amountUsdc: usdcIn
    .refine(amount => amount <= AMOUNT_MAX, `Must be at most ${formatUsdc(AMOUNT_MAX)}.`)
    .default(AMOUNT_DEFAULT),
})

/** Gives test money; returns when it is mined. */
export type Faucet = (to: Address, amount: Usdc) => Promise<{ txHash: Hex }>

/**
 * A faucet on a development chain: mints test USDC, and sends 10 ether for gas. One request after another: the
 * node itself numbers the transactions of its accounts, and does it well for one at a time only.
 */
export function createFaucet(client: AnvilClient, contracts: Contracts): Faucet {
  let queue: Promise<unknown> = Promise.resolve()

  async function give(to: Address, amount: Usdc): Promise<{ txHash: Hex }> {
    const from = await firstAccount(client)
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'mint', args: [to, amount] })
    await sendMined(client, { from, to, value: ETHER })
    const { transactionHash } = await sendMined(client, { from, to: contracts.usdc, data })
    return { txHash: transactionHash }
  }

  return (to, amount) => {
    const given = queue.then(() => give(to, amount))
    queue = given.catch(() => undefined) // whoever asked is told; the next is served all the same
    return given
  }
}

/** `POST /dev/faucet {address, amountUsdc?}`: 10 test ether and test USDC (100 unless told), for development only. */
export function faucetRoute(app: App, faucet: Faucet): void {
  app.post('/dev/faucet', { schema: { body: faucetBody } }, async request => {
    const { address, amountUsdc } = request.body
    const to = readAddress(address)
    const { txHash } = await faucet(to, amountUsdc)
    return {
      status: 'success',
      address: to,
      amountUsdc: formatUsdc(usdc(amountUsdc)),
      ethAmount: formatEther(ETHER),
      txHash,
    }
  })
}

function readAddress(input: unknown): Address {
  if (input === undefined) {
    throw new GatewayError('MISSING_ADDRESS', {}, { message: 'The body needs an address.' })
  }
  if (typeof input !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(input))
    throw new GatewayError('INVALID_ADDRESS')
  return getAddress(input.toLowerCase())
}
