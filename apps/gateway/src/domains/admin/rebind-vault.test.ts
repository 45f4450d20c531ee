import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi, withdrawalNonce } from '@farebox/vault'
import sql from 'sql-template-tag'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import type { Member } from '../../../test/kit/world/member.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { complete, openTicket, provider, redeem } from '../../../test/kit/world/withdrawals.ts'
import { connectChain } from '../../adapters/chain/chain.ts'
import { anvilClient } from '../../dev/anvil.ts'
import { deployContracts, firstAccount } from '../../dev/deploy.ts'
import { followVault } from '../deposits/follow-vault.ts'
import { listOpenChainFindings } from '../ledger/database/chain-findings.ts'
import { ticketBlock } from '../ledger/database/ticket-gate.ts'
import { reconcile } from '../ledger/reconcile/reconcile.ts'
import { openWithdrawal } from '../withdrawals/open-withdrawal.ts'
import { watchSigner } from '../withdrawals/watch-signer.ts'
import { type LeftVault, rebindVault } from './rebind-vault.ts'

const OTHER_CHAIN_ID = 8_453
const FUNDS = usdc(50n * USDC)

let gateway: MoneyGateway
let alice: Member
let other: TestChain

beforeEach(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1, env: { AUTO_CREDIT_AFTER_SECONDS: '0' } })
  alice = await provider(gateway, FUNDS)
  await gateway.follow()
  other = await startTestChain({
    // The vaults of the two chains need different addresses: the second of a node is taken.
    deployVault: async ({ rpcUrl, signer }) => {
      const client = anvilClient(rpcUrl)
      return (await deployContracts(client, { owner: await firstAccount(client), signer })).vault
    },
  })
})
afterEach(async () => {
  await gateway.stop()
  await other.stop()
})

/** Moves the database to a vault on the other chain that holds an amount; returns what a gateway there uses. */
async function moveTo(held: bigint, movedBy: string | null = null, left: LeftVault | null = null) {
  const params = [OTHER_CHAIN_ID] as const
  await other.client.request({ method: 'anvil_setChainId' as never, params: params as never })
  const chain = await connectChain({
    rpcUrl: other.rpcUrl,
    vault: other.contracts.vault,
    requiredConfirmations: 1,
    ticketSignerKey: other.ticketSignerKey,
    log: silent,
  })
  const mint = { functionName: 'mint', args: [other.contracts.vault, held] } as const
  const minter = await firstAccount(other.client)
  await other.send(minter, chain.facts.usdc, encodeFunctionData({ abi: testUsdcAbi, ...mint }))
  const act = { actor: newWallet().address.toLowerCase(), reason: 'Another chain.', movedBy }
  const deps = { ...gateway.deps, chain }
  await rebindVault({ ...deps, left }, act)
  await followVault(deps, { onWithdrawn: async () => undefined }, new AbortController().signal)
  return deps
}

/** Throws if no ticket is issued after the move. */
async function expectTickets(deps: Awaited<ReturnType<typeof moveTo>>): Promise<void> {
  expect((await reconcile(deps)).findings).toEqual([])
  expect(await ticketBlock(deps.db, deps, null)).toBeNull()
  const order = { wallet: alice.wallet, amount: usdc(USDC), idempotencyKey: 'a withdrawal' }
  const { body } = await openWithdrawal(deps, order)
  expect(body.statusLabel).toBe('APPROVED_AUTO')
}

const openFindings = async () =>
  (await listOpenChainFindings(gateway.deps.db, 10)).map(({ kind, subject }) => ({ kind, subject }))

/** Pays a ticket that no withdrawal has, and returns the key of its redemption. */
async function payFrom(chain: TestChain, to: Address, amount = FUNDS): Promise<string> {
  const deadline = (await chain.now()) + 3_600n
  const ticket = { to, amount, deadline, nonce: withdrawalNonce('another') }
  await chain.redeem(ticket, (await chain.adapter.signTicket(ticket)) as Hex)
  await gateway.follow()
  const [finding, ...more] = await openFindings()
  expect([finding?.kind, more]).toEqual(['unexplained-redemption', []])
  return finding?.subject ?? ''
}

test('after a move to a chain of lower heights, tickets paid on the other chain count neither as owed nor as promised', async () => {
  await gateway.chain.mine(300)
  await gateway.follow()
  const { id, ticket } = await openTicket(alice, '20')
  expect((await complete(alice, id, await redeem(gateway, ticket))).status).toBe(200)
  await gateway.assertBooks()
  await expectTickets(await moveTo(30n * USDC))
})

test('a finding about the signer of the former vault ends with the move', async () => {
  const { chain } = gateway
  const args = [newWallet().address] as const
  const appoint = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'setSigner', args })
  await chain.send(await firstAccount(chain.client), chain.contracts.vault, appoint)
  await watchSigner(gateway.deps)
  expect(await openFindings()).toMatchObject([{ kind: 'ticket-signer' }])
  await expectTickets(await moveTo(FUNDS))
})

test('a database does not move while a payment of its vault is unexplained', async () => {
  await payFrom(gateway.chain, newWallet().address, usdc(USDC))
  await expect(moveTo(FUNDS)).rejects.toThrow(/^The finding unexplained-redemption about 0x\S+ is open\./)
})

test('the payment that moved the money, seen by a gateway, is named at the move and ends with it', async () => {
  const movedBy = await payFrom(gateway.chain, await firstAccount(gateway.chain.client))
  await expectTickets(await moveTo(FUNDS, movedBy))
})

test('a database does not move to a vault that holds less than the books owe', async () => {
  await expect(moveTo(FUNDS - 1n)).rejects.toThrow(
    /^The books owe 50\.000000 USDC, but the vault 0x\w{40} holds 49\.999999\. Transfer 0\.000001 USDC to it first/,
  )
  expect(await gateway.deps.db.query(sql`select from admin_audit where action = 'vault.rebind'`)).toEqual([])
  await expectTickets(await moveTo(1n))
})

test('a database does not leave a vault with a deposit that is not in the books, until a gateway has credited it', async () => {
  const { chain } = gateway
  await chain.deposit(alice.wallet, usdc(2n * USDC))
  await expect(moveTo(FUNDS, null, chain.adapter)).rejects.toThrow(
    new RegExp(
      `^The vault ${chain.adapter.facts.vault} counts 1 deposits that are not in the books\\. Pause it`,
    ),
  )
  await gateway.follow()
  await expectTickets(await moveTo(2n * USDC, null, chain.adapter))
})
