import { usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import sql from 'sql-template-tag'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { authorizeTransfer, newNonce } from '../../../test/kit/chain/authorization.ts'
import { codeThatCalls } from '../../../test/kit/chain/test-chain.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { newWallet } from '../../../test/kit/world/wallets.ts'
import { countChainFindings, listOpenChainFindings } from '../ledger/database/chain-findings.ts'
import { readBalance } from '../ledger/read-balance.ts'
import { creditPayment } from './credit-payment.ts'
import { followVault } from './follow-vault.ts'
import { reverseDeposit } from './reverse-deposit.ts'

const CONFIRMATIONS = 3
const AMOUNT = usdc(5n * USDC)

let gateway: MoneyGateway

beforeAll(async () => {
  gateway = await startMoneyGateway({
    requiredConfirmations: CONFIRMATIONS,
    env: { AUTO_CREDIT_AFTER_SECONDS: '0', X402_CONFIRMATIONS: '1' },
  })
})
afterAll(() => gateway.stop())
afterEach(async () => {
  gateway.heal()
  await gateway.assertBooks()
  const findings = await countChainFindings(gateway.deps.db)
  expect(Object.entries(findings).filter(([, count]) => count > 0)).toEqual([])
})

const lower = (address: Address) => address.toLowerCase() as Address
const available = async (address: Address) =>
  (await readBalance(gateway.deps.db, lower(address))).consumerAvailable

const nobody = { onWithdrawn: async () => undefined }
const { signal } = new AbortController()

/** Submits a call of the token as a stranger. */
const broadcast = (data: Hex, by = newWallet().address) =>
  gateway.chain.send(by, gateway.chain.contracts.usdc, data)

async function payer() {
  const account = newWallet()
  await gateway.chain.fund(account.address, AMOUNT)
  return account
}

async function followConfirmed(): Promise<void> {
  await gateway.chain.mine(CONFIRMATIONS)
  await gateway.follow()
}

test('a transfer by an EIP-3009 authorization is credited to its payer once, whoever broadcasts it', async () => {
  const alice = await payer()
  const nonce = newNonce()
  const txHash = await broadcast(await authorizeTransfer(gateway.chain, alice, { amount: AMOUNT, nonce }))
  await gateway.follow()
  expect(await available(alice.address)).toBe(0n)
  await followConfirmed()
  await gateway.follow()
  expect(await available(alice.address)).toBe(AMOUNT)

  const paid = { owner: lower(alice.address), amount: AMOUNT, authorization: nonce, txHash }
  const receipt = await gateway.chain.adapter.receipt(txHash)
  expect(receipt?.events).toMatchObject([paid])
  const at = receipt?.blockNumber ?? 0n
  expect(await gateway.chain.adapter.vaultEvents({ from: at, to: at })).toEqual(receipt?.events)
})

test('a plain transfer into the vault and an authorization to another recipient are not credited', async () => {
  const bob = await payer()
  const { chain } = gateway
  const { vault, usdc: token } = chain.contracts
  const half = usdc(AMOUNT / 2n)
  await broadcast(await authorizeTransfer(chain, bob, { amount: half, to: newWallet().address }))
  const transfer = { abi: testUsdcAbi, functionName: 'transfer', args: [vault, half] } as const
  const txHash = await chain.send(bob.address, token, encodeFunctionData(transfer))
  await followConfirmed()
  expect((await chain.adapter.receipt(txHash))?.events).toEqual([])
  expect(await available(bob.address)).toBe(0n)
  // The vault now holds more than the books say.
  await chain.send(vault, token, encodeFunctionData({ ...transfer, args: [bob.address, half] }))
})

test('a deposit and two authorizations of one payer in one transaction are credited once each', async () => {
  const carol = await payer()
  const { chain } = gateway
  const { vault, usdc: token } = chain.contracts
  const part = (micro: bigint) => usdc(micro * USDC)
  const deposit = { abi: fareboxVaultAbi, functionName: 'deposit', args: [part(1n)] } as const
  const approve = { abi: testUsdcAbi, functionName: 'approve', args: [vault, part(1n)] } as const
  const calls = [
    { to: token, data: await authorizeTransfer(chain, carol, { amount: part(1n) }) },
    { to: token, data: encodeFunctionData(approve) },
    { to: vault, data: encodeFunctionData(deposit) },
    { to: token, data: await authorizeTransfer(chain, carol, { amount: part(3n) }) },
  ]
  await chain.client.setCode({ address: carol.address, bytecode: codeThatCalls(calls) })
  const stranger = newWallet().address
  await chain.send(stranger, carol.address, '0x')
  await chain.client.setCode({ address: carol.address, bytecode: '0x' })
  await followConfirmed()
  expect(await available(carol.address)).toBe(AMOUNT)
})

test('an authorization that a reorganisation moves into another transaction is credited once', async () => {
  const { chain } = gateway
  for (const isCredited of [true, false]) {
    const dave = await payer()
    const data = await authorizeTransfer(chain, dave, { amount: AMOUNT })
    await chain.mine(CONFIRMATIONS)
    await gateway.follow()
    const snapshot = await chain.snapshot()
    const first = await broadcast(data)
    await chain.mine(CONFIRMATIONS + 2)
    if (isCredited) {
      await gateway.follow()
      expect(await available(dave.address)).toBe(AMOUNT)
    }
    await chain.revertTo(snapshot)
    await chain.mine(1)
    const second = await broadcast(data)
    expect(second).not.toBe(first)
    await chain.mine(CONFIRMATIONS + 2)
    await gateway.follow()
    await gateway.follow()
    expect(await available(dave.address)).toBe(AMOUNT)
    const rows = await gateway.deps.db.query<{ txHash: Hex }>(
      sql`select tx_hash from vault_deposits where wallet = ${lower(dave.address)}`,
    )
    expect(rows).toEqual([{ txHash: isCredited ? first : second }])
  }
})

test('an authorization that a reorganisation took away is credited again when it is used later', async () => {
  const { chain } = gateway
  const erin = await payer()
  const data = await authorizeTransfer(chain, erin, { amount: AMOUNT })
  await chain.mine(CONFIRMATIONS)
  const snapshot = await chain.snapshot()
  await broadcast(data)
  await chain.mine(CONFIRMATIONS)
  await gateway.follow()
  await chain.revertTo(snapshot)
  await chain.mine(CONFIRMATIONS + 3)
  await gateway.follow()
  expect(await countChainFindings(gateway.deps.db)).toMatchObject({ 'deposit-reorganised': 1 })
  await broadcast(data)
  await chain.mine(CONFIRMATIONS)
  await gateway.follow()
  expect(await available(erin.address)).toBe(AMOUNT)
})

test('the authorization of a deposit is its own, whatever else the payer authorizes in the transaction', async () => {
  const { chain, deps } = gateway
  const frank = await payer()
  const [toAnother, toVault] = [newNonce(), newNonce()]
  const [two, three] = [usdc(2n * USDC), usdc(3n * USDC)]
  const calls = [
    await authorizeTransfer(chain, frank, { amount: two, nonce: toAnother, to: newWallet().address }),
    await authorizeTransfer(chain, frank, { amount: three, nonce: toVault }),
  ].map(data => ({ to: chain.contracts.usdc, data }))
  const batch = newWallet().address
  await chain.client.setCode({ address: batch, bytecode: codeThatCalls(calls) })
  await chain.send(newWallet().address, batch, '0x')
  await followConfirmed()
  const rows = await deps.db.query(
    sql`select amount, authorization_nonce from vault_deposits where wallet = ${lower(frank.address)}`,
  )
  expect(rows).toEqual([{ amount: three, authorizationNonce: toVault }])
})

/** Pays by an authorization with one confirmation, then takes its block away. */
async function creditThenReorganise(amount: ReturnType<typeof usdc>) {
  const { chain, deps } = gateway
  const account = await payer()
  const nonce = newNonce()
  const data = await authorizeTransfer(chain, account, { amount, nonce })
  const snapshot = await chain.snapshot()
  const txHash = await broadcast(data)
  const payment = { payer: lower(account.address), nonce, txHash }
  return {
    account,
    payment,
    pay: (by = deps) => creditPayment(by, payment),
    undo: () => chain.revertTo(snapshot),
  }
}

test('an authorization of another amount with the same nonce is not the payment that a reorganisation took away', async () => {
  const { chain, deps } = gateway
  const { account, payment, pay, undo } = await creditThenReorganise(AMOUNT)
  expect(await pay()).toBe('credited')
  await undo()
  const less = usdc(1n)
  await broadcast(await authorizeTransfer(chain, account, { amount: less, nonce: payment.nonce }))
  await followConfirmed()
  await gateway.follow()
  const [finding, ...more] = await listOpenChainFindings(deps.db, 2)
  expect(more).toEqual([])
  expect(finding).toMatchObject({ kind: 'deposit-reorganised', detail: { txHash: payment.txHash } })

  await reverseDeposit(deps, String(finding?.id), async () => undefined)
  expect(await available(account.address)).toBe(less)
})

test('a payment that is credited while the follower passes its gone block is found to be gone', async () => {
  const { chain, deps } = gateway
  const { account, pay, undo } = await creditThenReorganise(AMOUNT)
  const { db } = deps
  const creditBetween: typeof db.transaction = async credit => {
    await undo()
    await chain.mine(CONFIRMATIONS + 1)
    let credited: ReturnType<typeof credit> | undefined
    const afterReading: typeof db.transaction = async move => {
      credited ??= db.transaction(credit)
      await credited
      return db.transaction(move)
    }
    await followVault({ ...deps, db: { ...db, transaction: afterReading } }, nobody, signal)
    return credited ?? db.transaction(credit)
  }
  expect(await pay({ ...deps, db: { ...db, transaction: creditBetween } })).toBe('credited')
  await gateway.follow()
  const [finding] = await listOpenChainFindings(db, 1)
  expect(finding).toMatchObject({ kind: 'deposit-reorganised' })
  await reverseDeposit(deps, String(finding?.id), async () => undefined)
  expect(await available(account.address)).toBe(0n)
})
