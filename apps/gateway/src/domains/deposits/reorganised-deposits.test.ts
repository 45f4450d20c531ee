import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import type { ShownChainFinding } from '@farebox/wire/admin'
import type { DepositIntent } from '@farebox/wire/deposits'
import sql from 'sql-template-tag'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HIGHER_GAS_PRICE, repeatable } from '../../../test/kit/chain/repeatable.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { insertPaidCall } from '../../../test/kit/ledger/paid-call.ts'
import { postMovements } from '../../../test/kit/ledger/post-movements.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { openTicket, openWithdrawal, provider } from '../../../test/kit/world/withdrawals.ts'
import { countChainFindings } from '../ledger/database/chain-findings.ts'

const CONFIRMATIONS = 2
const AMOUNT = usdc(5n * USDC)
const admin = newWallet()

let gateway: MoneyGateway
let boss: Member
let seller: Member

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: CONFIRMATIONS,
    env: { ADMIN_WALLETS: admin.address, AUTO_CREDIT_AFTER_SECONDS: '0' },
  })
  boss = await gateway.member(admin)
  // The platform covers its losses from its fees.
  await gateway.earn(boss, usdc(1_000n * USDC), usdc(100n * USDC))
  seller = await provider(gateway, usdc(50n * USDC))
  await gateway.follow()
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
  expect(await findings()).toEqual([])
})

type Act = { code: string; finding: ShownChainFinding; chargedUsdc: string; borneUsdc: string }

const findings = async () =>
  (await boss.send<{ findings: ShownChainFinding[] }>('/admin/findings')).body.findings

const act = (findingId: string | undefined, name: 'adopt' | 'reverse') =>
  boss.send<Act>(`/admin/findings/${findingId}/${name}`, {
    method: 'POST',
    body: { reason: 'The chain says so.', ...(name === 'adopt' && { chargeTo: 'platform' }) },
  })

/** Returns transaction and amount of a member's only deposit, as its owner reads them. */
async function shown(of: Member) {
  const { body } = await of.send<{ deposits: DepositIntent[] }>('/balance/deposits')
  expect(body.deposits).toHaveLength(1)
  return body.deposits.flatMap(({ txHash, amountUsdc }) => [txHash, amountUsdc])
}

const available = async (of: Member) => (await gateway.balance(of)).consumerAvailable

/** Makes a deposit whose transaction can be sent again after its block is gone. */
async function repeatableDeposit(who: Member) {
  const { chain } = gateway
  await chain.fund(who.address, AMOUNT)
  const approval = { functionName: 'approve', args: [chain.contracts.vault, AMOUNT] } as const
  await chain.send(who.address, chain.contracts.usdc, encodeFunctionData({ abi: testUsdcAbi, ...approval }))
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [AMOUNT] })
  return repeatable(chain, { from: who.address, to: chain.contracts.vault, data })
}

/** Makes a deposit that is credited and then taken away by a reorganisation. */
async function creditThenReorganise(who: Member) {
  const { chain } = gateway
  const send = await repeatableDeposit(who)
  const snapshot = await chain.snapshot()
  const txHash = await send()
  await chain.mine(CONFIRMATIONS)
  await gateway.follow()
  await chain.revertTo(snapshot)
  await chain.mine(CONFIRMATIONS + 3)
  await gateway.follow()
  const [finding] = await findings()
  return { send, txHash, finding }
}

test('failure 35: a credited deposit that a deeper reorganisation takes away stops tickets and is reversed once', async () => {
  const alice = await gateway.member()
  await gateway.chain.mine(5)
  const txHash = await gateway.chain.deposit(alice.address, AMOUNT)
  await gateway.chain.mine(CONFIRMATIONS + 2)
  await gateway.follow()
  expect(await available(alice)).toBe(AMOUNT)
  await spend(alice, usdc(2n * USDC))

  await gateway.chain.reorg(CONFIRMATIONS + 3)
  await gateway.chain.mine(1)
  await gateway.follow()
  const [finding, ...more] = await findings()
  expect(more).toEqual([])
  expect(finding).toMatchObject({
    kind: 'deposit-reorganised',
    acts: ['reverse'],
    detail: { txHash, wallet: alice.wallet, amountUsdc: '5.000000' },
  })
  expect(await countChainFindings(gateway.deps.db)).toMatchObject({ 'deposit-reorganised': 1 })
  expect((await openWithdrawal(seller, '1')).body).toMatchObject({ statusLabel: 'PENDING_REVIEW' })

  const other = await act(finding?.findingId, 'adopt')
  expect([other.status, other.body.code]).toEqual([409, 'INVALID_STATE'])
  const reversed = await act(finding?.findingId, 'reverse')
  expect(reversed.body).toMatchObject({ chargedUsdc: '3.000000', borneUsdc: '2.000000' })
  expect(reversed.body.finding.resolution).toBe('reversed')
  const again = await act(finding?.findingId, 'reverse')
  expect([again.status, again.body.code]).toEqual([409, 'INVALID_STATE'])
  expect(await available(alice)).toBe(0n)
  await gateway.follow()
  await gateway.assertBooks()
  const { body } = await boss.send<{ differenceUsdc: string }>('/proof/reserves')
  expect(body).toMatchObject({ differenceUsdc: '0.000000', consistent: true })
  await openTicket(seller, '1')
  const log = await boss.send<{ entries: unknown[] }>('/admin/audit-log?action=finding.reverse')
  expect(log.body.entries).toMatchObject([{ actor: boss.address, target: finding?.findingId }])
})

test('a deposit that is mined again in another block and at another log index is credited once', async () => {
  const bob = await gateway.member()
  const { chain } = gateway
  const send = await repeatableDeposit(bob)
  const snapshot = await chain.snapshot()
  const txHash = await send()
  await chain.mine(CONFIRMATIONS + 2)
  await gateway.follow()
  expect(await available(bob)).toBe(AMOUNT)
  const before = await chain.adapter.receipt(txHash)

  await chain.revertTo(snapshot)
  await chain.mine(2)
  const stranger = newWallet().address
  await chain.client.setBalance({ address: stranger, value: parseEther('1000') })
  await chain.pauseMining()
  await chain.client.sendTransaction({
    account: stranger,
    to: chain.contracts.usdc,
    data: encodeFunctionData({
      abi: testUsdcAbi,
      functionName: 'approve',
      args: [chain.contracts.vault, 1n],
    }),
    gas: 1_000_000n,
    gasPrice: HIGHER_GAS_PRICE,
  })
  expect(await send()).toBe(txHash)
  await chain.mine(1)
  await chain.resumeMining()
  await chain.mine(CONFIRMATIONS + 2)
  const after = await chain.adapter.receipt(txHash)
  expect(after?.events[0]?.logIndex).not.toBe(before?.events[0]?.logIndex)
  await gateway.follow()
  await gateway.follow()
  expect(await available(bob)).toBe(AMOUNT)
  expect(await findings()).toEqual([])
})

test('a finding ends by itself when the deposit is mined again, and until then it is not reversed', async () => {
  const carol = await gateway.member()
  const { chain } = gateway
  const { send, txHash, finding } = await creditThenReorganise(carol)
  expect(finding).toMatchObject({ kind: 'deposit-reorganised', detail: { txHash } })

  expect(await send()).toBe(txHash)
  const early = await act(finding?.findingId, 'reverse')
  expect([early.status, early.body.code]).toEqual([409, 'INVALID_STATE'])
  await chain.mine(CONFIRMATIONS)
  await gateway.follow()
  const [row] = await gateway.deps.db.query<{ resolution: string }>(
    sql`select resolution from chain_findings where id = ${BigInt(finding?.findingId ?? '0')}`,
  )
  expect(row?.resolution).toBe('gone')
  expect(await available(carol)).toBe(AMOUNT)
})

test('a reversed deposit that is mined again in the same place is credited again, once, and its intent shows the sum', async () => {
  const dora = await gateway.member()
  const { chain } = gateway
  const { send, txHash, finding } = await creditThenReorganise(dora)
  expect(await shown(dora)).toEqual([txHash, '5.000000'])
  expect((await act(finding?.findingId, 'reverse')).status).toBe(200)
  expect(await available(dora)).toBe(0n)
  expect(await shown(dora)).toEqual([txHash, '0.000000'])

  expect(await send()).toBe(txHash)
  await chain.mine(CONFIRMATIONS)
  await gateway.follow()
  await gateway.follow()
  expect(await available(dora)).toBe(AMOUNT)
  expect(await shown(dora)).toEqual([txHash, '5.000000'])
})

test('a reversal of no finding is NOT_FOUND', async () => {
  for (const id of ['999999', '0', 'dep_1']) {
    const { status, body } = await act(id, 'reverse')
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
  }
})

/** Makes a call of a consumer to the seller's service. */
async function spend(who: Member, amount: ReturnType<typeof usdc>): Promise<void> {
  const reference = gateway.deps.ids.next('inv')
  const parties = { consumer: who.wallet, provider: seller.wallet } as const
  await gateway.deps.db.transaction(async tx => {
    await postMovements(tx, [
      { kind: 'hold', wallet: who.wallet, provider: '0xb', amount, reference },
      { kind: 'capture', ...parties, hold: amount, charge: amount, fee: usdc(0n), reference },
    ])
    await insertPaidCall(tx, { id: reference, ...parties, hold: amount, charge: amount })
  })
}
