import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { testUsdcAbi } from '@farebox/vault'
import { hashOut, success, usdcIn, usdcOut, walletOut } from '@farebox/wire/common'
import { GatewayError } from '@farebox/wire/errors'
import { type Address, encodeFunctionData, formatEther, getAddress, type Hex, parseEther } from 'viem'
import { z } from 'zod'
import { unavailable } from '../adapters/chain/chain-rpc.ts'
import type { App } from '../app.ts'
import { contract } from '../http/openapi/contract.ts'
import { takeTurns } from '../runtime/take-turns.ts'
import type { AnvilClient } from './anvil.ts'
import { type Contracts, firstAccount, RevertedError, sendMined } from './deploy.ts'

const AMOUNT_DEFAULT = parseUsdc('100')
/** Maximum test USDC per request. */
const AMOUNT_MAX = parseUsdc('1000000')
const ETHER = parseEther('10')

const faucetBody = z.object({
  address: z.unknown().optional(),
  amountUsdc: usdcIn
    .refine(amount => amount <= AMOUNT_MAX, `Must be at most ${formatUsdc(AMOUNT_MAX)}.`)
    .default(AMOUNT_DEFAULT),
})

const faucetAnswer = z.object({
  status: success,
  address: walletOut,
  amountUsdc: usdcOut,
  ethAmount: z.string().regex(/^\d{1,18}(\.\d{1,18})?$/),
  txHash: hashOut,
})

/** Sends test money; resolves when it is mined. */
export type Faucet = (to: Address, amount: Usdc) => Promise<{ txHash: Hex }>

/**
 * Creates a faucet on a development chain: mints test USDC, and sends 10 ether for gas. Serves one request at a time,
 * as the node assigns nonces reliably only then.
 *
 * @throws GatewayError INVALID_ADDRESS if the address takes no ether or no USDC; UNAVAILABLE if the chain fails or too
 * many requests wait
 */
export function createFaucet(client: AnvilClient, contracts: Contracts): Faucet {
  const inTurn = takeTurns()

  async function give(to: Address, amount: Usdc): Promise<{ txHash: Hex }> {
    const from = await firstAccount(client)
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'mint', args: [to, amount] })
    await sendMined(client, { from, to, value: ETHER })
    const { transactionHash } = await sendMined(client, { from, to: contracts.usdc, data })
    return { txHash: transactionHash }
  }

  return (to, amount) =>
    inTurn(() =>
      give(to, amount).catch((error: unknown) => {
        if (!(error instanceof RevertedError)) throw unavailable(error)
        const message = 'This address takes no test money. Give that of a wallet.'
        throw new GatewayError('INVALID_ADDRESS', {}, { message })
      }),
    )
}

/** `POST /dev/faucet {address, amountUsdc?}`: 10 test ether and test USDC (default 100), for development only. */
export function faucetRoute(app: App, faucet: Faucet): void {
  const about = contract(
    {
      id: 'giveTestMoney',
      summary: 'Get test ether and test USDC',
      description: 'In development mode only.',
      tag: 'Development',
      access: 'public',
      errors: ['MISSING_ADDRESS', 'INVALID_ADDRESS'],
      answer: faucetAnswer,
      exampleBody: { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', amountUsdc: '100' },
    },
    { body: faucetBody },
  )
  app.post('/dev/faucet', about, async request => {
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
