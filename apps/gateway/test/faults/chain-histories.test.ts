import { hash } from 'node:crypto'
import { type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { GatewayError } from '@farebox/wire/errors'
import type { WithdrawalTicket } from '@farebox/wire/withdrawals'
import sql from 'sql-template-tag'
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { listOpenChainFindings } from '../../src/domains/ledger/database/chain-findings.ts'
import { reconcileRecent } from '../../src/domains/ledger/reconcile/reconcile-recent.ts'
import { expireStale } from '../../src/domains/withdrawals/expire-stale.ts'
import { askNode } from '../kit/chain/ask-node.ts'
import { repeatable } from '../kit/chain/repeatable.ts'
import type { Misbehaviour } from '../kit/chain/rpc-proxy.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../kit/gateway/money-gateway.ts'
import type { Member } from '../kit/world/member.ts'
import { newWallet } from '../kit/world/wallets.ts'
import { complete, openWithdrawal, provider, vaultTicket } from '../kit/world/withdrawals.ts'
import { type Chance, createChance } from '../simulation/chance.ts'

const CONFIRMATIONS = 3
const ROUNDS = 10
/** Blocks after which the follower has settled everything. */
const SETTLED_BLOCKS = 5

/** A log or a block as a node sends it. */
type Log = { readonly address: Address; readonly blockNumber: Hex; readonly topics: readonly Hex[] }
type Fork = { readonly logs: readonly Log[]; readonly blocks: ReadonlyMap<string, unknown> }

/** A transaction that can be sent again after a reorganisation, and how it is reported to the gateway. */
type Sent = { readonly send: () => Promise<Hex>; readonly report: (txHash: Hex) => Promise<unknown> }

type History = {
  readonly gateway: MoneyGateway
  readonly chance: Chance
  readonly seller: Member
  readonly payers: readonly Member[]
  readonly deposited: Map<string, bigint>
  readonly tickets: { id: string; ticket: WithdrawalTicket; isUsed: boolean; isExpired: boolean }[]
  /** The chain before the last reorganisation. */
  fork: Fork
}

/** Returns faults of nodes behind one address, some of them on the fork: the same question gets the same answer. */
function faultsOf(seed: string, { logs, blocks }: Fork, share: number): Misbehaviour {
  const dice = (...of: readonly unknown[]) =>
    Number.parseInt(hash('sha256', JSON.stringify([seed, ...of])).slice(0, 8), 16) / 2 ** 32
  const ofFork = (filter: { address: string; fromBlock: Hex; toBlock: Hex; topics?: readonly Hex[] }) =>
    logs.filter(
      ({ address, blockNumber, topics: [topic] }) =>
        address === filter.address.toLowerCase() &&
        BigInt(blockNumber) >= BigInt(filter.fromBlock) &&
        BigInt(blockNumber) <= BigInt(filter.toBlock) &&
        (filter.topics === undefined || filter.topics[0] === topic),
    )
  return {
    refuse: (method, params) =>
      dice('refuses', method, params) < share / 6 ? { code: -32_005, message: 'limit exceeded' } : undefined,
    alter(method, result, params) {
      if (dice('lies', method, params) > share) return undefined
      const way = Math.floor(5 * dice('way', method, params))
      const [first] = params
      if (method === 'eth_getTransactionReceipt') return way < 2 ? null : undefined
      if (method === 'eth_getBlockByNumber' && first !== 'latest')
        return way === 0 ? null : blocks.get(first as string)
      if (method !== 'eth_getLogs') return undefined
      const all = result as readonly Log[]
      const forked = ofFork(first as Parameters<typeof ofFork>[0])
      const others = forked.filter(log => !all.some(({ blockNumber }) => blockNumber === log.blockNumber))
      return [[], all.filter((_, index) => index % 2 === 0), [...all, ...all], forked, [...all, ...others]][
        way
      ]
    },
  }
}

/** Makes a deposit or a redemption that is ready to be sent. */
async function prepare(history: History, taken: Set<Member>): Promise<Sent | null> {
  const { gateway, chance, seller, payers, deposited, tickets } = history
  const { chain } = gateway
  const { vault, usdc: token } = chain.contracts
  const open = tickets.find(({ isUsed, isExpired }) => !isUsed && !isExpired)
  if (open !== undefined && chance.is(0.4)) {
    open.isUsed = true
    const args = [vaultTicket(open.ticket), open.ticket.signature as Hex] as const
    const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'withdraw', args })
    const send = await repeatable(chain, { from: newWallet().address, to: vault, data })
    return { send, report: txHash => complete(seller, open.id, txHash) }
  }
  const who = chance.pick(payers)
  if (taken.has(who)) return null
  taken.add(who)
  const amount = usdc(BigInt(1 + chance.below(3)) * USDC)
  deposited.set(who.wallet, (deposited.get(who.wallet) ?? 0n) + amount)
  await chain.fund(who.address, amount)
  const approval = { functionName: 'approve', args: [vault, amount] } as const
  await chain.send(who.address, token, encodeFunctionData({ abi: testUsdcAbi, ...approval }))
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] })
  const send = await repeatable(chain, { from: who.address, to: vault, data })
  return { send, report: txHash => claimAndConfirm(who, txHash, amount) }
}

async function claimAndConfirm(who: Member, txHash: Hex, amount: Usdc): Promise<void> {
  const body = { tx_hash: txHash, amount: String(amount / USDC) }
  const claim = await who.send<{ intentId: string }>('/balance/deposit/intent', { method: 'POST', body })
  if (claim.status !== 200) return
  const { status } = await who.send(`/balance/deposit/intents/${claim.body.intentId}/confirm`, {
    method: 'POST',
    body: {},
  })
  expect(status).not.toBe(500)
}

/** Lets the gateway work while its nodes misbehave. */
async function live(history: History, seed: string, sent: readonly (readonly [Sent, Hex])[]): Promise<void> {
  const { gateway, chance, fork } = history
  const { deps } = gateway
  gateway.node.misbehave(faultsOf(seed, fork, chance.pick([0, 0.1, 0.3, 0.6])))
  const work = [
    () => gateway.follow(),
    () => gateway.follow(),
    () => Promise.all(sent.map(([{ report }, txHash]) => report(txHash))),
    () => expireStale(deps, { limit: 20 }),
    () => reconcileRecent(deps),
  ]
  for (let left = 2 + chance.below(5); left > 0; left -= 1) {
    await chance
      .pick(work)()
      .catch((error: unknown) => {
        if (!(error instanceof GatewayError) || error.code !== 'UNAVAILABLE') throw error
      })
    if (chance.is(0.3)) await gateway.chain.mine(1)
  }
  gateway.heal()
}

/** Sends transactions in blocks with others between them. */
async function sendAll(
  { gateway, chance }: History,
  all: readonly Sent[],
): Promise<(readonly [Sent, Hex])[]> {
  const sent: (readonly [Sent, Hex])[] = []
  for (const each of all) {
    sent.push([each, await each.send()])
    if (chance.is(0.5)) await gateway.chain.mine(1)
  }
  await gateway.chain.mine(1 + chance.below(6))
  return sent
}

async function readFork({ chain }: MoneyGateway, fromBlock: bigint): Promise<Fork> {
  const { number } = await chain.adapter.head()
  const { vault, usdc: token } = chain.contracts
  const logsOf = (address: Address) =>
    askNode<Log[]>(chain.rpcUrl, 'eth_getLogs', { address, fromBlock: numberToHex(fromBlock) })
  const blocks = new Map<string, unknown>()
  for (let at = fromBlock; at <= number; at += 1n)
    blocks.set(numberToHex(at), await askNode(chain.rpcUrl, 'eth_getBlockByNumber', numberToHex(at), false))
  return { logs: [...(await logsOf(vault)), ...(await logsOf(token))], blocks }
}

async function playRound(history: History, seed: string): Promise<void> {
  const { gateway, chance, seller, tickets } = history
  const { chain } = gateway
  if (chance.is(0.2)) {
    await chain.increaseTime(3_700)
    for (const each of tickets) each.isExpired = true
  }
  const taken = new Set<Member>()
  const all: Sent[] = []
  for (let left = 1 + chance.below(3); left > 0; left -= 1) {
    const made = await prepare(history, taken)
    if (made !== null) all.push(made)
  }
  const { body } = await openWithdrawal(seller, String(1 + chance.below(4)))
  if (body.ticket != null)
    tickets.push({ id: body.withdrawalId, ticket: body.ticket, isUsed: false, isExpired: false })
  const { number: base } = await chain.adapter.head()
  const snapshot = await chain.snapshot()
  await live(history, `${seed} before`, await sendAll(history, all))
  if (chance.is(0.4)) return
  history.fork = await readFork(gateway, base)
  const { number: height } = await chain.adapter.head()
  await chain.revertTo(snapshot)
  await chain.mine(1 + chance.below(4))
  await live(history, `${seed} without`, [])
  const sent = await sendAll(history, all.toReversed())
  const { number } = await chain.adapter.head()
  if (number <= height) await chain.mine(Number(height - number) + 1)
  await live(history, `${seed} after`, sent)
}

async function expectExact({ gateway, payers, deposited, tickets }: History): Promise<void> {
  const { chain, deps } = gateway
  for (let left = SETTLED_BLOCKS; left > 0; left -= 1) {
    await chain.mine(CONFIRMATIONS)
    await gateway.follow()
  }
  await expireStale(deps, { limit: 100 })
  expect(await listOpenChainFindings(deps.db, 10)).toEqual([])
  await gateway.assertBooks()
  for (const who of payers)
    expect((await gateway.balance(who)).consumerAvailable).toBe(deposited.get(who.wallet) ?? 0n)
  const rows = await deps.db.query<{ id: string; status: string }>(sql`select id, status from withdrawals`)
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]))
  for (const { id, isUsed, isExpired } of tickets)
    expect([id, statusOf.get(id)]).toEqual([
      id,
      isUsed ? 'COMPLETED' : isExpired ? 'CANCELLED' : 'APPROVED_AUTO',
    ])
}

test.each([5, 6, 7])(
  'history %i: the books are exact after reorganisations seen through nodes that lie',
  { timeout: 180_000 },
  async seed => {
    const gateway = await startMoneyGateway({
      requiredConfirmations: CONFIRMATIONS,
      env: { AUTO_CREDIT_AFTER_SECONDS: '0' },
    })
    try {
      const seller = await provider(gateway, usdc(200n * USDC))
      const payers = [await gateway.member(), await gateway.member(), await gateway.member()]
      await gateway.follow()
      const history: History = {
        gateway,
        chance: createChance(seed),
        seller,
        payers,
        deposited: new Map(),
        tickets: [],
        fork: { logs: [], blocks: new Map() },
      }
      for (let round = 0; round < ROUNDS; round += 1) await playRound(history, `${seed}.${round}`)
      await expectExact(history)
    } finally {
      await gateway.stop()
    }
  },
)
