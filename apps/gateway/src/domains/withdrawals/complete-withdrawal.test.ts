import { usdc } from '@farebox/money'
import { fareboxVaultAbi, withdrawalNonce } from '@farebox/vault'
import sql from 'sql-template-tag'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { lies } from '../../../test/kit/chain/lies.ts'
import { codeThatCalls } from '../../../test/kit/chain/test-chain.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  complete,
  list,
  openTicket,
  openWithdrawal,
  provider,
  redeem,
  statuses,
  vaultTicket,
} from '../../../test/kit/world/withdrawals.ts'

const CONFIRMATIONS = 3
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`

let gateway: MoneyGateway

beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: CONFIRMATIONS })
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
})

async function money(of: Member) {
  const { providerReceivable, providerLocked } = await gateway.balance(of)
  return [providerReceivable, providerLocked]
}

describe('completing', () => {
  test('closes the withdrawal and repeats its answer, with the hash in any case', async () => {
    const alice = await provider(gateway, usdc(5n * USDC))
    const { id, ticket } = await openTicket(alice, '2')
    const txHash = await redeem(gateway, ticket)
    await gateway.chain.mine(2)
    const first = await complete(alice, id, txHash.toUpperCase().replace('0X', '0x'))
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      status: 'success',
      ownerAddress: alice.address,
      withdrawalId: id,
      intentId: id,
      statusLabel: 'COMPLETED',
      txHash,
    })
    const again = await complete(alice, id, txHash)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await money(alice)).toEqual([3n * USDC, 0n])
    expect(await list(alice)).toMatchObject([{ status: 'COMPLETED', txHash, ticket: null }])
  })

  test('pays once for parallel requests, by the alias tx_hash', async () => {
    const alice = await provider(gateway, usdc(2n * USDC))
    const { id, ticket } = await openTicket(alice, '2')
    const txHash = await redeem(gateway, ticket)
    await gateway.chain.mine(2)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        alice.send(`/providers/withdrawals/${id}/complete`, { method: 'POST', body: { tx_hash: txHash } }),
      ),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(8).fill(200))
    expect(await money(alice)).toEqual([0n, 0n])
  })

  test.each([`0x${'ab'.repeat(31)}a`, `0x${'ab'.repeat(32)}a`, 'ab'.repeat(32), '', null, 5, undefined])(
    'failure 70: rejects %j before the withdrawal is looked up',
    async txHash => {
      const alice = await gateway.member()
      const { status, body } = await complete(alice, 'wd_nothing', txHash)
      expect([status, body.code]).toEqual([400, 'INVALID_TX_HASH'])
    },
  )

  test('failure 59: is not found for an unknown withdrawal or that of another wallet', async () => {
    const [alice, bob] = [await provider(gateway, usdc(USDC)), await gateway.member()]
    const { id } = await openTicket(alice, '1')
    for (const path of [id, 'wd_nothing', '%00']) {
      const { status, body } = await complete(bob, path, UNKNOWN)
      expect([status, body.code]).toEqual([404, 'WITHDRAWAL_NOT_FOUND'])
    }
  })

  test('waits for the transaction to be mined and confirmed', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { id, ticket } = await openTicket(alice, '1')
    const unknown = await complete(alice, id, UNKNOWN)
    expect([unknown.status, unknown.body.code]).toEqual([409, 'WITHDRAWAL_TX_NOT_CONFIRMED'])
    const txHash = await redeem(gateway, ticket)
    const early = await complete(alice, id, txHash)
    expect(early.body.code).toBe('WITHDRAWAL_TX_NOT_CONFIRMED')
    expect(early.body.detail).toMatchObject({ confirmations: 1, requiredConfirmations: CONFIRMATIONS })
    expect(await money(alice)).toEqual([0n, USDC])
    await gateway.chain.mine(2)
    expect((await complete(alice, id, txHash)).status).toBe(200)
  })

  test('failure 35: rejects a redemption that was reorganised away', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { id, ticket } = await openTicket(alice, '1')
    const txHash = await redeem(gateway, ticket)
    const receipt = await gateway.chain.rawReceipt(txHash)
    await gateway.chain.mine(2)
    await gateway.chain.reorg(3)
    await gateway.chain.mine(3)
    gateway.node.misbehave(lies.receipt(receipt))
    expect((await complete(alice, id, txHash)).body.code).toBe('WITHDRAWAL_TX_NOT_CONFIRMED')
    gateway.heal()
    expect((await complete(alice, id, txHash)).body.code).toBe('WITHDRAWAL_TX_NOT_CONFIRMED')
    expect(await money(alice)).toEqual([0n, USDC])
    await redeem(gateway, ticket)
  })

  test('failure 41: rejects an unrelated real transaction, naming the difference', async () => {
    const [alice, bob] = [await provider(gateway, usdc(9n * USDC)), await provider(gateway, usdc(9n * USDC))]
    const mine = await openTicket(alice, '2')
    const other = await openTicket(bob, '2')
    const late = { ...vaultTicket(mine.ticket), amount: usdc(1n) }
    const reverted = await gateway.chain.redeem(late, mine.ticket.signature as Hex)
    const transfer = await gateway.chain.fund(alice.address, usdc(2n * USDC))
    const deposit = await gateway.chain.deposit(alice.address, usdc(2n * USDC))
    const others = await redeem(gateway, other.ticket)
    // Signed with our key as no gateway would: the right nonce, but another member changed.
    const nonce = withdrawalNonce(mine.id)
    const sign = async (different: object) => {
      const ticket = { ...vaultTicket(mine.ticket), nonce, ...different }
      const { snapshot, redeem: redeemAny, revertTo } = gateway.chain
      const id = await snapshot()
      const txHash = await redeemAny(ticket, await gateway.chain.adapter.signTicket(ticket))
      const receipt = await gateway.chain.rawReceipt(txHash)
      await revertTo(id)
      return { txHash, receipt }
    }
    const less = await sign({ amount: usdc(1n) })
    const elsewhere = await sign({ to: bob.address })
    await gateway.chain.mine(3)

    const reasonFor = async (txHash: Hex) => {
      const { status, body } = await complete(alice, mine.id, txHash)
      expect([status, body.code]).toEqual([422, 'WITHDRAWAL_TX_MISMATCH'])
      return body.detail.reason
    }
    expect(await reasonFor(reverted)).toBe('reverted')
    expect(await reasonFor(transfer)).toBe('no_withdrawn_event')
    expect(await reasonFor(deposit)).toBe('no_withdrawn_event')
    expect(await reasonFor(others)).toBe('wrong_nonce')
    for (const [{ txHash, receipt }, reason] of [
      [less, 'wrong_amount'],
      [elsewhere, 'wrong_recipient'],
    ] as const) {
      gateway.node.misbehave(lies.receiptAndBlock(receipt))
      expect(await reasonFor(txHash)).toBe(reason)
      gateway.heal()
    }
    expect(await money(alice)).toEqual([7n * USDC, 2n * USDC])
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])

    expect((await complete(bob, other.id, others)).status).toBe(200)
    const replay = await complete(alice, mine.id, others)
    expect([replay.status, replay.body.code]).toEqual([409, 'TX_HASH_REPLAY'])
  })

  test('returns the state of a withdrawal without an open ticket, whatever the transaction', async () => {
    const alice = await provider(gateway, usdc(5_000n * USDC))
    const states: [string, string][] = []
    const refusal = async (id: string) => {
      const { status, body } = await complete(alice, id, UNKNOWN)
      expect([status, body.code]).toEqual([409, 'WITHDRAWAL_NOT_OPEN'])
      expect(body.detail.message).not.toContain('confirmed')
      states.push([id, String(body.detail.status)])
    }
    const paid = await openTicket(alice, '2')
    const txHash = await redeem(gateway, paid.ticket)
    await gateway.chain.mine(2)
    expect((await complete(alice, paid.id, txHash)).status).toBe(200)
    await refusal(paid.id)
    const lapsed = await openTicket(alice, '3')
    await gateway.chain.increaseTime(3_601)
    await gateway.chain.mine(3)
    expect((await list(alice))[0]?.status).toBe('CANCELLED')
    await refusal(lapsed.id)
    const reviewed = await openWithdrawal(alice, '2000')
    await refusal(reviewed.body.withdrawalId)
    expect(states.map(([, status]) => status)).toEqual(['COMPLETED', 'CANCELLED', 'PENDING_REVIEW'])
    // Works while the chain is unreachable, as it is not queried.
    gateway.node.misbehave({ refuses: true })
    for (const [id] of [...states]) await refusal(id)
  })

  test('changes nothing while the chain is unreachable', async () => {
    const alice = await provider(gateway, usdc(USDC))
    const { id } = await openTicket(alice, '1')
    gateway.node.misbehave({ refuses: true })
    const { status, body } = await complete(alice, id, UNKNOWN)
    expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
    expect(await statuses(alice)).toEqual(['APPROVED_AUTO'])
  })
})

describe('failure 14: one transaction that redeems two tickets', () => {
  test('binds one when sent to two withdrawals in parallel; the follower closes the other', async () => {
    const [alice, bob] = [await provider(gateway, usdc(USDC)), await provider(gateway, usdc(USDC))]
    const tickets = [await openTicket(alice, '1'), await openTicket(bob, '1')]
    const txHash = await redeemAtOnce(tickets.map(({ ticket }) => ticket))
    await gateway.chain.mine(2)
    const [first, second] = tickets
    if (first === undefined || second === undefined) throw new Error('There are two.')
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => complete(alice, first.id, txHash)),
      ...Array.from({ length: 4 }, () => complete(bob, second.id, txHash)),
    ])
    const outcome = (part: typeof answers) => new Set(part.map(({ status, body }) => body.code ?? status))
    const [ofAlice, ofBob] = [outcome(answers.slice(0, 4)), outcome(answers.slice(4))]
    expect([...ofAlice, ...ofBob].sort()).toEqual([200, 'TX_HASH_REPLAY'])
    const bound = await gateway.deps.db.query(sql`select 1 from withdrawals where tx_hash = ${txHash}`)
    expect(bound).toHaveLength(1)

    await gateway.follow()
    await gateway.follow()
    expect([await statuses(alice), await statuses(bob)]).toEqual([['COMPLETED'], ['COMPLETED']])
    expect([await money(alice), await money(bob)]).toEqual([
      [0n, 0n],
      [0n, 0n],
    ])
    expect((await list(alice))[0]?.txHash).toBe(txHash)
    expect((await list(bob))[0]?.txHash).toBe(txHash)
  })
})

/** Redeems several tickets in one transaction, through a contract that calls the vault for each. */
async function redeemAtOnce(tickets: readonly Parameters<typeof vaultTicket>[0][]): Promise<Hex> {
  const { chain } = gateway
  const calls = tickets.map(ticket => ({
    to: chain.contracts.vault,
    data: encodeFunctionData({
      abi: fareboxVaultAbi,
      functionName: 'withdraw',
      args: [vaultTicket(ticket), ticket.signature as Hex],
    }),
  }))
  const contract = newWallet().address
  await chain.client.setCode({ address: contract, bytecode: codeThatCalls(calls) })
  return chain.send(newWallet().address, contract, '0x')
}
