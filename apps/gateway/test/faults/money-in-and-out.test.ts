import { parseUsdc } from '@farebox/money'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CatchAt } from '../kit/network/database-proxy.ts'
import { answerOrCut, get, post } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { PRICE, PRICE_USDC } from '../kit/world/sold-service.ts'
import { arrive, balanceOf, type Person } from '../kit/world/world.ts'
import { createAftermaths, type Fixture, startFixture } from './fixture.ts'

const AMOUNT_USDC = '2.500000'
const AMOUNT = parseUsdc(AMOUNT_USDC)

let fixture: Fixture
const aftermaths = createAftermaths(() => fixture.on)

beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

describe('failure 24: a withdrawal that was committed but whose reply was lost', () => {
  type Opened = { withdrawalId: string; statusLabel: string; ticket: Record<string, unknown> }

  const open = (key: string) =>
    post<Opened>(fixture.on, '/providers/withdrawals/intent', {
      token: fixture.provider.token,
      headers: { 'x-idempotency-key': key },
      body: { amountUsdc: PRICE_USDC },
    })

  const withdrawals = () => fixture.on.sql('select * from withdrawals order by id')

  test('to a cut connection: 503, then the same key returns the ticket; the amount is locked once', async () => {
    const payer = await fixture.payer()
    await fixture.call(payer, 'k')
    const trap = fixture.proxy.catchCommit('commit-answer', ['insert into withdrawals'])
    const lost = open('cut')
    await trap.sprung
    trap.cut()
    expect(await lost).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    const again = await open('cut')
    expect(again).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
    const [row] = await fixture.on.sql<{ signature: string }>('select signature from withdrawals')
    expect(again.body.ticket).toMatchObject({ amount: String(PRICE), signature: row?.signature })
    expect(await balanceOf(fixture.on, fixture.provider)).toMatchObject({ receivable: 0n, locked: PRICE })
    expect(await withdrawals()).toHaveLength(1)
  })

  test('to SIGKILL: the same key returns the ticket that was signed', async () => {
    const payer = await fixture.payer()
    await fixture.call(payer, 'k')
    const trap = fixture.proxy.catchCommit('answers', ['insert into withdrawals'])
    const lost = answerOrCut(open('killed'))
    await trap.sprung
    await fixture.on.kill9()
    expect(await lost).toBeNull()
    const before = await withdrawals()
    expect(before).toHaveLength(2)
    await aftermaths.recover(async () => {
      const again = await open('killed')
      expect(again).toMatchObject({ status: 200, body: { statusLabel: 'APPROVED_AUTO' } })
      expect(again.body).toMatchObject({
        withdrawalId: before[1]?.id,
        ticket: { nonce: before[1]?.nonce, signature: before[1]?.signature },
      })
      expect(await withdrawals()).toEqual(before)
    })
  })
})

describe('failure 25: SIGKILL while following the vault', () => {
  /** Time goes by: the dead gateway's turn at following ends. */
  const letTurnEnd = () => fixture.on.sql('update vault_cursors set lease_until = now()')

  const claim = (owner: Person, txHash: Hex) =>
    post(fixture.on, '/balance/deposit/intent', {
      token: owner.token,
      body: { tx_hash: txHash, amount: AMOUNT_USDC },
    })

  const expectOneCredit = async (owner: Person, txHash: Hex) => {
    await letTurnEnd()
    await until('the deposit is credited', async () => (await balanceOf(fixture.on, owner)).available > 0n)
    expect((await balanceOf(fixture.on, owner)).available).toBe(AMOUNT)
    const { body } = await get(fixture.on, '/balance/deposits', { token: owner.token })
    expect(body.deposits).toMatchObject([{ status: 'credited', txHash, amountUsdc: AMOUNT_USDC }])
    const account = `consumer:${owner.account.address.toLowerCase()}`
    const entries = await fixture.on.sql('select amount from entries where account = $1', [account])
    expect(entries).toEqual([{ amount: String(AMOUNT) }])
  }

  test.each<[string, statement: string, CatchAt]>([
    ['before the cursor moved', 'update vault_cursors set block_number', 'request'],
    ['after the cursor moved, before the credit', 'set credited_at', 'request'],
    ['after the credit', 'set credited_at', 'commit-answer'],
  ])('%s: the deposit is credited once', async (_, statement, at) => {
    const owner = await arrive(fixture.on)
    const { chain } = fixture.on
    await chain.pauseMining()
    const txHash = await chain.deposit(owner.account.address, AMOUNT)
    expect((await claim(owner, txHash)).status).toBe(200)
    const trap = fixture.proxy.catchCommit(at, [statement, txHash])
    await chain.mine()
    await chain.resumeMining()
    await trap.sprung
    await fixture.on.kill9()
    await aftermaths.recover(() => expectOneCredit(owner, txHash))
  })
})

test('a second crash changes nothing that the first ones left', () => aftermaths.recoverAgain())
