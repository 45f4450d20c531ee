import { type Usdc, usdc } from '@farebox/money'
import { type Address, type Hex, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { connectChain } from '../../src/adapters/chain/chain.ts'
import type { Chain, Log } from '../../src/ports.ts'
import { type RpcProxy, startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../kit/chain/test-chain.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { until } from '../kit/until.ts'
import { newWallet } from '../kit/world/wallets.ts'

const ONE = usdc(1_000_000n)
const TIMEOUT_MS = 5_000

let chain: TestChain
let proxies: [RpcProxy, RpcProxy, RpcProxy]
/** By two endpoints, and by three. */
let pair: Chain
let three: Chain
const reported: { host: string; what: string; fault: string }[] = []
const heights = new Map<string, number>()
const faults: string[] = []

const hostOf = (proxy: RpcProxy) => new URL(proxy.url).host
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: fields => void reported.push(fields as (typeof reported)[number]),
  error: () => undefined,
}
const metrics = {
  count: (_: string, labels: object) => void faults.push(Object.values(labels).join(' ')),
  set: (_: string, labels: object, value: number) => void heights.set(Object.values(labels).join(), value),
}

const connect = (...[first, ...more]: [string, ...string[]]) =>
  connectChain({
    rpcUrl: first,
    moreRpcUrls: more,
    vault: chain.contracts.vault,
    requiredConfirmations: 1,
    ticketSignerKey: chain.ticketSignerKey,
    requestTimeoutMs: TIMEOUT_MS,
    log,
    metrics,
  })

beforeAll(async () => {
  chain = await startTestChain()
  const start = () => startRpcProxy(chain.rpcUrl)
  proxies = await Promise.all([start(), start(), start()])
  const [a, b, c] = proxies
  // As at providers: the key is in the path.
  pair = await connect(`${a.url}/v2/secret-a`, `${b.url}/v2/secret-b`)
  three = await connect(a.url, b.url, c.url)
})
afterAll(() => Promise.all([...(proxies ?? []), chain].map(its => its?.stop())))
afterEach(() => {
  for (const proxy of proxies) proxy.misbehave()
  for (const list of [reported, faults]) list.length = 0
})

type RawLog = { data: Hex }
/** Every deposit is ten times what it is. */
const tenfold = (result: unknown) =>
  (result as RawLog[]).map(raw => ({ ...raw, data: raw.data.length === 66 ? timesTen(raw.data) : raw.data }))
const timesTen = (word: Hex) => numberToHex(BigInt(word) * 10n, { size: 32 })
const lies = {
  alter(method: string, result: unknown) {
    if (method === 'eth_getLogs') return tenfold(result)
    if (method !== 'eth_getTransactionReceipt' || result === null) return undefined
    const receipt = result as { logs: RawLog[] }
    return { ...receipt, logs: tenfold(receipt.logs) }
  },
}
/** The vault says that it has paid everything. */
const paysAll = {
  alter: (method: string, result: unknown) =>
    method === 'eth_call' && result === `0x${'0'.repeat(64)}` ? `0x${'0'.repeat(63)}1` : undefined,
}
const unavailable = { code: 'UNAVAILABLE' }
const deposit = () => chain.deposit(newWallet().address, ONE)

async function eventsNow(by: Chain) {
  const { number } = await by.head()
  return by.vaultEvents({ from: number, to: number })
}

test('with one of two endpoints lying about events and receipts, believes neither and reports both hosts', async () => {
  const txHash = await deposit()
  proxies[1].misbehave(lies)
  await expect(eventsNow(pair)).rejects.toMatchObject(unavailable)
  await expect(pair.receipt(txHash)).rejects.toMatchObject(unavailable)
  const hosts = [hostOf(proxies[0]), hostOf(proxies[1])].sort()
  expect(
    reported
      .filter(({ what }) => what === 'events')
      .map(({ host }) => host)
      .sort(),
  ).toEqual(hosts)
  expect(faults).toContain(`${hostOf(proxies[1])} differs`)
  expect(JSON.stringify([reported, faults])).not.toContain('secret')
  proxies[1].misbehave()
  expect(await eventsNow(pair)).toMatchObject([{ kind: 'deposited', amount: ONE }])
})

test('outvotes one lying endpoint of three, and names it alone', async () => {
  const txHash = await deposit()
  proxies[0].misbehave(lies)
  expect(await eventsNow(three)).toMatchObject([{ kind: 'deposited', amount: ONE }])
  expect((await three.receipt(txHash))?.events).toMatchObject([{ amount: ONE }])
  await until('the liar is named', () => reported.length >= 2)
  expect(new Set(reported.map(({ host, fault }) => `${host} ${fault}`))).toEqual(
    new Set([`${hostOf(proxies[0])} differs`]),
  )
})

test('tolerates one of three endpoints down; with two down nothing is known', async () => {
  await deposit()
  proxies[0].misbehave({ refuses: true })
  expect(await eventsNow(three)).toHaveLength(1)
  const startedAgain = await connect(...(proxies.map(({ url }) => url) as [string, string, string]))
  expect(await eventsNow(startedAgain)).toHaveLength(1)
  await until('it is named', () =>
    reported.some(({ host, fault }) => host === hostOf(proxies[0]) && fault === 'failed'),
  )
  proxies[1].misbehave({ status: 503 })
  await expect(three.head()).rejects.toMatchObject(unavailable)
  await expect(eventsNow(pair)).rejects.toMatchObject(unavailable)
})

test('one of three endpoints that never answers delays nobody for long', async () => {
  proxies[2].misbehave({ hangs: true })
  const from = Date.now()
  const { number } = await three.head()
  expect(await three.isNonceUsed(`0x${'ab'.repeat(32)}`, number)).toBe(false)
  expect(Date.now() - from).toBeLessThan(2 * TIMEOUT_MS)
})

test('the head is the highest block that two endpoints have; a lagging one of a pair is named', async () => {
  await chain.mine(40)
  const { number } = await chain.adapter.head()
  proxies[1].misbehave({ lagsBy: 30 })
  expect(await pair.head()).toEqual(await chain.adapter.block(number - 30n))
  expect((await three.head()).number).toBe(number)
  expect(reported).toContainEqual({ host: hostOf(proxies[1]), what: 'head', fault: 'behind' })
  expect(heights.get(hostOf(proxies[1]))).toBe(Number(number - 30n))
  await expect(pair.vaultEvents({ from: number, to: number })).rejects.toMatchObject(unavailable)
})

test('ignores an endpoint that is ahead of the chain', async () => {
  const alter = (method: string, result: unknown) =>
    method === 'eth_getBlockByNumber' ? { ...(result as object), number: '0xfffffff' } : undefined
  proxies[0].misbehave({ alter })
  const { number } = await chain.adapter.head()
  expect((await three.head()).number).toBe(number)
})

test('needs two endpoints to accept a paid ticket or the signature of a contract', async () => {
  const nonce: Hex = `0x${'cd'.repeat(32)}`
  proxies[1].misbehave(paysAll)
  const { number } = await chain.adapter.head()
  await expect(pair.isNonceUsed(nonce, number)).rejects.toMatchObject(unavailable)
  expect(await three.isNonceUsed(nonce, number)).toBe(false)
  const says = { alter: (method: string) => (method === 'eth_call' ? '0x01' : undefined) }
  proxies[1].misbehave(says)
  const message = 'hello'
  const signature = await newWallet().signMessage({ message })
  const forged = { address: newWallet().address, message, signature }
  await expect(pair.verifyMessage(forged)).rejects.toMatchObject(unavailable)
  expect(await three.verifyMessage(forged)).toBe(false)
})

test('takes mere hints from any endpoint that answers', async () => {
  proxies[0].misbehave({ refuses: true })
  expect(await pair.vaultBalance()).toBe(await chain.adapter.vaultBalance())
  expect(await pair.withdrawableNow()).toBe(await chain.adapter.withdrawableNow())
})

test('one of three endpoints does not stop withdrawals by a wrong limit of the vault', async () => {
  proxies[0].misbehave({
    alter: method => (method === 'eth_call' ? numberToHex(0, { size: 32 }) : undefined),
  })
  expect(await three.withdrawableNow()).toBe(await chain.adapter.withdrawableNow())
  expect(await three.vaultBalance()).toBe(await chain.adapter.vaultBalance())
})

test('endpoints of different chains stop the start with a line that names both', async () => {
  const alter = (method: string) => (method === 'eth_chainId' ? '0x1' : undefined)
  proxies[1].misbehave({ alter })
  await expect(connect(proxies[0].url, proxies[1].url)).rejects.toThrow(
    `CHAIN_RPC_URL and RPC_URLS do not lead to one chain: ${hostOf(proxies[0])} to chain 31337, ${hostOf(proxies[1])} to chain 1.`,
  )
})

test('a gateway on two endpoints credits nothing while one lies or lags, and everything once when they agree', async () => {
  const [a, b] = proxies
  let on: TestGateway | undefined
  try {
    on = await startTestGateway({
      chain: { ...chain, stop: async () => undefined },
      env: {
        CHAIN_RPC_URL: a.url,
        RPC_URLS: b.url,
        AUTO_CREDIT_AFTER_SECONDS: '0',
        METRICS_TOKEN: 'm'.repeat(16),
      },
    })
    const gateway = on
    const credited = async (wallet: Address): Promise<Usdc | undefined> => {
      const [row] = await gateway.sql<{ credited: Usdc }>('select credited from deposits where wallet = $1', [
        wallet,
      ])
      return row?.credited
    }
    const scrape = async () =>
      (
        await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${'m'.repeat(16)}` } })
      ).text()
    for (const how of [lies, { lagsBy: 25 }]) {
      b.misbehave(how)
      const wallet = newWallet().address.toLowerCase() as Address
      await chain.deposit(wallet, ONE)
      const kind = how === lies ? 'differs' : 'behind'
      await until(`the metric says ${kind}`, async () =>
        new RegExp(`farebox_chain_endpoint_faults_total\\{host="${hostOf(b)}",fault="${kind}"\\} [1-9]`).test(
          await scrape(),
        ),
      )
      expect(await credited(wallet)).toBeUndefined()
      b.misbehave()
      await until('it is credited', async () => (await credited(wallet)) !== undefined)
      expect(String(await credited(wallet))).toBe(String(ONE))
    }
  } finally {
    await on?.stop()
  }
})
