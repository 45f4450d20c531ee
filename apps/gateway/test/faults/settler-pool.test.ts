import type { Usdc } from '@farebox/money'
import { createPublicClient, http, keccak256, numberToHex, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSettler } from '../../src/adapters/chain/settler.ts'
import type { Settler } from '../../src/payment-ports.ts'
import { startKeepingPool } from '../kit/chain/keeping-pool.ts'
import { type RpcProxy, startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../kit/chain/test-chain.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { sendJson } from '../kit/provider/provider.ts'
import { silent } from '../kit/silent-log.ts'
import { until } from '../kit/until.ts'
import { PRICE, type SoldService, sellService } from '../kit/world/sold-service.ts'
import {
  askTerms,
  giveGas,
  newSettler,
  newX402Payer,
  request,
  signPayment,
} from '../kit/world/x402-client.ts'

/** More than ten times the fee of any block before. */
const RISE = 20n
/** A fee that no honest node names. */
const HUGE = numberToHex(parseGwei('1000000'))
const settler = newSettler()

let chain: TestChain
let pool: Awaited<ReturnType<typeof startKeepingPool>>
let on: TestGateway
let sold: SoldService
let url: string

beforeAll(async () => {
  chain = await startTestChain()
  await giveGas(chain, settler.address, '1000')
  pool = await startKeepingPool(chain, settler.address)
  on = await startTestGateway({ chain, env: { ...settler.env, CHAIN_RPC_URL: pool.url } })
  sold = await sellService(on)
  sold.upstream.respondWith((_, response) => sendJson(response, 200, {}))
  url = `${on.url}/x402/${sold.service}`
})
afterAll(async () => {
  await on?.stop()
  await sold?.upstream.stop()
  await pool?.stop()
})

/** Returns a wallet with the price of one call, and sends its payment. */
async function newPayment() {
  const payer = await newX402Payer(chain, PRICE)
  const { header } = await signPayment(payer, await askTerms(url))
  return { payer, send: () => request(url, {}, header) }
}

/** The transactions of all payments count as sent a minute ago. */
const letTimePass = () => on.sql("update x402_payments set sent_at = sent_at - interval '1 minute'")

const raiseBaseFee = async () => {
  const { baseFeePerGas } = await chain.client.getBlock()
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: (baseFeePerGas ?? 0n) * RISE })
  await chain.mine()
}

test('a payment that the base fee has overtaken is sent again at a price that is mined, and holds up no other', {
  timeout: 60_000,
}, async () => {
  const [first, second] = [await newPayment(), await newPayment()]
  pool.close()
  const waits = first.send()
  await until('the first is in the pool', () => pool.size() === 1)
  await raiseBaseFee()
  await pool.open()
  expect(pool.size()).toBe(1)

  const behind = second.send()
  await until('the second is behind it', () => pool.size() === 2)
  await letTimePass()
  expect((await Promise.all([waits, behind])).map(({ status }) => status)).toEqual([200, 200])
  expect(pool.size()).toBe(0)
  expect([await chain.usdcOf(first.payer.address), await chain.usdcOf(second.payer.address)]).toEqual([
    0n,
    0n,
  ])
  await on.assertBooks()
})

test.each([
  ['a lower', 1n],
  ['a higher', parseGwei('1.5')],
])(
  'a payment behind another with %s tip that nobody sends again takes its place',
  {
    timeout: 60_000,
  },
  async (_, tip) => {
    pool.close()
    await leaveOne(tip)
    await raiseBaseFee()
    await pool.open()
    const next = await newPayment()
    let waits = next.send()
    await until('it is behind the other', () => pool.size() === 2)
    await until('it is paid', async () => {
      await letTimePass()
      const { status } = await waits
      waits = next.send()
      return status === 200
    })
    expect((await waits).status).toBe(200)
    expect(await chain.usdcOf(next.payer.address)).toBe(0n)
    await on.assertBooks()
  },
)

/** Sends a transaction of the settler at a price below the raised base fee. */
async function leaveOne(maxPriorityFeePerGas: bigint): Promise<void> {
  const { baseFeePerGas } = await chain.client.getBlock()
  const serializedTransaction = await privateKeyToAccount(settler.key).signTransaction({
    chainId: 31_337,
    type: 'eip1559',
    to: chain.contracts.usdc,
    nonce: await chain.client.getTransactionCount({ address: settler.address }),
    gas: 250_000n,
    maxFeePerGas: baseFeePerGas ?? 0n,
    maxPriorityFeePerGas,
  })
  const sender = createPublicClient({ transport: http(pool.url) })
  await sender.sendRawTransaction({ serializedTransaction })
}

describe('one endpoint of three that answers first', () => {
  let ends: RpcProxy[]
  let liar: RpcProxy
  let honest: Settler
  let outvoting: Settler

  beforeAll(async () => {
    liar = await startRpcProxy(chain.rpcUrl)
    const near = await startRpcProxy(chain.rpcUrl)
    const far = await startRpcProxy(near.url)
    ends = [liar, far, near]
    const by = (urls: string[]) =>
      createSettler({ urls, key: settler.key, facts: chain.adapter.facts, log: silent })
    honest = await by([chain.rpcUrl])
    outvoting = await by([liar.url, far.url, far.url])
  })
  afterAll(() => Promise.all((ends ?? []).map(end => end.stop())))

  /** Returns the authorization of a new payer, and waits until it is used. */
  async function newAuthorization() {
    const payer = await newX402Payer(chain, PRICE)
    const { message } = await signPayment(payer, await askTerms(url))
    const used = () => until('it is mined', async () => (await chain.usdcOf(payer.address)) === 0n)
    return { authorization: { ...message, payer: payer.address, amount: PRICE as Usdc }, used }
  }

  test('does not raise what a payment costs by a high tip', async () => {
    liar.misbehave({
      alter: method => (method === 'eth_maxPriorityFeePerGas' ? HUGE : undefined),
    })
    const { perPayment } = await honest.gas()
    expect((await outvoting.gas()).perPayment).toBe(perPayment)
    const before = await chain.client.getBalance(settler)
    const first = await newAuthorization()
    await outvoting.submit(first.authorization, [], async () => undefined)
    await first.used()
    expect(before - (await chain.client.getBalance(settler))).toBeLessThan(perPayment)

    const waits = { nonce: '0x0', maxFeePerGas: HUGE, maxPriorityFeePerGas: HUGE, blockNumber: null }
    liar.misbehave({ alter: method => (method === 'eth_getTransactionByHash' ? waits : undefined) })
    const second = await newAuthorization()
    await outvoting.submit(second.authorization, [keccak256('0x')], async () => undefined)
    await second.used()
    expect(before - (await chain.client.getBalance(settler))).toBeLessThan(2n * perPayment)
  })

  test.each([
    ['balance', 'eth_getBalance', '0x0'],
    ['nonce', 'eth_getTransactionCount', '0x3e7'],
    ['amount of gas', 'eth_estimateGas', '0xffffff'],
    ['refusal of the token', 'eth_call', null],
  ])('does not delay a payment by a wrong %s', async (_, lie, answer) => {
    const { authorization, used } = await newAuthorization()
    liar.misbehave({
      alter: method => (method === lie && answer !== null ? answer : undefined),
      refuse: method =>
        method === lie && answer === null ? { code: 3, message: 'execution reverted' } : undefined,
    })
    expect(await outvoting.gas()).toEqual(await honest.gas())
    expect(await outvoting.verify(authorization)).toBeNull()
    expect(await outvoting.submit(authorization, [], async () => undefined)).not.toBeNull()
    await used()
  })
})
