import { usdc } from '@farebox/money'
import type { DepositIntent } from '@farebox/wire/deposits'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lies } from '../../../test/kit/chain/lies.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { settleOverdueDeposits } from './settle-overdue-deposits.ts'

let gateway: MoneyGateway
let alice: Member
let bob: Member

const CONFIRMATIONS = 3
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`

beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: CONFIRMATIONS })
  alice = await gateway.member()
  bob = await gateway.member()
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

type Opened = { status: string; tx_hash: string; intent: DepositIntent }

const open = (who: Member, tx_hash: unknown, amount: unknown = 5, headers: Record<string, string> = {}) =>
  who.send<Opened>('/balance/deposit/intent', { method: 'POST', body: { tx_hash, amount }, headers })

const confirm = (who: Member, id: string, body?: unknown) =>
  who.send<{ intent: DepositIntent; code: string; detail: Record<string, unknown> }>(
    `/balance/deposit/intents/${id}/confirm`,
    { method: 'POST', ...(body === undefined ? {} : { body }) },
  )

async function opened(who: Member, txHash: Hex, amount: unknown = 5): Promise<DepositIntent> {
  const { status, body } = await open(who, txHash, amount)
  expect(status).toBe(200)
  return body.intent
}

describe('opening', () => {
  test('answers a pending intent under every name that clients know', async () => {
    const txHash = await gateway.chain.deposit(alice.address, usdc(5n * USDC))
    const { status, body } = await open(alice, txHash, 5)
    expect(status).toBe(200)
    const { id } = body.intent
    expect(id).toMatch(/^dep_[0-9a-z]{26}$/)
    expect(body).toEqual({
      status: 'success',
      intentId: id,
      tx_hash: txHash,
      intent: {
        id,
        intentId: id,
        depositIntentId: id,
        status: 'pending',
        tx_hash: txHash,
        txHash,
        eventKey: null,
        amountUsdc: '5.000000',
        confirmations: 0,
        requiredConfirmations: CONFIRMATIONS,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
  })

  test('takes the aliases of the body', async () => {
    const body = { txHash: `0x${'01'.repeat(32)}`, amountUsdc: '0.05' }
    const answer = await alice.send<Opened>('/balance/deposit/intent', { method: 'POST', body })
    expect(answer.status).toBe(200)
    expect(answer.body.intent.amountUsdc).toBe('0.050000')
  })

  test('does not need the chain', async () => {
    gateway.node.misbehave({ refuses: true })
    expect((await open(alice, `0x${'02'.repeat(32)}`)).status).toBe(200)
  })

  test.each([
    `0x${'ab'.repeat(31)}a`,
    `0x${'ab'.repeat(32)}a`,
    'ab'.repeat(32),
    `0X${'ab'.repeat(32)}`,
    `0x${'zz'.repeat(32)}`,
    ` 0x${'ab'.repeat(32)}`,
    '',
    null,
    12,
    undefined,
  ])('failure 70: %j is no transaction hash', async txHash => {
    const { status, body } = await open(alice, txHash)
    expect([status, body.code]).toEqual([400, 'INVALID_TX_HASH'])
  })

  test.each(['1e3', '-0', ' 1', '0x1', '1.0000001', '１', -1, 0, '0', null, '1000000000000'])(
    'failure 62: %j is no amount',
    async amount => {
      const { status, body } = await open(alice, `0x${'03'.repeat(32)}`, amount)
      expect([status, body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    },
  )

  test('without a session is refused before the body is parsed', async () => {
    const answer = await send(gateway.url, '/api/v1/balance/deposit/intent', { method: 'POST', body: {} })
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  test('failure 34: a hash in another case is the same hash', async () => {
    const txHash = `0x${'0c'.repeat(32)}`
    expect((await open(alice, `0x${'0C'.repeat(32)}`)).body.tx_hash).toBe(txHash)
    const again = await open(alice, txHash)
    expect([again.status, again.body.code]).toEqual([409, 'DUPLICATE_TX_HASH'])
  })

  test('a hash that another wallet was credited for is DUPLICATE_TX_HASH', async () => {
    const txHash = await gateway.chain.deposit(alice.address, usdc(5n * USDC))
    await gateway.chain.mine(CONFIRMATIONS - 1)
    const { id } = await opened(alice, txHash)
    expect((await confirm(alice, id)).body.intent.status).toBe('credited')
    const others = await open(bob, txHash)
    expect([others.status, others.body.code]).toEqual([409, 'DUPLICATE_TX_HASH'])
  })

  test('again with the same idempotency key gives the stored answer, with another body a conflict', async () => {
    const headers = { 'x-idempotency-key': 'deposit 1' }
    const txHash = `0x${'04'.repeat(32)}`
    const first = await open(alice, txHash, 5, headers)
    const again = await open(alice, txHash.toUpperCase().replace('0X', '0x'), '5.00', headers)
    expect(again.status).toBe(200)
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body))
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(first.headers['idempotent-replayed']).toBeUndefined()

    const other = await open(alice, txHash, 6, headers)
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    const without = await open(alice, txHash, 5)
    expect([without.status, without.body.code]).toEqual([409, 'DUPLICATE_TX_HASH'])
    const byAnother = await open(bob, txHash, 5, headers)
    expect(byAnother.status).toBe(200)
  })

  test('many times at once registers one claim', async () => {
    const txHash = `0x${'05'.repeat(32)}`
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(alice, txHash)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, ...Array(7).fill(409)])
  })
})

describe('confirming', () => {
  test("waits for the confirmations, then credits the amount in the vault's event", async () => {
    const txHash = await gateway.chain.deposit(alice.address, usdc(5n * USDC))
    const before = await gateway.balance(alice)
    const { id } = await opened(alice, txHash)

    const early = await confirm(alice, id, { confirmations: 99, eventKey: 'whatever' })
    expect([early.status, early.body.code]).toEqual([409, 'DEPOSIT_NOT_CONFIRMED'])
    expect(early.body.detail).toMatchObject({ confirmations: 1, requiredConfirmations: CONFIRMATIONS })
    expect(early.headers['retry-after']).toBeDefined()
    const listed = await alice.send<{ deposits: DepositIntent[] }>('/balance/deposits?limit=1')
    expect(listed.body.deposits).toMatchObject([{ id, status: 'confirming', confirmations: 1 }])

    await gateway.chain.mine(2)
    const { status, body } = await confirm(alice, id)
    expect(status).toBe(200)
    expect(body.intent).toMatchObject({ id, status: 'credited', amountUsdc: '5.000000', confirmations: 3 })
    expect(body.intent.eventKey).toBe(`${gateway.deps.chain.facts.chainId}:${txHash}:1`)
    expect(body.intent.claimedAmountUsdc).toBeUndefined()
    const after = await gateway.balance(alice)
    expect(after.consumerAvailable - before.consumerAvailable).toBe(5n * USDC)
  })

  test('failure 15: many times at once is one credit, and again later the same answer', async () => {
    const carol = await gateway.member()
    const txHash = await gateway.chain.deposit(carol.address, usdc(7n * USDC))
    await gateway.chain.mine(2)
    const { id } = await opened(carol, txHash, 7)
    const answers = await Promise.all(Array.from({ length: 12 }, () => confirm(carol, id)))
    expect(answers.map(answer => answer.status)).toEqual(Array(12).fill(200))
    expect(new Set(answers.map(answer => JSON.stringify(answer.body))).size).toBe(1)
    expect((await confirm(carol, id)).body).toEqual(answers[0]?.body)
    expect((await gateway.balance(carol)).consumerAvailable).toBe(7n * USDC)
  })

  test('failure 29: a reverted transaction is rejected, once that is certain', async () => {
    const txHash = await gateway.chain.depositThatReverts(alice.address, usdc(5n * USDC))
    const { id } = await opened(alice, txHash)
    expect((await confirm(alice, id)).body.code).toBe('DEPOSIT_NOT_CONFIRMED')
    await gateway.chain.mine(2)
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await confirm(alice, id)
      expect([status, body.code, body.detail.reason]).toEqual([422, 'DEPOSIT_REJECTED', 'reverted'])
    }
  })

  test('failure 30: the right event of the wrong contract is rejected', async () => {
    const carol = await gateway.member()
    const txHash = await gateway.chain.depositElsewhere(carol.address, usdc(5n * USDC))
    await gateway.chain.mine(2)
    const { id } = await opened(carol, txHash)
    expect((await confirm(carol, id)).body.detail.reason).toBe('no_vault_deposit')
    expect((await gateway.balance(carol)).consumerAvailable).toBe(0n)
  })

  test('failure 31: a claimed amount that differs is noted; the amount of the event is credited', async () => {
    const carol = await gateway.member()
    const txHash = await gateway.chain.deposit(carol.address, usdc(3n * USDC))
    await gateway.chain.mine(2)
    const { id } = await opened(carol, txHash, '999999')
    const { body } = await confirm(carol, id)
    expect(body.intent).toMatchObject({ amountUsdc: '3.000000', claimedAmountUsdc: '999999.000000' })
    expect((await gateway.balance(carol)).consumerAvailable).toBe(3n * USDC)
  })

  test('failure 32: a claim to the deposit of another wallet gets nothing and never blocks its owner', async () => {
    const [owner, thief, late] = [await gateway.member(), await gateway.member(), await gateway.member()]
    const txHash = await gateway.chain.deposit(owner.address, usdc(4n * USDC))
    const squatted = await opened(thief, txHash, 4)
    await gateway.chain.mine(2)
    const refused = await confirm(thief, squatted.id)
    expect([refused.status, refused.body.detail.reason]).toEqual([422, 'wrong_depositor'])

    const mine = await opened(owner, txHash, 4)
    expect((await confirm(owner, mine.id)).body.intent.status).toBe('credited')
    expect((await gateway.balance(owner)).consumerAvailable).toBe(4n * USDC)
    expect((await gateway.balance(thief)).consumerAvailable).toBe(0n)

    const tooLate = await open(late, txHash, 4)
    expect([tooLate.status, tooLate.body.code]).toEqual([409, 'DUPLICATE_TX_HASH'])
  })

  test('failure 33: two deposits in one transaction are both credited, once', async () => {
    const carol = await gateway.member()
    const txHash = await gateway.chain.depositAtOnce(carol.address, [usdc(2n * USDC), usdc(3n * USDC)])
    await gateway.chain.mine(2)
    const { id } = await opened(carol, txHash, 5)
    const answers = await Promise.all([1, 2, 3].map(() => confirm(carol, id)))
    expect(answers.map(answer => answer.body.intent.amountUsdc)).toEqual(Array(3).fill('5.000000'))
    expect((await gateway.balance(carol)).consumerAvailable).toBe(5n * USDC)
    const ledger = await carol.send<{ entries: { amountUsdc: string }[] }>('/balance/ledger')
    expect(ledger.body.entries.map(entry => entry.amountUsdc).sort()).toEqual(['2.000000', '3.000000'])
  })

  test('failure 35: a deposit that is reorganised away before it is final is not credited', async () => {
    const carol = await gateway.member()
    const txHash = await gateway.chain.deposit(carol.address, usdc(5n * USDC))
    await gateway.chain.mine(1)
    const { id } = await opened(carol, txHash)
    expect((await confirm(carol, id)).body.detail.confirmations).toBe(2)
    await gateway.chain.reorg(2)
    await gateway.chain.mine(3)
    const gone = await confirm(carol, id)
    expect([gone.status, gone.body.code]).toEqual([409, 'DEPOSIT_NOT_CONFIRMED'])
    expect((await gateway.balance(carol)).consumerAvailable).toBe(0n)
  })

  test('failure 35: a receipt of a block that is not the one at its height is not believed', async () => {
    const carol = await gateway.member()
    const txHash = await gateway.chain.deposit(carol.address, usdc(5n * USDC))
    await gateway.chain.mine(2)
    const { id } = await opened(carol, txHash)
    gateway.node.misbehave(lies.receiptsOf(UNKNOWN))
    expect((await confirm(carol, id)).body.code).toBe('DEPOSIT_NOT_CONFIRMED')
    gateway.node.misbehave(lies.noReceipts())
    expect((await confirm(carol, id)).body.code).toBe('DEPOSIT_NOT_CONFIRMED')
    gateway.heal()
    expect((await confirm(carol, id)).status).toBe(200)
  })

  test('a transaction that the chain does not know can be confirmed once it does', async () => {
    const carol = await gateway.member()
    await gateway.chain.fund(carol.address, usdc(USDC))
    await gateway.chain.pauseMining()
    const txHash = await gateway.chain.deposit(carol.address, usdc(USDC))
    const { id } = await opened(carol, txHash, 1)
    const unknown = await confirm(carol, id)
    expect([unknown.status, unknown.body.code]).toEqual([409, 'DEPOSIT_NOT_CONFIRMED'])
    await gateway.chain.mine(3)
    await gateway.chain.resumeMining()
    expect((await confirm(carol, id)).status).toBe(200)
  })

  test('with an unreachable chain changes nothing', async () => {
    const { id } = await opened(alice, `0x${'06'.repeat(32)}`)
    gateway.node.misbehave({ refuses: true })
    const answer = await confirm(alice, id)
    expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE'])
    gateway.heal()
    expect((await confirm(alice, id)).body.code).toBe('DEPOSIT_NOT_CONFIRMED')
  })

  test('failure 59: the intent of another wallet is not found', async () => {
    const { id } = await opened(alice, `0x${'07'.repeat(32)}`)
    for (const path of [id, 'dep_nothing', '%00', 'a'.repeat(150)]) {
      const { status, body } = await confirm(bob, path)
      expect([status, body.code]).toEqual([404, 'DEPOSIT_NOT_FOUND'])
    }
  })

  test('an unknown transaction is given up after a day, and credited if it is mined later', async () => {
    const carol = await gateway.member()
    const lost = await opened(carol, UNKNOWN)
    const txHash = await gateway.chain.deposit(carol.address, usdc(2n * USDC))
    await gateway.chain.mine(2)
    const found = await opened(carol, txHash, 2)
    await gateway.deps.db.query(sql`update deposits set created_at = now() - interval '25 hours'
      where wallet = ${carol.wallet}`)
    await settleOverdueDeposits(gateway.deps, new AbortController().signal)
    const { body } = await confirm(carol, lost.id)
    expect([body.code, body.detail.reason]).toEqual(['DEPOSIT_REJECTED', 'unknown_after_24h'])
    expect((await confirm(carol, found.id)).body.intent.status).toBe('credited')
    expect((await gateway.balance(carol)).consumerAvailable).toBe(2n * USDC)
  })

  test('a transaction that no node returns delays no other that is given up', async () => {
    const [carol, dora] = [await gateway.member(), await gateway.member()]
    const unreadable: Hex = `0x${'0a'.repeat(32)}`
    await opened(carol, unreadable)
    const lost = await opened(dora, UNKNOWN)
    await gateway.deps.db.query(sql`update deposits set created_at = now() - interval '26 hours'
      where wallet = ${carol.wallet}`)
    await gateway.deps.db.query(sql`update deposits set created_at = now() - interval '25 hours'
      where wallet = ${dora.wallet}`)
    gateway.node.misbehave({
      refuse: (method, [hash]) =>
        method === 'eth_getTransactionReceipt' && hash === unreadable
          ? { code: -32_000, message: 'response size exceeded' }
          : undefined,
    })
    await expect(settleOverdueDeposits(gateway.deps, new AbortController().signal)).rejects.toThrow(
      '1 deposits could not be settled',
    )
    gateway.heal()
    expect((await confirm(dora, lost.id)).body.detail.reason).toBe('unknown_after_24h')
  })
})

test("the list is paged, newest first, and shows the caller's deposits only", async () => {
  const carol = await gateway.member()
  const hashes: Hex[] = ['0x11', '0x12', '0x13'].map((start): Hex => `${start as Hex}${'00'.repeat(31)}`)
  for (const hash of hashes) await opened(carol, hash)
  type Listed = { deposits: DepositIntent[]; nextCursor: string | null }
  const first = await carol.send<Listed>('/balance/deposits?limit=2')
  const second = await carol.send<Listed>(`/balance/deposits?limit=2&cursor=${first.body.nextCursor}`)
  const seen = [...first.body.deposits, ...second.body.deposits].map(deposit => deposit.txHash)
  expect(seen).toEqual([...hashes].reverse())
  expect(second.body.nextCursor).toBeNull()
  const bad = await carol.send('/balance/deposits?cursor=!!')
  expect([bad.status, bad.body.code]).toEqual([400, 'INVALID_REQUEST'])
})
