import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { encodeFunctionData, type Hex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HIGHER_GAS_PRICE, repeatable } from '../../../test/kit/chain/repeatable.ts'
import { codeThatCalls } from '../../../test/kit/chain/test-chain.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import {
  complete,
  openTicket,
  provider,
  redeem,
  statuses,
  vaultTicket,
} from '../../../test/kit/world/withdrawals.ts'
import { listOpenChainFindings } from '../ledger/database/chain-findings.ts'

const CONFIRMATIONS = 2

let gateway: MoneyGateway
let alice: Member

beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: CONFIRMATIONS })
  alice = await provider(gateway, usdc(50n * USDC))
})
afterAll(() => gateway.stop())
afterEach(async () => {
  await gateway.assertBooks()
  expect(await findings()).toEqual([])
})

const findings = async () => (await listOpenChainFindings(gateway.deps.db, 10)).map(({ kind }) => kind)

async function followConfirmed(): Promise<void> {
  await gateway.chain.mine(CONFIRMATIONS)
  await gateway.follow()
}

test('a redemption reported before the follower has read it, then reorganised away, stops tickets until it is redeemed again', async () => {
  const { chain } = gateway
  await followConfirmed()
  const { id, ticket } = await openTicket(alice, '2')
  const snapshot = await chain.snapshot()
  const txHash = await redeem(gateway, ticket)
  await chain.mine(CONFIRMATIONS)
  expect((await complete(alice, id, txHash)).status).toBe(200)
  await chain.revertTo(snapshot)
  await followConfirmed()
  await followConfirmed()
  expect(await findings()).toEqual(['redemption-reorganised'])

  await redeem(gateway, ticket)
  await followConfirmed()
  expect(await findings()).toEqual([])
  expect(await statuses(alice)).toEqual(['COMPLETED'])
})

test('two redemptions of one transaction that a reorganisation moves by two log indexes do not stop the follower', async () => {
  const { chain } = gateway
  await followConfirmed()
  const tickets = [await openTicket(alice, '2'), await openTicket(alice, '3')]
  const calls = tickets.map(({ ticket }) => {
    const args = [vaultTicket(ticket), ticket.signature as Hex] as const
    const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'withdraw', args })
    return { to: chain.contracts.vault, data }
  })
  const batch = newWallet().address
  await chain.client.setCode({ address: batch, bytecode: codeThatCalls(calls) })
  const send = await repeatable(chain, { from: newWallet().address, to: batch, data: '0x' })
  const stranger = newWallet().address
  await chain.client.setBalance({ address: stranger, value: parseEther('1000') })
  const snapshot = await chain.snapshot()
  const txHash = await send()
  await followConfirmed()
  expect((await statuses(alice)).slice(0, 2)).toEqual(['COMPLETED', 'COMPLETED'])

  await chain.revertTo(snapshot)
  await chain.mine(CONFIRMATIONS)
  await chain.pauseMining()
  const args = [chain.contracts.vault, 1n] as const
  const approval = encodeFunctionData({ abi: testUsdcAbi, functionName: 'approve', args })
  for (const nonce of [0, 1])
    await chain.client.sendTransaction({
      account: stranger,
      to: chain.contracts.usdc,
      data: approval,
      nonce,
      gasPrice: HIGHER_GAS_PRICE,
    })
  expect(await send()).toBe(txHash)
  await chain.mine(1)
  await chain.resumeMining()
  await followConfirmed()
  expect(await findings()).toEqual([])
})
