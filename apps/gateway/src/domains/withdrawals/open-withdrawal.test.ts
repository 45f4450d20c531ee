import { formatUsdc, usdc } from '@farebox/money'
import { fareboxVaultAbi, ticketDomain, ticketTypes, withdrawalNonce } from '@farebox/vault'
import sql from 'sql-template-tag'
import { getAddress, type Hex, recoverTypedDataAddress } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lies } from '../../../test/kit/chain/lies.ts'
import type { Misbehaviour } from '../../../test/kit/chain/rpc-proxy.ts'
import {
  type ProxiedMoneyGateway,
  startProxiedMoneyGateway,
  USDC,
} from '../../../test/kit/gateway/money-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  list,
  openTicket,
  openWithdrawal,
  provider,
  redeem,
  statuses,
  vaultTicket,
} from '../../../test/kit/world/withdrawals.ts'
import { connectChain } from '../../adapters/chain/chain.ts'
import { connectPostgres } from '../../adapters/postgres.ts'
import { measureReviews } from './measure-reviews.ts'
import { openWithdrawal as openByKey } from './open-withdrawal.ts'
import { readCapability } from './read-capability.ts'

const admin = newWallet()

/** Required confirmations of this gateway; the mined block is the first of them. */
const CONFIRMATIONS = 3

let gateway: ProxiedMoneyGateway

beforeAll(async () => {
  gateway = await startProxiedMoneyGateway({
    env: { WITHDRAW_AUTO_APPROVE_MAX_USDC: '10', ADMIN_WALLETS: admin.address },
  })
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

describe('a withdrawal within the limits', () => {
  test('returns a ticket that the vault pays, and locks the receivable', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const before = await gateway.chain.now()
    const { status, body } = await openWithdrawal(alice, '2.5')
    expect(status).toBe(200)
    const { chainId, vault } = gateway.deps.chain.facts
    expect(body).toEqual({
      status: 'success',
      ownerAddress: alice.address,
      withdrawalId: expect.stringMatching(/^wd_[0-9a-z]{26}$/),
      intentId: expect.stringMatching(/^wd_[0-9a-z]{26}$/),
      statusLabel: 'APPROVED_AUTO',
      amountUsdc: '2.500000',
      ticket: {
        to: alice.address,
        amount: '2500000',
        deadline: Number(before) + 3_600,
        withdrawalId: body.withdrawalId,
        nonce: withdrawalNonce(body.withdrawalId),
        vault: getAddress(vault),
        chainId,
        signature: expect.stringMatching(/^0x[0-9a-f]{130}$/),
      },
    })
    const { ticket } = body
    if (ticket === null) throw new Error('There is no ticket.')
    const signer = await recoverTypedDataAddress({
      domain: ticketDomain({ chainId, vault }),
      types: ticketTypes,
      primaryType: 'Ticket',
      message: vaultTicket(ticket),
      signature: ticket.signature as Hex,
    })
    expect(signer).toBe(privateKeyToAddress(gateway.chain.ticketSignerKey))

    const balance = await gateway.balance(alice)
    expect([balance.providerReceivable, balance.providerLocked]).toEqual([2_500_000n, 2_500_000n])
    await redeem(gateway, ticket)
    expect(await gateway.chain.usdcOf(alice.address)).toBe(2_500_000n)

    const shown = await alice.send(`/providers/withdrawals/${body.withdrawalId}`)
    expect(shown.body).toMatchObject({ ownerAddress: alice.address, statusLabel: 'APPROVED_AUTO', ticket })
    expect(await list(alice)).toMatchObject([
      { withdrawalId: body.withdrawalId, amountUsdc: '2.500000', status: 'APPROVED_AUTO', ticket },
    ])
  })

  test('failure 24: returns a lost reply with its ticket for the same key, even without the chain', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const first = await openWithdrawal(alice, '2', 'the key')
    await gateway.chain.increaseTime(10)
    gateway.node.misbehave({ refuses: true })
    const again = await openWithdrawal(alice, 2, 'the key')
    expect(again.status).toBe(200)
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    expect(again.headers['idempotent-replayed']).toBe('true')
    const other = await openWithdrawal(alice, '3', 'the key')
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    expect((await gateway.balance(alice)).providerLocked).toBe(2n * USDC)
  })

  test('returns its current state for its key: without a ticket if cancelled or paid, with it if approved', async () => {
    const alice = await provider(gateway, usdc(5_000n * USDC))
    const again = async (amount: string, key: string) => {
      const { status, body } = await openWithdrawal(alice, amount, key)
      expect(status).toBe(200)
      return [body.statusLabel, body.ticket]
    }
    const lapsed = await openWithdrawal(alice, '1', 'lapses')
    expect(lapsed.body.ticket).not.toBeNull()
    await gateway.chain.increaseTime(3_601)
    await gateway.chain.mine(3)
    await list(alice)
    expect(await again('1', 'lapses')).toEqual(['CANCELLED', null])
    const paid = await openWithdrawal(alice, '2', 'is paid')
    if (paid.body.ticket === null) throw new Error('There is no ticket.')
    await redeem(gateway, paid.body.ticket)
    await gateway.chain.mine(3)
    await gateway.follow()
    expect(await again('2', 'is paid')).toEqual(['COMPLETED', null])
    const { body } = await openWithdrawal(alice, '20', 'is reviewed')
    const boss = await gateway.member(admin)
    const path = `/admin/withdrawals/${body.withdrawalId}/approve`
    expect((await boss.send(path, { method: 'POST', body: {} })).status).toBe(200)
    expect(await again('20', 'is reviewed')).toEqual(['APPROVED_MANUAL', expect.anything()])
  })

  test('failure 22: is read back by its key when the COMMIT was not acknowledged', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const trap = gateway.database.catchCommit('commit-answer', ['insert into withdrawals', alice.wallet])
    const lost = openWithdrawal(alice, '2', 'in doubt')
    await trap.sprung
    trap.cut()
    expect(await lost).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    const [opened] = await list(alice)
    expect(opened).toMatchObject({ status: 'APPROVED_AUTO', amountUsdc: '2.000000' })
    const again = await openWithdrawal(alice, '2', 'in doubt')
    expect(again.status).toBe(200)
    expect(again.body.ticket).toEqual(opened?.ticket)
    expect(await list(alice)).toHaveLength(1)
    expect((await gateway.balance(alice)).providerLocked).toBe(2n * USDC)
  })

  test('is opened once for parallel requests with one key', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const answers = await Promise.all(Array.from({ length: 8 }, () => openWithdrawal(alice, '1', 'one key')))
    const good = answers.filter(answer => answer.status === 200)
    expect(good.length).toBeGreaterThan(0)
    expect(new Set(good.map(answer => answer.body.ticket?.signature)).size).toBe(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    }
    expect((await gateway.balance(alice)).providerLocked).toBe(USDC)
  })
})

describe('rejects', () => {
  test('another recipient than the earning wallet with INVALID_ADDRESS; accepts that one in any case', async () => {
    const [alice, bob] = [await provider(gateway, usdc(5n * USDC)), await gateway.member()]
    for (const destinationAddress of [bob.address, 'somewhere', null, 5, [alice.address]]) {
      const { status, body } = await openWithdrawal(alice, '1', undefined, { destinationAddress })
      expect([status, body.code]).toEqual([400, 'INVALID_ADDRESS'])
    }
    expect((await gateway.balance(alice)).providerLocked).toBe(0n)
    for (const destinationAddress of [alice.address, alice.wallet, alice.address.toUpperCase()]) {
      const { body } = await openWithdrawal(alice, '1', undefined, { destinationAddress })
      expect(body).toMatchObject({ intentId: body.withdrawalId, ticket: { to: alice.address } })
    }
  })

  test.each(['0', 0, '-1', '1e3', '1.0000001', ' 1', null, undefined, '1000000000000'])(
    'failure 62: an amount of %j',
    async amount => {
      const alice = await gateway.member()
      const { status, body } = await openWithdrawal(alice, amount)
      expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    },
  )

  test('a missing or malformed key header, and a missing session', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const path = '/providers/withdrawals/intent'
    const none = await alice.send(path, { method: 'POST', body: { amountUsdc: '1' } })
    expect([none.status, none.body.code]).toEqual([400, 'MISSING_IDEMPOTENCY_KEY'])
    const long = await openWithdrawal(alice, '1', 'k'.repeat(256))
    expect([long.status, long.body.code]).toEqual([400, 'INVALID_REQUEST'])
    const stranger = await send(gateway.url, `/api/v1${path}`, { method: 'POST', body: {} })
    expect([stranger.status, stranger.body.code]).toEqual([401, 'UNAUTHORIZED'])
    expect((await gateway.balance(alice)).providerLocked).toBe(0n)
  })

  test('one micro-USDC more than the receivable', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { status, body } = await openWithdrawal(alice, '1.000001')
    expect([status, body.code]).toEqual([422, 'INSUFFICIENT_PROVIDER_RECEIVABLE'])
    expect(await statuses(alice)).toEqual([])
  })

  test('failure 12: money of the consumer account, even when owner and provider are the same', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const txHash = await gateway.chain.deposit(alice.address, usdc(9n * USDC))
    await gateway.chain.mine(2)
    const body = { tx_hash: txHash, amount: 9 }
    const opened = await alice.send<{ intent: { id: string } }>('/balance/deposit/intent', {
      method: 'POST',
      body,
    })
    await alice.send(`/balance/deposit/intents/${opened.body.intent.id}/confirm`, { method: 'POST' })

    expect((await openWithdrawal(alice, '2')).body.code).toBe('INSUFFICIENT_PROVIDER_RECEIVABLE')
    await openTicket(alice, '1')
    const balance = await gateway.balance(alice)
    expect(balance).toMatchObject({
      consumerAvailable: 9n * USDC,
      providerReceivable: 0n,
      providerLocked: USDC,
    })
  })

  test('failure 37: every request while the chain is unreachable, with nothing locked and the key reusable', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const outages: Misbehaviour[] = [
      { refuses: true },
      { hangs: true },
      { status: 429, headers: { 'retry-after': '60' } },
      { error: { code: -32_000, message: 'header not found' } },
      lies.noState(),
    ]
    for (const how of outages) {
      gateway.node.misbehave(how)
      const { status, body, headers } = await openWithdrawal(alice, '1', 'to be tried again')
      expect([how, status, body.code]).toEqual([how, 503, 'WITHDRAW_VAULT_LIQUIDITY_CHECK_UNAVAILABLE'])
      expect(headers['retry-after']).toBe('5')
      gateway.heal()
    }
    expect(await statuses(alice)).toEqual([])
    expect((await gateway.balance(alice)).providerLocked).toBe(0n)
    expect((await openWithdrawal(alice, '1', 'to be tried again')).status).toBe(200)
  })
})

test('failure 11: opens as many parallel withdrawals as the receivable covers', async () => {
  const alice = await provider(gateway, usdc(3n * USDC))
  const answers = await Promise.all(Array.from({ length: 8 }, () => openWithdrawal(alice, '1')))
  const codes = answers.map(answer => answer.body.code ?? answer.body.statusLabel).sort()
  expect(codes).toEqual([
    ...Array(3).fill('APPROVED_AUTO'),
    ...Array(5).fill('INSUFFICIENT_PROVIDER_RECEIVABLE'),
  ])
  expect(await gateway.balance(alice)).toMatchObject({ providerReceivable: 0n, providerLocked: 3n * USDC })
})

describe('failure 38: liquidity', () => {
  /** Returns the sum of the tickets that are out. */
  async function promised(): Promise<bigint> {
    const [row] = await gateway.deps.db.query<{
      amount: bigint
    }>(sql`select coalesce(sum(amount), 0)::bigint as amount
      from withdrawals where status in ('APPROVED_AUTO', 'APPROVED_MANUAL')`)
    return row?.amount ?? 0n
  }

  /** Returns the amount that the vault counts as withdrawn today. */
  const goneToday = () =>
    gateway.chain.client.readContract({
      address: gateway.chain.contracts.vault,
      abi: fareboxVaultAbi,
      functionName: 'withdrawnInWindow',
    })

  let cap: bigint
  beforeAll(async () => {
    const { client, contracts } = gateway.chain
    const at = { address: contracts.vault, abi: fareboxVaultAbi } as const
    cap = await client.readContract({ ...at, functionName: 'dailyWithdrawalCap' })
  })
  afterEach(async () => {
    await gateway.chain.refillVault()
    await gateway.chain.setDailyCap(cap)
  })

  test('is the vault balance less open tickets, also for two in parallel', async () => {
    const [alice, bob] = [await provider(gateway, usdc(5n * USDC)), await provider(gateway, usdc(5n * USDC))]
    await gateway.chain.drainVault(usdc((await promised()) + 7n * USDC))
    const answers = await Promise.all([openWithdrawal(alice, '5'), openWithdrawal(bob, '5')])
    expect(answers.map(answer => answer.body.statusLabel).sort()).toEqual(['APPROVED_AUTO', 'PENDING_REVIEW'])
    expect(answers.filter(answer => answer.body.ticket === null)).toHaveLength(1)
  })

  test('is released as soon as a confirmed block is past the deadline of a ticket', async () => {
    const [alice, bob] = [await provider(gateway, usdc(5n * USDC)), await provider(gateway, usdc(5n * USDC))]
    await openTicket(alice, '5')
    await gateway.chain.drainVault(usdc(await promised()))
    expect((await openWithdrawal(bob, '2')).body.statusLabel).toBe('PENDING_REVIEW')
    await gateway.chain.increaseTime(3_601)
    await gateway.chain.mine(3)
    expect((await openWithdrawal(bob, '3')).body.statusLabel).toBe('APPROVED_AUTO')
  })

  test('is at most what the circuit breaker of the vault lets out', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const open = await promised()
    await gateway.chain.setDailyCap((await goneToday()) + open + 2n * USDC)
    const before = await measureReviews(gateway.deps.db)
    expect((await openWithdrawal(alice, '2.000001')).body.statusLabel).toBe('PENDING_REVIEW')
    const { count, oldestSeconds } = await measureReviews(gateway.deps.db)
    expect([count, oldestSeconds > before.oldestSeconds]).toEqual([before.count + 1, true])
    expect((await openWithdrawal(alice, '2')).body.statusLabel).toBe('APPROVED_AUTO')
  })

  test('counts a ticket that was paid after the vault was read', async () => {
    const [alice, bob] = [await provider(gateway, usdc(5n * USDC)), await provider(gateway, usdc(5n * USDC))]
    await gateway.chain.drainVault(usdc((await promised()) + 9n * USDC))
    const { id, ticket } = await openTicket(alice, '5')
    const txHash = await redeem(gateway, ticket)
    await gateway.chain.mine(CONFIRMATIONS - 1)
    const completed = await alice.send(`/providers/withdrawals/${id}/complete`, {
      method: 'POST',
      body: { txHash },
    })
    expect(completed.status).toBe(200)
    // The node returns the state of the vault before the ticket was paid.
    gateway.node.misbehave({ lagsBy: CONFIRMATIONS })
    expect((await openWithdrawal(bob, '5')).body.statusLabel).toBe('PENDING_REVIEW')
  })
})

describe('the limit of automatic approval', () => {
  test('is per wallet and day; pending reviews count, rejected ones do not', async () => {
    const boss = await gateway.member(admin)
    const alice = await provider(gateway, usdc(100n * USDC))
    const bob = await provider(gateway, usdc(10n * USDC))
    const labels: string[] = []
    const open = async (who: Member, amount: string) => {
      const { body } = await openWithdrawal(who, amount)
      labels.push(body.statusLabel)
      return body
    }
    await open(alice, '6')
    const waiting = await open(alice, '4.000001')
    await open(alice, '0.1')
    await open(bob, '10')
    expect(labels).toEqual(['APPROVED_AUTO', 'PENDING_REVIEW', 'PENDING_REVIEW', 'APPROVED_AUTO'])
    expect(waiting.ticket).toBeNull()
    expect((await gateway.balance(alice)).providerLocked).toBe(10_100_001n)

    const reason = 'not today'
    await boss.send(`/admin/withdrawals/${waiting.withdrawalId}/reject`, { method: 'POST', body: { reason } })
    const capability = await alice.send('/providers/withdrawals/capability')
    expect(capability.body.autoApproveLeftTodayUsdc).toBe('3.900000')
    expect((await open(alice, '3.9')).statusLabel).toBe('APPROVED_AUTO')

    await gateway.deps.db.query(sql`update withdrawals set opened_at = opened_at - interval '1 day'
      where wallet = ${alice.wallet}`)
    expect((await open(alice, '10')).statusLabel).toBe('APPROVED_AUTO')
  })

  test('counts a ticket that expired without redemption', async () => {
    const alice = await provider(gateway, usdc(100n * USDC))
    await openTicket(alice, '6')
    await gateway.chain.increaseTime(3_601)
    await gateway.chain.mine(3)
    expect((await list(alice)).map(({ status }) => status)).toEqual(['CANCELLED'])
    const { body } = await alice.send('/providers/withdrawals/capability')
    expect(body.autoApproveLeftTodayUsdc).toBe('4.000000')
    expect((await openWithdrawal(alice, '4.000001')).body.statusLabel).toBe('PENDING_REVIEW')
  })

  test('also applies to all wallets together, in parallel at two gateways', async () => {
    const [used] = await gateway.deps.db.query<{ amount: bigint }>(
      sql`select coalesce(sum(amount), 0)::bigint as amount from withdrawals
        where is_automatic and opened_at >= date_trunc('day', now(), 'UTC')`,
    )
    const total = formatUsdc(usdc((used?.amount ?? 0n) + 12n * USDC))
    const config = { ...gateway.deps.config, WITHDRAW_AUTO_APPROVE_TOTAL_USDC: total }
    const second = connectPostgres({
      connectionString: gateway.databaseUrl,
      connectionsMax: 4,
      log: silent,
    })
    const members: Member[] = []
    for (let count = 0; count < 6; count += 1) members.push(await provider(gateway, usdc(4n * USDC)))
    const answers = await Promise.all(
      members.map(({ wallet }, index) =>
        openByKey(
          { ...gateway.deps, config, ...(index % 2 === 0 && { db: second }) },
          { wallet, amount: usdc(4n * USDC), idempotencyKey: 'at once' },
        ),
      ),
    )
    const labels = answers.map(({ body }) => body.statusLabel).sort()
    expect(labels).toEqual([...Array(3).fill('APPROVED_AUTO'), ...Array(3).fill('PENDING_REVIEW')])
    const alice = await provider(gateway, usdc(4n * USDC))
    expect(await readCapability({ ...gateway.deps, config }, alice.wallet)).toMatchObject({
      autoApproveLeftTodayUsdc: '0.000000',
    })
    await second.close()
  })

  test('applies to parallel withdrawals', async () => {
    const alice = await provider(gateway, usdc(100n * USDC))
    const answers = await Promise.all(Array.from({ length: 6 }, () => openWithdrawal(alice, '4')))
    const approved = answers.filter(answer => answer.body.statusLabel === 'APPROVED_AUTO')
    expect(approved).toHaveLength(2)
  })
})

test('issues no ticket while the books do not reconcile', async () => {
  const alice = await provider(gateway, usdc(5n * USDC))
  await gateway.deps.db.query(sql`insert into reconciliations (consistent, findings) values (false, '[{}]')`)
  expect((await openWithdrawal(alice, '1')).body).toMatchObject({
    statusLabel: 'PENDING_REVIEW',
    ticket: null,
  })
  await gateway.assertBooks()
  expect((await openWithdrawal(alice, '1')).body.statusLabel).toBe('APPROVED_AUTO')
})

describe('failure 42: a ticket', () => {
  test('for another vault of the same signer is rejected by the contract', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { ticket } = await openTicket(alice, '1')
    const other = await gateway.chain.anotherVault(usdc(5n * USDC))
    const outcome = async (signature: Hex) => {
      const txHash = await gateway.chain.redeem(vaultTicket(ticket), signature, alice.address, other)
      return (await gateway.chain.client.getTransactionReceipt({ hash: txHash })).status
    }
    expect(await outcome(ticket.signature as Hex)).toBe('reverted')
    // The vault has the money, and pays tickets signed for it.
    const adapter = await connectChain({
      rpcUrl: gateway.chain.rpcUrl,
      vault: other,
      requiredConfirmations: CONFIRMATIONS,
      ticketSignerKey: gateway.chain.ticketSignerKey,
      log: silent,
    })
    expect(await outcome(await adapter.signTicket(vaultTicket(ticket)))).toBe('success')
  })

  test('altered by one micro-USDC, or in its recipient, deadline or nonce is rejected by the contract', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { ticket } = await openTicket(alice, '1')
    const good = vaultTicket(ticket)
    const signature = ticket.signature as Hex
    const altered = [
      { ...good, amount: usdc(good.amount + 1n) },
      { ...good, to: newWallet().address },
      { ...good, deadline: good.deadline + 1n },
      { ...good, nonce: withdrawalNonce('another') },
    ]
    for (const wrong of altered) {
      const txHash = await gateway.chain.redeem(wrong, signature)
      expect((await gateway.chain.adapter.receipt(txHash))?.status).toBe('reverted')
    }
    expect(await gateway.chain.usdcOf(alice.address)).toBe(0n)
    await gateway.chain.redeem(good, signature)
    expect(await gateway.chain.usdcOf(alice.address)).toBe(USDC)
  })
})
