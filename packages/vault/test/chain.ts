/** A development chain for the tests: a real anvil on a free port of the loopback, with a clock that stands still. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  createTestClient,
  decodeErrorResult,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
  type ReadContractParameters,
  type TransactionReceipt,
  walletActions,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { fareboxVaultAbi, testUsdcAbi } from '../src/index.ts'
import { smartWalletAbi } from '../src/test-contracts.gen.ts'

/** The chain id of the tests' chain. */
export const chainId = foundry.id

/** The people in the tests. Their keys are anvil's published development keys, and anvil has given them ether. */
export const owner = account(0)
export const signer = account(1)
export const alice = account(2)
export const bob = account(3)
export const courier = account(4)
export const mallory = account(5)

const START_TIMEOUT_MS = 20_000
const GAS_LIMIT = 8_000_000n

const errorsAbi = [...fareboxVaultAbi, ...testUsdcAbi, ...smartWalletAbi].filter(
  item => item.type === 'error',
)

function account(addressIndex: number) {
  return mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex })
}

function connect(port: string) {
  const transport = http(`http://127.0.0.1:${port}`)
  return createTestClient({ mode: 'anvil', chain: foundry, transport, pollingInterval: 5 })
    .extend(publicActions)
    .extend(walletActions)
}

/** A transaction that was mined and failed, with the Solidity error that it failed with. */
export class Reverted extends Error {
  readonly errorName: string
  readonly args: readonly unknown[]

  constructor(errorName: string, args: readonly unknown[]) {
    super(`reverted with ${errorName}(${args.join(', ')})`)
    this.errorName = errorName
    this.args = args
  }
}

/** The error that a transaction fails with, as `[name, ...args]`. It is a failure of the test if it does not fail. */
export async function revertOf(transaction: Promise<unknown>): Promise<unknown[]> {
  const error = await transaction.then(
    () => new Error('the transaction was expected to revert, and succeeded'),
    cause => cause,
  )
  if (error instanceof Reverted) return [error.errorName, ...error.args]
  throw error
}

/** Waits, within a bound, for the line by which anvil tells its port. */
async function portOf(
  anvil: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> },
): Promise<string> {
  const timer = setTimeout(() => anvil.kill(), START_TIMEOUT_MS)
  try {
    for await (const line of createInterface({ input: anvil.stdout })) {
      const port = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
      if (port !== undefined) return port
    }
    throw new Error(`anvil ended, or was not ready within ${START_TIMEOUT_MS} ms`)
  } finally {
    clearTimeout(timer)
    anvil.stdout.resume()
  }
}

export type Chain = Awaited<ReturnType<typeof startChain>>

/** Starts a chain whose clock stands still except for {@link warpTo}. */
export async function startChain() {
  const anvilPath = fileURLToPath(import.meta.resolve('@foundry-rs/anvil/bin.mjs'))
  const anvil = spawn(process.execPath, [anvilPath, '--port', '0', '--hardfork', 'cancun'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const client = connect(await portOf(anvil))
  await client.setBlockTimestampInterval({ interval: 0 })

  /** Has a transaction mined, and throws {@link Reverted} if it fails. */
  async function send(from: Address, to: Address | undefined, data: Hex): Promise<TransactionReceipt> {
    const receipt = await client.sendTransactionSync({
      account: from,
      data,
      gas: GAS_LIMIT,
      ...(to === undefined ? {} : { to }),
    })
    if (receipt.status === 'success') return receipt
    const trace = await client.request<{
      Method: 'debug_traceTransaction'
      Parameters: [Hex, { tracer: 'callTracer' }]
      ReturnType: { output?: Hex }
    }>({ method: 'debug_traceTransaction', params: [receipt.transactionHash, { tracer: 'callTracer' }] })
    const { errorName, args } = decodeErrorResult({ abi: errorsAbi, data: trace.output ?? '0x' })
    throw new Reverted(errorName, args ?? [])
  }

  return {
    client,
    send,

    /** Deploys a contract; `data` is what viem's `encodeDeployData` makes. */
    async deploy(data: Hex): Promise<Address> {
      const { contractAddress } = await send(owner.address, undefined, data)
      if (!contractAddress) throw new Error('the deployment made no contract')
      return contractAddress
    },

    /** The time of the latest block, which is the time on the chain's clock. */
    async now(): Promise<bigint> {
      return (await client.getBlock()).timestamp
    },

    /** Sets the clock, forward only. */
    async warpTo(timestamp: bigint): Promise<void> {
      await client.setNextBlockTimestamp({ timestamp })
      await client.mine({ blocks: 1 })
    },

    /** Ends the chain and waits until its process is gone. */
    async stop(): Promise<void> {
      const exited = once(anvil, 'exit')
      anvil.kill()
      await exited
    },
  }
}

/** A contract to read from, and to send transactions to from any account of the chain, both typed by its ABI. */
export function contractAt<const abi extends Abi>(chain: Chain, abi: abi, address: Address) {
  return {
    address,

    async read<name extends ContractFunctionName<abi, 'view' | 'pure'>>(
      functionName: name,
      args: ContractFunctionArgs<abi, 'view' | 'pure', name>,
    ): Promise<ContractFunctionReturnType<abi, 'view' | 'pure', name>> {
      const call = { address, abi, functionName, args } as unknown as ReadContractParameters
      return chain.client.readContract(call) as Promise<
        ContractFunctionReturnType<abi, 'view' | 'pure', name>
      >
    },

    async write<name extends ContractFunctionName<abi, 'nonpayable'>>(
      from: { address: Address },
      functionName: name,
      args: ContractFunctionArgs<abi, 'nonpayable', name>,
    ): Promise<TransactionReceipt> {
      const call = { abi, functionName, args } as unknown as EncodeFunctionDataParameters
      return chain.send(from.address, address, encodeFunctionData(call))
    },
  }
}
