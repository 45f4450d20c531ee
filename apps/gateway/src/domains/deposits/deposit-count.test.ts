import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import sql from 'sql-template-tag'
import { encodeFunctionData, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { askNode } from '../../../test/kit/chain/ask-node.ts'
import { repeatable } from '../../../test/kit/chain/repeatable.ts'
import { type RpcProxy, startRpcProxy } from '../../../test/kit/chain/rpc-proxy.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { openTicket, openWithdrawal, provider } from '../../../test/kit/world/withdrawals.ts'
import { connectChain } from '../../adapters/chain/chain.ts'
import type { Chain, Deps } from '../../ports.ts'
import { listOpenChainFindings } from '../ledger/database/chain-findings.ts'
import { compareCount } from './compare-count.ts'
import { followVault } from './follow-vault.ts'

const CONFIRMATIONS = 2
/** More blocks than the follower rereads on its own. */
const MANY_BLOCKS = 100

let gateway: MoneyGateway
let proxy: RpcProxy
let lying: Chain

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: CONFIRMATIONS,
    env: { AUTO_CREDIT_AFTER_SECONDS: '0' },
  })
  proxy = await startRpcProxy(gateway.chain.rpcUrl)
  lying = await connectChain({
    rpcUrl: proxy.url,
    vault: gateway.chain.contracts.vault,
    requiredConfirmations: CONFIRMATIONS,
    ticketSignerKey: gateway.chain.ticketSignerKey,
    log: silent,
  })
})
afterAll(async () => {
  await proxy.stop()
  await gateway.stop()
})
afterEach(async () => {
  proxy.misbehave()
  gateway.heal()
  await gateway.assertBooks()
})

const nobody = { onWithdrawn: async () => undefined }
const follow = (different: Partial<Deps> = {}) =>
  followVault({ ...gateway.deps, chain: lying, ...different }, nobody, new AbortController().signal)

const available = async (of: Member) => (await gateway.balance(of)).consumerAvailable
const findings = () => listOpenChainFindings(gateway.deps.db, 10)

/** Makes the node return no logs. */
const leaveLogsOut = () => proxy.misbehave({ alter: method => (method === 'eth_getLogs' ? [] : undefined) })

test('failure 36: a deposit that a node omits for many blocks stops tickets, is found automatically and credited', async () => {
  const [alice, seller] = [await gateway.member(), await provider(gateway, usdc(5n * USDC))]
  await follow()
  leaveLogsOut()
  await gateway.chain.deposit(alice.address, usdc(3n * USDC))
  await gateway.chain.mine(MANY_BLOCKS)
  await follow()
  expect(await findings()).toMatchObject([
    {
      kind: 'deposit-count',
      subject: gateway.chain.contracts.vault.toLowerCase(),
      detail: { countedByVault: '2', readFromVault: '1' },
    },
  ])
  expect((await openWithdrawal(seller, '1')).body).toMatchObject({ statusLabel: 'PENDING_REVIEW' })
  expect(await available(alice)).toBe(0n)
  await gateway.chain.mine(MANY_BLOCKS)
  await follow()
  expect(await findings()).toHaveLength(1)

  proxy.misbehave()
  await follow()
  expect(await findings()).toEqual([])
  await follow()
  expect(await available(alice)).toBe(3n * USDC)
  await gateway.assertBooks()
  await openTicket(seller, '1')
})

test('a database that has lost a deposit reads it again, however old', async () => {
  const bob = await gateway.member()
  leaveLogsOut()
  await gateway.chain.deposit(bob.address, usdc(USDC))
  await gateway.chain.mine(1_500)
  await follow({ chain: { ...lying, depositCount: async () => 2n } })
  proxy.misbehave()
  // A database of a version that did not compare counts.
  await gateway.deps.db.query(sql`
    update vault_cursors set deposit_base = null, agreed_block = null, agreed_count = null, reread_block = null`)
  await follow()
  await follow()
  expect(await available(bob)).toBe(USDC)
  expect(await findings()).toEqual([])
})

test('forgets the deposit of a fork that a node returned once', async () => {
  const { chain, deps } = gateway
  await follow()
  const dave = await gateway.member()
  const snapshot = await chain.snapshot()
  await chain.deposit(dave.address, usdc(USDC))
  const { number: height } = await chain.adapter.head()
  const { vault } = chain.contracts
  const query = { address: vault, fromBlock: numberToHex(height) }
  const fork = await askNode<unknown[]>(chain.rpcUrl, 'eth_getLogs', query)
  await chain.revertTo(snapshot)
  await chain.mine(CONFIRMATIONS + 5)
  proxy.misbehave({
    alter: (method, result, [filter]) =>
      method === 'eth_getLogs' && isOfVault(filter, height) ? [...(result as unknown[]), ...fork] : undefined,
  })
  await follow()
  expect(await findings()).toMatchObject([{ kind: 'deposit-count' }])
  expect(await available(dave)).toBe(0n)

  proxy.misbehave()
  await follow()
  expect(await findings()).toEqual([])
  expect(await deps.db.query(sql`select from vault_deposits where wallet = ${dave.wallet}`)).toEqual([])
})

test('counts a deposit once that a reorganisation moved unnoticed', async () => {
  const { chain } = gateway
  const erin = await gateway.member()
  const amount = usdc(USDC)
  await chain.fund(erin.address, amount)
  const approve = { functionName: 'approve', args: [chain.contracts.vault, amount] } as const
  await chain.send(erin.address, chain.contracts.usdc, encodeFunctionData({ abi: testUsdcAbi, ...approve }))
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] })
  const send = await repeatable(chain, { from: erin.address, to: chain.contracts.vault, data })
  const snapshot = await chain.snapshot()
  await send()
  await chain.mine(CONFIRMATIONS)
  await follow()
  const [cursor] = await gateway.deps.db.query<{ blockNumber: bigint }>(
    sql`select block_number from vault_cursors where block_number = agreed_block`,
  )
  const height = numberToHex(cursor?.blockNumber ?? 0n)
  const fork = await askNode(chain.rpcUrl, 'eth_getBlockByNumber', height, false)
  await chain.revertTo(snapshot)
  await chain.mine(2 * CONFIRMATIONS)
  await send()
  await chain.mine(CONFIRMATIONS)
  // One of two nodes behind an address is still on the fork.
  proxy.misbehave({
    alter: (method, _, [tag]) => (method === 'eth_getBlockByNumber' && tag === height ? fork : undefined),
  })
  await follow()
  proxy.misbehave()
  await chain.mine(1)
  await follow()
  expect(await findings()).toEqual([])
  expect(await available(erin)).toBe(amount)
})

test('a vault followed from a later block is not searched for earlier deposits', async () => {
  const { number } = await gateway.chain.adapter.head()
  const FOLLOWER_START_BLOCK = Number(number)
  const late = { ...gateway.deps.config, FOLLOWER_START_BLOCK }
  const restart = () =>
    gateway.deps.db.query(sql`update vault_cursors set deposit_base = null, agreed_block = null,
      agreed_count = null, reread_block = null, block_number = ${BigInt(FOLLOWER_START_BLOCK) - 1n}`)
  const forget = () => gateway.deps.db.query(sql`update vault_deposits set vault = '0xelsewhere'`)
  await forget()
  for (const depositCount of [lying.depositCount, withoutOldState(BigInt(FOLLOWER_START_BLOCK))]) {
    await restart()
    await follow({ chain: { ...lying, depositCount }, config: late })
    await follow({ chain: { ...lying, depositCount }, config: late })
    expect(await findings()).toEqual([])
    const carol = await gateway.member()
    await gateway.chain.deposit(carol.address, usdc(USDC))
    await gateway.chain.mine(CONFIRMATIONS)
    await follow({ chain: { ...lying, depositCount }, config: late })
    expect(await available(carol)).toBe(USDC)
    expect(await findings()).toEqual([])
    await forget()
  }
})

/** Returns a node's `depositCount` without state below a height. */
function withoutOldState(below: bigint): Chain['depositCount'] {
  return async at => {
    if (at < below) throw new GatewayError('UNAVAILABLE')
    return lying.depositCount(at)
  }
}

test('raises nothing when a node counts the deposit of a block that it takes in at that moment', async () => {
  await gateway.chain.mine(CONFIRMATIONS)
  await follow()
  let asked = 0
  const depositCount: Chain['depositCount'] = async at => {
    asked += 1
    return (await lying.depositCount(at)) + (asked === 1 ? 1n : 0n)
  }
  await gateway.chain.mine(1)
  await follow({ chain: { ...lying, depositCount } })
  expect([asked, await findings()]).toEqual([2, []])
})

test('raises nothing at a height that another gateway has compared beyond meanwhile', async () => {
  const alice = await gateway.member()
  await gateway.chain.deposit(alice.address, usdc(USDC))
  await gateway.chain.mine(CONFIRMATIONS)
  await follow()
  const { deps } = gateway
  const before = await deps.db.query(sql`select agreed_block, agreed_count from vault_cursors`)
  const [row] = await deps.db.query<{ blockNumber: bigint }>(
    sql`select block_number from vault_deposits where wallet = ${alice.wallet}`,
  )
  const beforeIt = (row?.blockNumber ?? 0n) - 1n
  await compareCount(deps, beforeIt, async () => {
    throw new Error('Nothing is missing.')
  })
  expect(await findings()).toEqual([])
  expect(await deps.db.query(sql`select agreed_block, agreed_count from vault_cursors`)).toEqual(before)
})

/** Returns true for a query of all logs of an address, a block among them. */
function isOfVault(filter: unknown, height: bigint): boolean {
  const { topics, fromBlock, toBlock } = filter as { topics?: unknown; fromBlock: string; toBlock: string }
  return topics === undefined && BigInt(fromBlock) <= height && height <= BigInt(toBlock)
}
