import { usdc } from '@farebox/money'
import type { GatewayError } from '@farebox/wire/errors'
import { type Address, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../test/kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import type { Chain } from '../../ports.ts'
import { connectChain } from './chain.ts'

const REQUEST_TIMEOUT_MS = 300
const NONCE: Hex = `0x${'ab'.repeat(32)}`
const UNKNOWN_HASH: Hex = `0x${'00'.repeat(32)}`
const dollars = (amount: bigint) => usdc(amount * 1_000_000n)

let chain: TestChain
let adapter: Chain
let owner: Address

beforeAll(async () => {
  chain = await startTestChain()
  adapter = chain.adapter
})
afterAll(() => chain?.stop())
beforeEach(() => {
  owner = newWallet().address.toLowerCase() as Address
})

/** The whole chain, block by block. */
async function everything() {
  const { number } = await adapter.head()
  return adapter.vaultEvents({ from: 0n, to: number })
}

describe('chain reads', () => {
  test('reads the chain facts from the node and the vault', () => {
    expect(adapter.facts).toEqual({
      chainId: 31337,
      rpcUrl: chain.rpcUrl,
      usdc: chain.contracts.usdc.toLowerCase(),
      vault: chain.contracts.vault.toLowerCase(),
      requiredConfirmations: 1,
    })
  })

  test('returns the event of a deposit in its receipt, with lower-case addresses', async () => {
    const txHash = await chain.deposit(owner, dollars(5n))
    const receipt = await adapter.receipt(txHash)
    const head = await adapter.head()
    expect(receipt).toMatchObject({ status: 'success', blockNumber: head.number, blockHash: head.hash })
    expect(receipt?.events).toEqual([
      {
        kind: 'deposited',
        owner,
        amount: dollars(5n),
        txHash,
        blockNumber: head.number,
        blockHash: head.hash,
        authorization: null,
        logIndex: expect.any(Number),
      },
    ])
  })

  test('accepts a transaction hash in upper case', async () => {
    const txHash = await chain.deposit(owner, dollars(1n))
    const shouted = `0x${txHash.slice(2).toUpperCase()}` as Hex
    expect(await adapter.receipt(shouted)).toEqual(await adapter.receipt(txHash))
  })

  test('returns two events for two deposits in one transaction', async () => {
    const txHash = await chain.depositAtOnce(owner, [dollars(1n), dollars(2n)])
    const receipt = await adapter.receipt(txHash)
    expect(receipt?.events).toMatchObject([
      { owner, amount: dollars(1n) },
      { owner, amount: dollars(2n) },
    ])
    expect(new Set(receipt?.events.map(event => event.logIndex)).size).toBe(2)
  })

  test('returns a receipt without events for a reverted transaction', async () => {
    const txHash = await chain.depositThatReverts(owner, dollars(1n))
    expect(await adapter.receipt(txHash)).toMatchObject({ status: 'reverted', events: [] })
  })

  test('ignores the same events of another vault', async () => {
    const txHash = await chain.depositElsewhere(owner, dollars(1n))
    const receipt = await adapter.receipt(txHash)
    expect(receipt).toMatchObject({ status: 'success', events: [] })
    expect((await everything()).filter(event => event.txHash === txHash)).toEqual([])
  })

  test('returns no receipt for an unknown or unmined transaction', async () => {
    expect(await adapter.receipt(UNKNOWN_HASH)).toBeNull()
    await chain.pauseMining()
    const txHash = await chain.deposit(owner, dollars(1n))
    expect(await adapter.receipt(txHash)).toBeNull()
    await chain.mine()
    expect(await adapter.receipt(txHash)).toMatchObject({ status: 'success' })
    await chain.resumeMining()
  })

  test('returns null for a block that the node does not have', async () => {
    const head = await adapter.head()
    expect(await adapter.block(head.number)).toEqual(head)
    expect(await adapter.block(head.number + 1n)).toBeNull()
  })

  test('returns all events in order when a range exceeds what the node returns at once', async () => {
    const from = (await adapter.head()).number + 1n
    const first = await chain.deposit(owner, dollars(1n))
    await chain.mine(2_100)
    const second = await chain.depositAtOnce(owner, [dollars(2n), dollars(3n)])
    const { number: to } = await adapter.head()
    const events = await adapter.vaultEvents({ from, to })
    expect(events.map(({ txHash, amount }) => [txHash, amount])).toEqual([
      [first, dollars(1n)],
      [second, dollars(2n)],
      [second, dollars(3n)],
    ])
    expect(await adapter.vaultEvents({ from: from + 4n, to: to - 3n })).toEqual([])
  })

  test('returns neither the receipt nor the events of a block that was reorganised away', async () => {
    const txHash = await chain.deposit(owner, dollars(1n))
    const before = await adapter.head()
    await chain.reorg(1)
    const after = await adapter.block(before.number)
    expect(after?.hash).not.toBe(before.hash)
    expect(await adapter.receipt(txHash)).toBeNull()
    expect((await everything()).filter(event => event.txHash === txHash)).toEqual([])
  })
})

describe('tickets', () => {
  const ticketFor = async (to: Address, nonce = NONCE) => ({
    to,
    amount: dollars(2n),
    nonce,
    deadline: (await chain.now()) + 600n,
  })

  test('signs a ticket that is paid once, and reports its nonce as used from that block on', async () => {
    await chain.deposit(owner, dollars(10n))
    const recipient = newWallet().address
    const ticket = await ticketFor(recipient)
    const signature = await adapter.signTicket(ticket)
    const before = await adapter.head()
    const vaultBefore = await adapter.vaultBalance()
    const receipt = await adapter.receipt(await chain.redeem(ticket, signature))

    expect(receipt?.events).toMatchObject([
      { kind: 'withdrawn', to: recipient.toLowerCase(), amount: dollars(2n), nonce: NONCE },
    ])
    expect(await adapter.isNonceUsed(NONCE, before.number)).toBe(false)
    expect(await adapter.isNonceUsed(NONCE, before.number + 1n)).toBe(true)
    expect(await adapter.vaultBalance(before.number)).toBe(vaultBefore)
    expect(await adapter.vaultBalance()).toBe(vaultBefore - dollars(2n))
    expect(await chain.usdcOf(recipient)).toBe(dollars(2n))
    const again = await adapter.receipt(await chain.redeem(ticket, signature))
    expect(again).toMatchObject({ status: 'reverted', events: [] })
  })

  test('produces a ticket that the vault rejects when altered by one micro-USDC', async () => {
    await chain.deposit(owner, dollars(10n))
    const ticket = await ticketFor(owner, `0x${'cd'.repeat(32)}`)
    const altered = { ...ticket, amount: usdc(ticket.amount + 1n) }
    const txHash = await chain.redeem(altered, await adapter.signTicket(ticket))
    expect(await adapter.receipt(txHash)).toMatchObject({ status: 'reverted' })
  })

  test('caps the withdrawable amount at the vault balance', async () => {
    await chain.deposit(owner, dollars(1n))
    expect(await adapter.withdrawableNow()).toBe(await adapter.vaultBalance())
  })
})

describe('message signatures', () => {
  const message = 'hello'

  test("accepts a wallet's signature for that message and that wallet only", async () => {
    const wallet = newWallet()
    const signature = await wallet.signMessage({ message })
    const { address } = wallet
    expect(await adapter.verifyMessage({ address, message, signature })).toBe(true)
    expect(await adapter.verifyMessage({ address, message: 'hullo', signature })).toBe(false)
    expect(await adapter.verifyMessage({ address: owner, message, signature })).toBe(false)
  })

  test.each(['0x', '0x12', '0xzz', 'nonsense', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(20_000)}`])(
    'rejects a malformed signature (%#)',
    async text => {
      expect(await adapter.verifyMessage({ address: owner, message, signature: text as Hex })).toBe(false)
    },
  )

  test('rejects a contract signature that burns all its gas within four seconds', async () => {
    await chain.client.setCode({ address: owner, bytecode: '0x5b5f56' }) // for ever
    const from = Date.now()
    const signature = await newWallet().signMessage({ message })
    expect(await adapter.verifyMessage({ address: owner, message, signature })).toBe(false)
    expect(Date.now() - from).toBeLessThan(4_000)
  })
})

describe('a node that misbehaves', () => {
  let proxy: RpcProxy
  let through: Chain
  const connect = (options: { rpcUrl: string; vault?: Address; ticketSignerKey?: string }) =>
    connectChain({
      vault: chain.contracts.vault,
      ticketSignerKey: chain.ticketSignerKey,
      requiredConfirmations: 1,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      log: silent,
      ...options,
    })

  beforeAll(async () => {
    proxy = await startRpcProxy(chain.rpcUrl)
    through = await connect({ rpcUrl: proxy.url })
  })
  afterAll(() => proxy?.stop())
  beforeEach(() => proxy.misbehave())

  /** Fails within a bound, as UNAVAILABLE that says when to come back. */
  async function expectUnavailable(work: () => Promise<unknown>): Promise<GatewayError> {
    const from = Date.now()
    const error = await work().then(
      answer => Promise.reject(new Error(`It answered: ${String(answer)}`)),
      (thrown: GatewayError) => thrown,
    )
    expect(error).toMatchObject({ code: 'UNAVAILABLE', context: { retryAfterSeconds: expect.any(Number) } })
    expect(Date.now() - from).toBeLessThan(2_000)
    return error
  }

  test.each([
    ['answers 500', { status: 500 }],
    ['answers 429', { status: 429 }],
    ['asks for a retry in an hour', { status: 429, headers: { 'retry-after': '3600' } }],
    ['does not answer', { hangs: true }],
    ['reports a limit', { error: { code: -32005, message: 'limit exceeded' } }],
    ['reports an internal error', { error: { code: -32603, message: 'internal' } }],
  ])('fails in time with UNAVAILABLE when the node %s', async (_, how) => {
    const txHash = await chain.deposit(owner, dollars(1n))
    proxy.misbehave(how)
    await Promise.all([
      expectUnavailable(() => through.head()),
      expectUnavailable(() => through.receipt(txHash)),
      expectUnavailable(() => through.vaultEvents({ from: 0n, to: 1n })),
      expectUnavailable(() => through.vaultBalance()),
      expectUnavailable(() => through.isNonceUsed(NONCE, 1n)),
    ])
  })

  test('fails at once with UNAVAILABLE when the node is down, and hides its URL, which may contain a key', async () => {
    const gone = await startRpcProxy(chain.rpcUrl)
    const withKey = await connect({ rpcUrl: `${gone.url}/v2/secret-key` })
    await gone.stop()
    const from = Date.now()
    const error = await expectUnavailable(() => withKey.head())
    expect(Date.now() - from).toBeLessThan(1_000)
    expect(`${error.stack} ${String((error.cause as Error).stack)}`).not.toContain('secret-key')
    await expectUnavailable(() => connect({ rpcUrl: gone.url }))
  })

  test('verifies key signatures while the node is down; other signatures are UNAVAILABLE, not false', async () => {
    const wallet = newWallet()
    const message = 'hello'
    const signature = await wallet.signMessage({ message })
    proxy.misbehave({ status: 503 })
    expect(await through.verifyMessage({ address: wallet.address, message, signature })).toBe(true)
    await expectUnavailable(() => through.verifyMessage({ address: owner, message, signature }))
  })

  test('fails for a range past the head of the node instead of returning no events', async () => {
    const { number: to } = await adapter.head()
    await expectUnavailable(() => through.vaultEvents({ from: 0n, to: to + 1n }))
  })

  type RawLog = {
    address: Address
    blockHash: Hex
    blockNumber: Hex
    data: Hex
    topics: Hex[]
    removed: boolean
  }
  const onLogs = (change: (log: RawLog) => Partial<RawLog>) => ({
    alter: (method: string, result: unknown) =>
      method === 'eth_getLogs' ? (result as RawLog[]).map(raw => ({ ...raw, ...change(raw) })) : undefined,
  })

  test.each([
    ['removed', () => ({ removed: true })],
    ['without a block', () => ({ blockNumber: null as unknown as Hex })],
    ['of a block outside of the range', () => ({ blockNumber: '0xfffffff' as Hex })],
    ['with cut data', () => ({ data: '0x12' as Hex })],
    ['with a missing topic', ({ topics }: RawLog) => ({ topics: topics.slice(0, 2) })],
  ])('fails on a log %s instead of counting or skipping it', async (_, change) => {
    await chain.deposit(owner, dollars(1n))
    const { number } = await adapter.head()
    proxy.misbehave(onLogs(change))
    await expectUnavailable(() => through.vaultEvents({ from: number - 5n, to: number }))
  })

  test('ignores unrequested logs of another address', async () => {
    await chain.deposit(owner, dollars(1n))
    const { number } = await adapter.head()
    proxy.misbehave(onLogs(() => ({ address: owner })))
    expect(await through.vaultEvents({ from: number, to: number })).toEqual([])
  })

  test('fails on the receipt of another transaction', async () => {
    const [one, other] = [await chain.deposit(owner, dollars(1n)), await chain.deposit(owner, dollars(2n))]
    const alter = (method: string, result: unknown) =>
      method === 'eth_getTransactionReceipt' ? { ...(result as object), transactionHash: other } : undefined
    proxy.misbehave({ alter })
    await expectUnavailable(() => through.receipt(one))
  })

  test('distinguishes an address without a vault from a node that is down, and a token from a vault', async () => {
    await expect(connect({ rpcUrl: chain.rpcUrl, vault: owner })).rejects.toThrow(
      `VAULT_ADDRESS ${owner} is not a contract on chain 31337.`,
    )
    const { usdc: token } = chain.contracts
    await expect(connect({ rpcUrl: chain.rpcUrl, vault: token })).rejects.toThrow(
      `VAULT_ADDRESS ${token.toLowerCase()} is a contract but not a FareboxVault.`,
    )
    proxy.misbehave({ error: { code: -32005, message: 'limit exceeded' } })
    await expectUnavailable(() => connect({ rpcUrl: proxy.url, vault: token }))
  })

  test('refuses to start with a token whose decimals differ from USDC', async () => {
    const alter = (method: string, result: unknown) =>
      method === 'eth_call' && result === numberToHex(6, { size: 32 })
        ? numberToHex(18, { size: 32 })
        : undefined
    proxy.misbehave({ alter })
    await expect(connect({ rpcUrl: proxy.url })).rejects.toThrow(
      /^VAULT_ADDRESS 0x\w+ uses the token 0x\w+ with 18 decimals; it must have 6\. Correct VAULT_ADDRESS or CHAIN_RPC_URL\.$/,
    )
  })

  test("reports a ticket key that is not the vault's signer, and refuses to sign without a key", async () => {
    expect(await adapter.vaultSigner()).toEqual({ address: adapter.ticketSigner, acceptsOurs: true })
    const other = await connect({ rpcUrl: chain.rpcUrl, ticketSignerKey: NONCE })
    expect(await other.vaultSigner()).toEqual({ address: adapter.ticketSigner, acceptsOurs: false })
    const { vault } = chain.contracts
    const none = await connectChain({ rpcUrl: chain.rpcUrl, vault, requiredConfirmations: 1, log: silent })
    expect(none.ticketSigner).toBeNull()
    const ticket = { to: owner, amount: dollars(1n), deadline: 1n, nonce: NONCE }
    await expect(none.signTicket(ticket)).rejects.toThrow('There is no TICKET_SIGNER_KEY')
  })
})
