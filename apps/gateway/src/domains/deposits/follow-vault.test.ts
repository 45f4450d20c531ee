import { usdc } from '@farebox/money'
import type { DepositIntent } from '@farebox/wire/deposits'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lies } from '../../../test/kit/chain/lies.ts'
import type { Misbehaviour } from '../../../test/kit/chain/rpc-proxy.ts'
import { Died, dyingDb } from '../../../test/kit/database/dying-db.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { complete, openTicket, redeem } from '../../../test/kit/world/withdrawals.ts'
import type { Deps, VaultEvent, WithdrawnEvent } from '../../ports.ts'
import { followVault } from './follow-vault.ts'
import { settleOverdueDeposits } from './settle-overdue-deposits.ts'

const CONFIRMATIONS = 3

let gateway: MoneyGateway

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: CONFIRMATIONS,
    env: { AUTO_CREDIT_AFTER_SECONDS: '3600' },
  })
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

const nobody = { onWithdrawn: async () => undefined }

const follow = (different: Partial<Deps> = {}, listener: Parameters<typeof followVault>[1] = nobody) =>
  followVault({ ...gateway.deps, ...different }, listener, new AbortController().signal)

/** Runs the follower as a gateway does at its interval. Returns true if it read events. */
async function look(restSeconds = 3_600): Promise<boolean> {
  let isRead = false
  gateway.faults.vaultEvents = range => {
    isRead = true
    return gateway.chain.adapter.vaultEvents(range)
  }
  await followVault(gateway.deps, nobody, new AbortController().signal, { restSeconds })
  return isRead
}

const available = async (of: Member) => (await gateway.balance(of)).consumerAvailable

async function register(who: Member, txHash: Hex): Promise<DepositIntent> {
  const body = { tx_hash: txHash, amount: 1 }
  const answer = await who.send<{ intent: DepositIntent }>('/balance/deposit/intent', {
    method: 'POST',
    body,
  })
  expect(answer.status).toBe(200)
  return answer.body.intent
}

async function cursor(): Promise<bigint> {
  const [row] = await gateway.deps.db.query<{ blockNumber: bigint }>(
    sql`select block_number from vault_cursors`,
  )
  return row?.blockNumber ?? -1n
}

/** Ends the waiting time of unregistered deposits. */
const letWaitingEnd = () =>
  gateway.deps.db.query(sql`update vault_deposits set confirmed_at = now() - interval '2 hours'
    where credited_at is null`)

describe('a vault without pending work', () => {
  const run = (statement: ReturnType<typeof sql>) => gateway.deps.db.query(statement)

  test('is polled rarely, and at every tick while a deposit or redemption is pending', async () => {
    await gateway.chain.mine(CONFIRMATIONS)
    expect(await look()).toBe(true)
    await gateway.chain.mine(1)
    expect(await look()).toBe(false)
    await run(sql`update vault_cursors set followed_at = now() - interval '11 seconds'`)
    expect([await look(10), await look(10)]).toEqual([true, false])

    const alice = await gateway.member()
    await register(alice, await gateway.chain.deposit(alice.address, usdc(2n * USDC)))
    expect([await look(), await look()]).toEqual([true, true])
    await gateway.chain.mine(CONFIRMATIONS)
    expect([await look(), await look()]).toEqual([true, false])
    expect(await available(alice)).toBe(2n * USDC)

    await gateway.earn(alice, usdc(USDC))
    await look(0)
    expect(await look()).toBe(false)
    const { id, ticket } = await openTicket(alice, '1')
    expect([await look(), await look()]).toEqual([true, true])
    const txHash = await redeem(gateway, ticket)
    await gateway.chain.mine(CONFIRMATIONS)
    expect((await complete(alice, id, txHash)).status).toBe(200)
    expect(await look()).toBe(false)
  })

  test('is polled at every tick after a change of the database or its clock, and while the books wait for it', async () => {
    await look(0)
    expect(await look()).toBe(false)
    for (const change of [
      sql`update vault_cursors set followed_at = now() + interval '1 hour'`,
      sql`update database_watch set started_at = now() - interval '1 year'`,
      sql`update vault_cursors set agreed_block = null, agreed_count = null`,
    ]) {
      await run(change)
      expect(await look(), change.text).toBe(true)
      await gateway.chain.mine(CONFIRMATIONS)
      await look()
      expect(await look(), change.text).toBe(false)
    }
  })
})

describe('a registered deposit', () => {
  test('is credited as soon as it is confirmed, and its intent shows it', async () => {
    const alice = await gateway.member()
    const txHash = await gateway.chain.deposit(alice.address, usdc(2n * USDC))
    const { id } = await register(alice, txHash)
    await gateway.chain.mine(CONFIRMATIONS - 2)
    await follow()
    expect(await available(alice)).toBe(0n)
    await gateway.chain.mine(1)
    await follow()
    expect(await available(alice)).toBe(2n * USDC)
    const { body } = await alice.send<{ deposits: DepositIntent[] }>('/balance/deposits')
    expect(body.deposits).toMatchObject([
      { id, status: 'credited', amountUsdc: '2.000000', claimedAmountUsdc: '1.000000', confirmations: 3 },
    ])
  })

  test('read before it is registered is credited once it is', async () => {
    const alice = await gateway.member()
    const txHash = await gateway.chain.deposit(alice.address, usdc(USDC))
    await gateway.chain.mine(2)
    await follow()
    expect(await available(alice)).toBe(0n)
    expect((await register(alice, txHash)).status).toBe('pending')
    await follow()
    expect(await available(alice)).toBe(USDC)
  })

  test('of several in one transaction credits each once, also while it is being confirmed by hand', async () => {
    const alice = await gateway.member()
    const txHash = await gateway.chain.depositAtOnce(alice.address, [usdc(USDC), usdc(USDC), usdc(5n)])
    await gateway.chain.mine(2)
    const { id } = await register(alice, txHash)
    const confirm = () => alice.send(`/balance/deposit/intents/${id}/confirm`, { method: 'POST' })
    const [first, , second] = await Promise.all([
      confirm(),
      follow(),
      confirm(),
      follow({ instanceId: 'gw_other' }),
    ])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await available(alice)).toBe(2n * USDC + 5n)
  })
})

test('a deposit that was given up and is mined later is credited, and its intent shows it', async () => {
  const alice = await gateway.member()
  await gateway.chain.pauseMining()
  const txHash = await gateway.chain.deposit(alice.address, usdc(USDC))
  const { id } = await register(alice, txHash)
  await gateway.deps.db.query(
    sql`update deposits set created_at = now() - interval '25 hours' where id = ${id}`,
  )
  await settleOverdueDeposits(gateway.deps, new AbortController().signal)
  const shown = async () =>
    (await alice.send<{ deposits: DepositIntent[] }>('/balance/deposits')).body.deposits
  expect(await shown()).toMatchObject([{ status: 'rejected', reason: 'unknown_after_24h' }])
  await gateway.chain.mine(CONFIRMATIONS)
  await gateway.chain.resumeMining()
  await follow()
  const [deposit] = await shown()
  expect(deposit).toMatchObject({ id, status: 'credited', amountUsdc: '1.000000' })
  expect(deposit?.reason).toBeUndefined()
  expect(await available(alice)).toBe(USDC)
})

describe('an unregistered deposit', () => {
  test('waits, then is credited; the claim that comes later is taken, and a second is refused', async () => {
    const alice = await gateway.member()
    const txHash = await gateway.chain.deposit(alice.address, usdc(3n * USDC))
    await gateway.chain.mine(2)
    await follow()
    expect(await available(alice)).toBe(0n)
    await letWaitingEnd()
    await follow()
    await follow()
    expect(await available(alice)).toBe(3n * USDC)

    const intent = await register(alice, txHash)
    expect(intent).toMatchObject({
      status: 'credited',
      amountUsdc: '3.000000',
      claimedAmountUsdc: '1.000000',
    })
    const body = { tx_hash: txHash, amount: 3 }
    const again = await alice.send('/balance/deposit/intent', { method: 'POST', body })
    expect([again.status, again.body.code]).toEqual([409, 'DUPLICATE_TX_HASH'])
    const other = await gateway.member()
    const others = await other.send('/balance/deposit/intent', { method: 'POST', body })
    expect(others.body.code).toBe('DUPLICATE_TX_HASH')
  })

  test('that was seen before the clock of the database was set back does not wait for as long', async () => {
    const alice = await gateway.member()
    await gateway.chain.deposit(alice.address, usdc(USDC))
    await gateway.chain.mine(2)
    await follow()
    expect(await available(alice)).toBe(0n)
    await gateway.deps.db.query(
      sql`update vault_deposits set confirmed_at = now() + interval '3 hours' where credited_at is null`,
    )
    await follow()
    expect(await available(alice)).toBe(USDC)
  })

  test('of a wallet that has never signed in is there when it does', async () => {
    const account = newWallet()
    await gateway.chain.deposit(account.address, usdc(USDC))
    await gateway.chain.mine(2)
    await follow()
    await letWaitingEnd()
    await follow()
    const stranger = await gateway.member(account)
    expect(await available(stranger)).toBe(USDC)
  })

  test('failure 32: a claim by another wallet neither speeds it up nor takes it', async () => {
    const [alice, thief] = [await gateway.member(), await gateway.member()]
    const txHash = await gateway.chain.deposit(alice.address, usdc(USDC))
    await register(thief, txHash)
    await gateway.chain.mine(2)
    await follow()
    expect([await available(alice), await available(thief)]).toEqual([0n, 0n])
    await letWaitingEnd()
    await follow()
    expect([await available(alice), await available(thief)]).toEqual([USDC, 0n])
  })
})

describe('failure 25: a follower that dies', () => {
  test('at any of its calls is followed by one that credits once', async () => {
    let died = 0
    for (let calls = 0; calls < 40; calls += 1) {
      const alice = await gateway.member()
      await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
      await gateway.chain.mine(2)
      const db = dyingDb(gateway.deps.db, calls)
      const outcome = await follow({ db }).catch((error: unknown) => error)
      if (db.callsLeft < 0) died += 1
      expect(outcome === undefined || outcome instanceof Died).toBe(true)
      await follow()
      await follow()
      expect(await available(alice)).toBe(USDC)
      if (db.callsLeft > 0) break
    }
    expect(died).toBeGreaterThan(2)
  })

  test('with its cursor far behind credits nothing again', async () => {
    const alice = await gateway.member()
    await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
    await gateway.chain.mine(2)
    await follow()
    await gateway.deps.db.query(sql`update vault_cursors set block_number = -1, block_hash = null`)
    await follow()
    expect(await available(alice)).toBe(USDC)
    const head = await gateway.chain.adapter.head()
    expect(await cursor()).toBe(head.number - 2n)
  })
})

describe('failure 35: a reorganisation', () => {
  test('of a deposit that is not final leaves nothing behind', async () => {
    const alice = await gateway.member()
    await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
    await gateway.chain.mine(1)
    await follow()
    await gateway.chain.reorg(2)
    await gateway.chain.mine(5)
    await follow()
    expect(await available(alice)).toBe(0n)
    expect(
      await gateway.deps.db.query(sql`select 1 from vault_deposits where wallet = ${alice.wallet}`),
    ).toEqual([])
  })

  test('of a deposit that was read and waits for its credit takes it away; its block is checked again', async () => {
    const alice = await gateway.member()
    await gateway.chain.deposit(alice.address, usdc(USDC))
    await gateway.chain.mine(2)
    await follow()
    await gateway.chain.reorg(3)
    await gateway.chain.mine(3)
    await letWaitingEnd()
    await follow()
    expect(await available(alice)).toBe(0n)
    // A deposit that is mined again on the new chain is credited again, once.
    await gateway.chain.deposit(alice.address, usdc(USDC))
    await gateway.chain.mine(2)
    await follow()
    await letWaitingEnd()
    await follow()
    expect(await available(alice)).toBe(USDC)
  })
})

describe('failure 36: a node that', () => {
  test('lags holds the cursor and does not move it back', async () => {
    await gateway.chain.mine(5)
    await follow()
    const before = await cursor()
    gateway.node.misbehave({ lagsBy: 4 })
    await follow()
    expect(await cursor()).toBe(before)

    await gateway.chain.mine(3)
    gateway.node.misbehave(lies.noBlockAbove(before))
    await follow()
    expect(await cursor()).toBe(before)
    gateway.heal()
    await follow()
    expect(await cursor()).toBe(before + 3n)
  })

  test('omits events is caught up with once it returns them', async () => {
    const alice = await gateway.member()
    await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
    await gateway.chain.mine(2)
    gateway.node.misbehave(lies.noLogs())
    await follow()
    await gateway.chain.mine(10)
    await follow()
    expect(await available(alice)).toBe(0n)
    gateway.heal()
    await follow()
    expect(await available(alice)).toBe(USDC)
  })

  test('is unreachable is read again from the same position', async () => {
    const alice = await gateway.member()
    await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
    await gateway.chain.mine(2)
    const before = await cursor()
    const outages: Misbehaviour[] = [
      { refuses: true },
      { hangs: true },
      { status: 503 },
      { error: { code: -32_005, message: 'limit exceeded' } },
    ]
    for (const how of outages) {
      gateway.node.misbehave(how)
      await expect(follow(), JSON.stringify(how)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      expect(await cursor()).toBe(before)
    }
    gateway.heal()
    await follow()
    expect(await available(alice)).toBe(USDC)
  })
})

describe('several gateways', () => {
  test('elect one follower; another takes over when it is gone', async () => {
    let reads = 0
    gateway.faults.vaultEvents = range => {
      reads += 1
      return gateway.chain.adapter.vaultEvents(range)
    }
    await follow()
    await follow({ instanceId: 'gw_second' })
    expect(reads).toBe(1)
    await gateway.deps.db.query(sql`update vault_cursors set lease_until = now() - interval '1 second'`)
    await follow({ instanceId: 'gw_second' })
    await follow()
    expect(reads).toBe(2)
    await gateway.deps.db.query(sql`update vault_cursors set lease_until = now() - interval '1 second'`)
  })

  test('wait for no lease from before the clock of the database was set back', async () => {
    const alice = await gateway.member()
    await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
    await gateway.chain.mine(2)
    await gateway.deps.db.query(
      sql`update vault_cursors set holder = 'gw_dead', lease_until = now() + interval '3 hours'`,
    )
    await follow()
    expect(await available(alice)).toBe(USDC)
  })

  test('that follow concurrently credit once', async () => {
    const alice = await gateway.member()
    await register(alice, await gateway.chain.depositAtOnce(alice.address, [usdc(USDC), usdc(USDC)]))
    await gateway.chain.mine(2)
    await Promise.all(Array.from({ length: 6 }, () => follow()))
    expect(await available(alice)).toBe(2n * USDC)
  })
})

describe('the listener', () => {
  test('gets confirmed redemptions only, and again after it throws', async () => {
    const provider = await gateway.member()
    await gateway.earn(provider, usdc(USDC))
    await follow()
    const { chain } = gateway
    const { ticket } = await openTicket(provider, '1')
    const txHash = await redeem(gateway, ticket)

    const reported: VaultEvent[] = []
    const listener = { onWithdrawn: async (events: readonly WithdrawnEvent[]) => reported.push(...events) }
    await follow({}, listener)
    expect(reported).toEqual([])
    await chain.mine(2)
    const before = await cursor()
    await expect(follow({}, { onWithdrawn: () => Promise.reject(new Error('not now')) })).rejects.toThrow(
      'not now',
    )
    expect(await cursor()).toBe(before)
    await follow({}, listener)
    expect(reported).toMatchObject([{ txHash, nonce: ticket.nonce, amount: USDC, to: provider.wallet }])
  })
})

test('catches up with a long absence in one run, step by step', async () => {
  const alice = await gateway.member()
  await register(alice, await gateway.chain.deposit(alice.address, usdc(USDC)))
  await gateway.chain.mine(1_200)
  const ranges: bigint[] = []
  gateway.faults.vaultEvents = range => {
    ranges.push(range.to - range.from)
    return gateway.chain.adapter.vaultEvents(range)
  }
  await follow()
  expect(await available(alice)).toBe(USDC)
  expect(ranges.length).toBeGreaterThan(1)
  expect(ranges.every(blocks => blocks <= 1_064n)).toBe(true)
})

test('one wrong answer of a node about the block of a deposit does not keep it from its credit', async () => {
  const { chain } = gateway
  const late = await gateway.member()
  const txHash = await chain.deposit(late.address, usdc(USDC))
  const at = (await chain.adapter.receipt(txHash))?.blockNumber
  /** Blocks read again do not hold the deposit any more. */
  const moveOn = async () => {
    await chain.mine(70)
    await follow()
  }
  gateway.faults.block = async height => (height === at ? null : chain.adapter.block(height))
  await moveOn()
  await register(late, txHash)
  await moveOn()
  expect(await available(late)).toBe(0n)

  let wrong = 0
  gateway.faults.block = async height => {
    const block = await chain.adapter.block(height)
    if (height !== at || block === null || wrong > 0) return block
    wrong += 1
    return { ...block, hash: `0x${'ab'.repeat(32)}` }
  }
  await follow()
  expect(wrong).toBe(1)
  await moveOn()
  expect(await available(late)).toBe(USDC)
})

test('a deposit is not credited with another amount than the chain says', async () => {
  const alice = await gateway.member()
  await gateway.chain.deposit(alice.address, usdc(3n * USDC))
  // Beyond the blocks that the follower reads again.
  await gateway.chain.mine(80)
  await follow()
  const change = (by: number) =>
    gateway.deps.db.query(
      sql`update vault_deposits set amount = amount + ${by} where wallet = ${alice.wallet}`,
    )
  await change(1)
  await letWaitingEnd()
  await follow()
  expect(await available(alice)).toBe(0n)
  await change(-1)
  await follow()
  expect(await available(alice)).toBe(3n * USDC)
})

test('a deposit is not credited with the amount of another one in its transaction', async () => {
  const alice = await gateway.member()
  await gateway.chain.depositAtOnce(alice.address, [usdc(USDC), usdc(3n * USDC)])
  await gateway.chain.mine(80)
  await follow()
  const change = (from: bigint, to: bigint) =>
    gateway.deps.db.query(sql`
      update vault_deposits set amount = ${to} where wallet = ${alice.wallet} and amount = ${from}
        and log_index = (select min(log_index) from vault_deposits where wallet = ${alice.wallet})`)
  await change(USDC, 3n * USDC)
  await letWaitingEnd()
  await follow()
  expect(await available(alice)).toBe(0n)
  await change(3n * USDC, USDC)
  await follow()
  expect(await available(alice)).toBe(4n * USDC)
})
