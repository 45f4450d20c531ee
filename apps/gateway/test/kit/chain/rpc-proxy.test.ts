import { usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { createPublicClient, type Hex, http } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newWallet } from '../world/wallets.ts'
import { lies } from './lies.ts'
import { type Misbehaviour, type RpcProxy, startRpcProxy } from './rpc-proxy.ts'
import { startTestChain, type TestChain } from './test-chain.ts'

const USDC = 1_000_000n
const LAG_BLOCKS = 12

let chain: TestChain
let node: RpcProxy
let txHash: Hex

beforeAll(async () => {
  chain = await startTestChain()
  node = await startRpcProxy(chain.rpcUrl)
  await chain.mine(LAG_BLOCKS)
  txHash = await chain.deposit(newWallet().address, usdc(USDC))
})
afterEach(() => node.misbehave())
afterAll(async () => {
  await node.stop()
  await chain.stop()
})

/** Asks the node, as a gateway does. */
const client = () => {
  const transport = http(node.url, { retryCount: 0, timeout: 1_000 })
  return createPublicClient({ transport, cacheTime: 0, batch: { multicall: false } })
}
const vault = () => ({ address: chain.contracts.vault, abi: fareboxVaultAbi }) as const
/** Returns the amounts of the deposits of the transaction, by the list of events. */
const amounts = async () => {
  const listed = await client().getContractEvents({ ...vault(), eventName: 'Deposited', fromBlock: 0n })
  return listed.filter(log => log.transactionHash === txHash).map(log => log.args.amount)
}
/** Returns the amount of the deposit by its receipt. */
const lastWord = async () => {
  const { logs } = await client().getTransactionReceipt({ hash: txHash })
  return BigInt(`0x${logs.at(-1)?.data.slice(-64)}`)
}
const counted = () => client().readContract({ ...vault(), functionName: 'depositCount' })

test('a lagging node lags with head, blocks, logs, receipts and state alike', async () => {
  const [head, count] = [await client().getBlockNumber(), await counted()]
  node.misbehave({ lagsBy: LAG_BLOCKS })
  expect(await client().getBlockNumber()).toBe(head - BigInt(LAG_BLOCKS))
  expect(await amounts()).toEqual([])
  expect(await counted()).toBeLessThan(count)
  await expect(client().getTransactionReceipt({ hash: txHash })).rejects.toThrow('could not be found')
  await expect(client().getBlock({ blockNumber: head })).rejects.toThrow('could not be found')

  await chain.mine(LAG_BLOCKS)
  expect(await client().getBlockNumber()).toBe(head)
  expect(await amounts()).toEqual([USDC])
  expect(await counted()).toBe(count)
})

test('a lying node reports other events and another chain', async () => {
  expect([await amounts(), await lastWord()]).toEqual([[USDC], USDC])
  const under = async (lie: Misbehaviour) => {
    node.misbehave(lie)
    return [await amounts(), await lastWord()]
  }
  expect(await under(lies.noLogs())).toEqual([[], USDC])
  expect(await under(lies.without(txHash))).toEqual([[], USDC])
  expect(await under(lies.twice(txHash))).toEqual([[USDC, USDC], USDC])
  expect(await under(lies.amount(txHash, 5n))).toEqual([[5n], 5n])
  node.misbehave(lies.chain(1))
  expect(await client().getChainId()).toBe(1)
})

test('a node hangs, and closes connections', async () => {
  node.misbehave({ hangs: true })
  await expect(client().getBlockNumber()).rejects.toThrow('took too long')
  node.misbehave({ refuses: true })
  await expect(client().getBlockNumber()).rejects.toThrow('HTTP request failed')
})
