import { type Usdc, usdc } from '@farebox/money'
import { testUsdcAbi } from '@farebox/vault'
import type { GatewayError } from '@farebox/wire/errors'
import { concatHex, encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../test/kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import type { Chain } from '../../ports.ts'
import { connectChain } from './chain.ts'

const DEPOSITS = 12

let chain: TestChain
let proxy: RpcProxy
let through: Chain
let range: { from: bigint; to: bigint }
let deposited: Usdc[]

beforeAll(async () => {
  chain = await startTestChain()
  proxy = await startRpcProxy(chain.rpcUrl)
  const { vault } = chain.contracts
  through = await connectChain({ rpcUrl: proxy.url, vault, requiredConfirmations: 1, log: silent })
  const from = (await chain.adapter.head()).number + 1n
  const owner = newWallet().address
  deposited = Array.from({ length: DEPOSITS }, (_, index) => usdc(BigInt(index + 1)))
  for (const amount of deposited) await chain.deposit(owner, amount)
  await chain.mine(200)
  range = { from, to: (await chain.adapter.head()).number }
})
afterAll(async () => {
  await proxy?.stop()
  await chain?.stop()
})
beforeEach(() => proxy.misbehave())

/** Connects to the node, waiting this long for its answers, in ms. */
const connectWithin = (requestTimeoutMs: number) =>
  connectChain({
    rpcUrl: proxy.url,
    vault: chain.contracts.vault,
    requiredConfirmations: 1,
    requestTimeoutMs,
    log: silent,
  })

type Filter = { fromBlock: string; toBlock: string }
const blocksOf = ([filter]: readonly unknown[]) =>
  Number((filter as Filter).toBlock) - Number((filter as Filter).fromBlock) + 1

describe('a node that refuses ranges of logs', () => {
  test.each([
    ['more than 10 blocks', (params: readonly unknown[]) => blocksOf(params) > 10],
    [
      'more than 3 logs',
      (params: readonly unknown[], result: unknown) =>
        blocksOf(params) > 1 && (result as unknown[]).length > 3,
    ],
  ])('is asked for smaller ones if it refuses %s', async (_, isTooMuch) => {
    proxy.misbehave({
      refuse: (method, params, result) =>
        method === 'eth_getLogs' && isTooMuch(params, result)
          ? { code: -32_602, message: 'query exceeds the limit' }
          : undefined,
    })
    const events = await through.vaultEvents(range)
    expect(events.map(({ amount }) => amount)).toEqual(deposited)
  })

  test('is asked for smaller ones if it does not answer more than 50 blocks in time', async () => {
    const hurried = await connectWithin(500)
    proxy.misbehave({ hangsOn: (method, params) => method === 'eth_getLogs' && blocksOf(params) > 50 })
    const events = await hurried.vaultEvents(range)
    expect(events.map(({ amount }) => amount)).toEqual(deposited)
    proxy.misbehave({ hangs: true })
    await expect(hurried.vaultEvents(range)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('is given up after four waits if it answers everything but logs', async () => {
    const waits: number[] = []
    const hurried = await connectWithin(100)
    proxy.misbehave({
      hangsOn(method, params) {
        const isLogs = method === 'eth_getLogs'
        if (isLogs) waits.push(blocksOf(params))
        return isLogs
      },
    })
    await expect(hurried.vaultEvents({ from: 0n, to: 199n })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(waits).toEqual([200, 25, 4, 1])
  })

  test('is unavailable if it refuses a single block too', async () => {
    proxy.misbehave({
      refuse: method => (method === 'eth_getLogs' ? { code: -32_602, message: 'no logs' } : undefined),
    })
    const unavailable = expect.objectContaining<Partial<GatewayError>>({ code: 'UNAVAILABLE' })
    await expect(through.vaultEvents(range)).rejects.toEqual(unavailable)
  })
})

describe('so many logs that an answer would be too large', () => {
  const TRANSFERS_OF_NOTHING = 5
  /** Returns code that transfers nothing to the vault until its gas is used up. */
  const spamCode = (): Hex => {
    const { usdc: token, vault } = chain.contracts
    const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [vault, 0n] })
    // codecopy(0, 0x2e, 68); do { call(gas, token, 0, 0, 68, 0, 0) } while (gas > 50,000)
    return concatHex(['0x6044602e5f395b5f5f60445f5f73', token, '0x5af15061c3505a1160065700', data])
  }
  const spam = async (): Promise<void> => {
    const [from, at] = [newWallet().address, newWallet().address]
    await chain.client.setBalance({ address: from, value: parseEther('1000') })
    await chain.client.setCode({ address: at, bytecode: spamCode() })
    for (let nonce = 0; nonce < TRANSFERS_OF_NOTHING; nonce += 1)
      await chain.client.sendTransaction({ account: from, to: at, nonce, gas: 16_000_000n })
  }

  test('of several blocks hides no deposit', { timeout: 60_000 }, async () => {
    const first = (await chain.adapter.head()).number + 1n
    await spam()
    await chain.deposit(newWallet().address, usdc(77n))
    const { number: to } = await chain.adapter.head()
    const events = await chain.adapter.vaultEvents({ from: first, to })
    expect(events.map(({ amount }) => amount)).toEqual([77n])
  })

  test('of one block hides no deposit', { timeout: 60_000 }, async () => {
    await chain.client.setBlockGasLimit({ gasLimit: 200_000_000n })
    await chain.mine(1)
    await chain.pauseMining()
    await spam()
    await chain.deposit(newWallet().address, usdc(78n))
    await chain.mine()
    await chain.resumeMining()
    const { number } = await chain.adapter.head()
    const events = await chain.adapter.vaultEvents({ from: number - 1n, to: number })
    expect(events.map(({ amount }) => amount)).toEqual([78n])
  })
})

test('transfers of nothing to the vault cost no search for authorizations', async () => {
  const sender = newWallet().address
  const { usdc: token, vault } = chain.contracts
  await chain.fund(sender, usdc(1n))
  const data = encodeFunctionData({ abi: testUsdcAbi, functionName: 'transfer', args: [vault, 0n] })
  await chain.send(sender, token, data)
  const { number } = await chain.adapter.head()
  let asked = 0
  proxy.misbehave({
    alter: method => {
      if (method === 'eth_getLogs') asked += 1
      return undefined
    },
  })
  expect(await through.vaultEvents({ from: number, to: number })).toEqual([])
  expect(asked).toBe(2)
})
