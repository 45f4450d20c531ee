import { parseUsdc } from '@farebox/money'
import { withdrawalNonce } from '@farebox/vault'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, deposit, invoke } from '../kit/world/world.ts'
import { AMPLE, PRICE, startTraders, type Traders } from './traders.ts'

// A provider takes its earnings out and closes its shop, by the names that the interface has for things, and no others.

let market: Traders
/** Services, once they are registered. */
const known = { api: '', llm: '' }

beforeAll(async () => {
  market = await startTraders()
  const { on, provider, owner } = market
  const register = async (manifest: object) =>
    (await market.post<{ serviceId: string }>(provider, '/services', manifest)).body.serviceId
  known.api = await register(market.apiManifest())
  known.llm = await register(market.llmManifest())
  await deposit(on, owner, '1')
  const { agent } = await market.issue(AMPLE)
  for (let calls = 0; calls < 3; calls += 1) {
    const body = { serviceId: known.api, costUsdc: PRICE, payload: { body: {} } }
    expect((await invoke(on, agent, body)).status).toBe(200)
  }
})
afterAll(() => market.stop())

describe('a provider who has earned', () => {
  test('withdraws: an intent locks its receivable, its ticket is paid on the chain, the hash closes it', async () => {
    const path = '/api/v1/providers/withdrawals'
    const ask1 = (key: string, amountUsdc: string) =>
      market.ask<{
        withdrawalId: string
        ticket: { to: Hex; amount: string; deadline: number; signature: Hex }
      }>(market.provider, `${path}/intent`, {
        method: 'POST',
        headers: { 'x-idempotency-key': key },
        body: { amountUsdc },
      })
    const tooMuch = await ask1('too much', '1000.000000')
    expect([tooMuch.status, (tooMuch.body as object as { code: string }).code]).toEqual([
      422,
      'INSUFFICIENT_PROVIDER_RECEIVABLE',
    ])
    const before = await balanceOf(market.on, market.provider)
    const { status, body } = await ask1('mine', '0.100000')
    expect([status, body]).toMatchObject([
      200,
      {
        status: 'success',
        ownerAddress: market.provider.account.address,
        withdrawalId: expect.any(String),
        statusLabel: 'APPROVED_AUTO',
        ticket: { to: market.provider.account.address, amount: '100000', deadline: expect.any(Number) },
      },
    ])
    const { withdrawalId, ticket } = body
    expect(Number.isInteger(ticket.deadline)).toBe(true)
    const locked = await balanceOf(market.on, market.provider)
    expect([before.receivable - locked.receivable, locked.locked]).toEqual([100_000n, 100_000n])
    const list = () => market.ask<{ withdrawals: object[] }>(market.provider, `${path}?limit=1`)
    expect((await list()).body).toMatchObject({
      status: 'success',
      ownerAddress: market.provider.account.address,
      withdrawals: [{ withdrawalId, amountUsdc: '0.100000', status: 'APPROVED_AUTO' }],
    })

    const close = (txHash: string, id = withdrawalId) =>
      market.ask(market.provider, `${path}/${id}/complete`, { method: 'POST', body: { txHash } })
    const malformed = await close('0x12')
    expect([malformed.status, malformed.body.code]).toEqual([400, 'INVALID_TX_HASH'])
    const unknown = await close(`0x${'ab'.repeat(32)}`, 'wd_none')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'WITHDRAWAL_NOT_FOUND'])
    const { to, amount, deadline, signature } = ticket
    const paid = {
      to,
      amount: parseUsdc('0.1'),
      deadline: BigInt(deadline),
      nonce: withdrawalNonce(withdrawalId),
    }
    const txHash = await market.on.chain.redeem(paid, signature)
    const closed = await close(txHash)
    expect([amount, closed.status, closed.body]).toMatchObject([
      '100000',
      200,
      { status: 'success', ownerAddress: market.provider.account.address, withdrawalId, txHash },
    ])
    expect((await close(txHash)).body).toEqual(closed.body)
    expect(await market.on.chain.usdcOf(market.provider.account.address)).toBe(100_000n)
    expect((await balanceOf(market.on, market.provider)).locked).toBe(0n)

    const second = await ask1('another', '0.050000')
    const replayed = await close(txHash, second.body.withdrawalId)
    expect([replayed.status, replayed.body.code]).toEqual([409, 'TX_HASH_REPLAY'])
  })

  test('switches a service off before it can delete it, and changes nothing after that', async () => {
    const path = `/api/v1/services/${known.api}`
    const put = (isActive: boolean, who = market.provider) =>
      market.ask(who, path, { method: 'PUT', body: { isActive } })
    const strangers = await put(false, market.owner)
    expect([strangers.status, strangers.body.code]).toEqual([404, 'SERVICE_NOT_FOUND'])
    const early = await market.ask(market.provider, path, { method: 'DELETE' })
    expect([early.status, typeof early.body.code, typeof early.body.message]).toEqual([
      409,
      'string',
      'string',
    ])
    const off = await put(false)
    expect([off.status, off.body]).toMatchObject([
      200,
      { service: { serviceId: known.api, isActive: false } },
    ])
    const { agent } = await market.issue(AMPLE)
    const call = await invoke(market.on, agent, {
      serviceId: known.api,
      costUsdc: PRICE,
      payload: { body: {} },
    })
    expect([call.status, call.body.code]).toEqual([404, 'SERVICE_NOT_FOUND'])
    expect((await market.ask(null, '/api/v1/services/discover')).body).toMatchObject([
      { serviceId: known.llm },
    ])
    expect((await market.ask(market.provider, path, { method: 'DELETE' })).status).toBe(200)
    const late = await put(true)
    expect([late.status, late.body.code]).toEqual([410, 'SERVICE_ALREADY_DELETED'])
  })
})
