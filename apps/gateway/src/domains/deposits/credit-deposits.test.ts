import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type ProxiedMoneyGateway,
  startProxiedMoneyGateway,
  USDC,
} from '../../../test/kit/gateway/money-gateway.ts'
import { insertPaidCall } from '../../../test/kit/ledger/paid-call.ts'
import { postMovements } from '../../../test/kit/ledger/post-movements.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { confirmDeposit } from './confirm-deposit.ts'
import { openDeposit } from './open-deposit.ts'

let gateway: ProxiedMoneyGateway

beforeAll(async () => {
  gateway = await startProxiedMoneyGateway({
    requiredConfirmations: 1,
  })
})
afterAll(() => gateway.stop())
afterEach(() => gateway.assertBooks())

async function opened(who: Member, txHash: Hex): Promise<string> {
  const claim = { wallet: who.wallet, txHash, amount: usdc(USDC), idempotencyKey: null }
  return (await openDeposit(gateway.deps, claim)).body.intent.id
}

const deposited = async (who: Member) => opened(who, await gateway.chain.deposit(who.address, usdc(USDC)))

test('failure 16: calls during a credit lose no update', async () => {
  const alice = await gateway.member()
  const provider = newWallet().address.toLowerCase()
  const ids: string[] = []
  for (let count = 0; count < 6; count += 1) ids.push(await deposited(alice))
  const [first, ...others] = ids
  await confirmDeposit(gateway.deps, { wallet: alice.wallet, id: first ?? '' })

  /** Makes a call: a hold, and the capture of a part of it. */
  const call = async (index: number) => {
    const reference = `call ${index}`
    const hold = usdc(1_000n)
    const [isHeld] = await gateway.deps.db.transaction(tx =>
      postMovements(tx, [{ kind: 'hold', wallet: alice.wallet, provider: '0xb', amount: hold, reference }]),
    )
    expect(isHeld).toBe(true)
    const [consumer, charge, fee] = [alice.wallet, usdc(10n), usdc(0n)]
    await gateway.deps.db.transaction(async tx => {
      await postMovements(tx, [{ kind: 'capture', consumer, provider, hold, charge, fee, reference }])
      await insertPaidCall(tx, { id: reference, consumer, provider, hold, charge })
    })
  }
  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) => call(index)),
    ...others.map(id => confirmDeposit(gateway.deps, { wallet: alice.wallet, id })),
  ])
  expect(await gateway.balance(alice)).toMatchObject({
    consumerAvailable: 6n * USDC - 200n,
    consumerHeld: 0n,
  })
})

test('failure 22: a credit whose COMMIT response was lost is found committed, once', async () => {
  const alice = await gateway.member()
  const id = await deposited(alice)
  const confirm = () => alice.send(`/balance/deposit/intents/${id}/confirm`, { method: 'POST' })
  const trap = gateway.database.catchCommit('commit-answer', ['set credited_at', alice.wallet])
  const lost = confirm()
  await trap.sprung
  trap.cut()
  expect(await lost).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
  expect((await gateway.balance(alice)).consumerAvailable).toBe(USDC)
  expect(await confirm()).toMatchObject({ status: 200, body: { status: 'success' } })
  expect((await gateway.balance(alice)).consumerAvailable).toBe(USDC)
})

test('two wallets that deposit in one transaction each get their own, in either order', async () => {
  const [alice, bob] = [await gateway.member(), await gateway.member()]
  const txHash = await gateway.chain.depositTogether(
    { owner: alice.address, amount: usdc(USDC) },
    { owner: bob.address, amount: usdc(3n) },
  )
  const ofAlice = await opened(alice, txHash)
  await confirmDeposit(gateway.deps, { wallet: alice.wallet, id: ofAlice })
  const ofBob = await opened(bob, txHash)
  await confirmDeposit(gateway.deps, { wallet: bob.wallet, id: ofBob })
  expect((await gateway.balance(alice)).consumerAvailable).toBe(USDC)
  expect((await gateway.balance(bob)).consumerAvailable).toBe(3n)
})

test('a wallet cannot fill the table with claims without a deposit', async () => {
  const alice = await gateway.member()
  await gateway.deps.db.query(sql`
    insert into deposits (id, wallet, tx_hash, status, claimed, registered_at)
    select 'dep_filler' || n, ${alice.wallet}, '0x' || lpad(to_hex(n), 64, '0'), 'pending', 1, now()
    from generate_series(1, 1000) as n`)
  await expect(opened(alice, `0x${'ab'.repeat(32)}`)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})
