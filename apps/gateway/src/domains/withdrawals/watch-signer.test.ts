import { usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import sql from 'sql-template-tag'
import { type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { startTestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import { openTicket, openWithdrawal, provider, redeem } from '../../../test/kit/world/withdrawals.ts'
import { connectChain } from '../../adapters/chain/chain.ts'
import { firstAccount } from '../../dev/deploy.ts'
import { openFindings } from '../ledger/database/chain-findings.ts'
import { openWithdrawal as openByKey } from './open-withdrawal.ts'
import { readCapability } from './read-capability.ts'
import { approveWithdrawal } from './review-withdrawal.ts'
import { watchSigner } from './watch-signer.ts'

let gateway: MoneyGateway
let ours: Address
const otherKey = generatePrivateKey()
const other = privateKeyToAccount(otherKey).address

beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1 })
  ours = privateKeyToAccount(gateway.chain.ticketSignerKey).address
})
afterAll(() => gateway?.stop())
beforeEach(async () => {
  gateway.heal()
  await appoint(ours)
  await watch()
})

async function appoint(signer: Address): Promise<void> {
  const { chain } = gateway
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'setSigner', args: [signer] })
  await chain.send(await firstAccount(chain.client), chain.contracts.vault, data)
}

const watch = () => watchSigner(gateway.deps)
const findings = () => openFindings(gateway.deps.db)

/** Replaces the gateway's key until `heal`. */
async function takeKey(ticketSignerKey: string): Promise<void> {
  const { rpcUrl, contracts } = gateway.chain
  const { ticketSigner, signTicket, vaultSigner } = await connectChain({
    rpcUrl,
    vault: contracts.vault,
    requiredConfirmations: 1,
    log: silent,
    ticketSignerKey,
  })
  Object.assign(gateway.faults, { ticketSigner, signTicket, vaultSigner })
}

describe('a vault with another signer', () => {
  test('stops tickets at once, and is a finding until the signer is restored, logged once', async () => {
    const who = await provider(gateway, usdc(9n * USDC))
    await appoint(other)
    const { body } = await openWithdrawal(who, '1.000000')
    expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
    await watch()
    await watch()
    expect(await findings()).toEqual([
      {
        check: 'ticket-signer',
        row: gateway.chain.contracts.vault.toLowerCase(),
        expected: 'the chain and the books agree',
        found: expect.stringContaining(`ours ${ours.toLowerCase()}`),
      },
    ])
    await appoint(ours)
    await watch()
    expect(await findings()).toEqual([])
    const [row] = await gateway.deps.db.query<{ resolution: string }>(
      sql`select resolution from chain_findings order by id desc limit 1`,
    )
    expect(row?.resolution).toBe('gone')
    await openTicket(who, '1.000000')
  })

  test('has open tickets re-signed when the gateway has its key: same nonce, amount and deadline, paid once', async () => {
    const who = await provider(gateway, usdc(9n * USDC))
    const { body: opened } = await openWithdrawal(who, '2.000000', 'lost')
    const dead = opened.ticket
    if (dead === null) throw new Error('There is no ticket.')
    await appoint(other)
    await takeKey(otherKey)
    await watch()
    const { body: again, headers } = await openWithdrawal(who, '2.000000', 'lost')
    expect(headers['idempotent-replayed']).toBe('true')
    const { signature, ...rest } = dead
    expect(again).toMatchObject({ ...opened, ticket: rest })
    expect(again.ticket?.signature).not.toBe(signature)
    const { body: read } = await who.send<{ withdrawal: { ticket: object } }>(
      `/providers/withdrawals/${opened.withdrawalId}`,
    )
    expect(read.withdrawal.ticket).toEqual(again.ticket)
    const before = await gateway.chain.usdcOf(who.address)
    await redeem(gateway, dead)
    expect(await gateway.chain.usdcOf(who.address)).toBe(before)
    if (again.ticket === null) throw new Error('There is no ticket.')
    await redeem(gateway, again.ticket)
    await redeem(gateway, again.ticket)
    expect((await gateway.chain.usdcOf(who.address)) - before).toBe(2n * USDC)
    await gateway.follow()
    await gateway.assertBooks()
  })

  test('has no ticket re-signed while the chain and the books disagree', async () => {
    const who = await provider(gateway, usdc(9n * USDC))
    const { id, ticket } = await openTicket(who, '1.000000')
    await gateway.deps.db.query(
      sql`insert into chain_findings (kind, subject, detail) values ('deposit-count', 'x', '{}')`,
    )
    await appoint(other)
    await takeKey(otherKey)
    await watch()
    const signatureOf = async () => {
      const [row] = await gateway.deps.db.query<{ signature: Hex }>(
        sql`select signature from withdrawals where id = ${id}`,
      )
      return row?.signature
    }
    expect(await signatureOf()).toBe(ticket.signature)
    await gateway.deps.db.query(
      sql`update chain_findings set resolved_at = now(), resolution = 'test' where subject = 'x'`,
    )
    await watch()
    expect(await signatureOf()).not.toBe(ticket.signature)
  })
})

describe('a contract as signer (ERC-1271)', () => {
  test.each([
    ["accepts the gateway's tickets is its signer", '1626ba7e', true],
    ['rejects them is another signer', 'ffffffff', false],
  ])('that %s', async (_, answer, accepts) => {
    const contract = getAddress(`0x${accepts ? 'c1' : 'c2'}${'0'.repeat(37)}9`)
    // push4 answer, push1 224, shl, push0, mstore, push1 32, push0, return
    const bytecode: Hex = `0x63${answer}60e01b5f5260205ff3`
    await gateway.chain.client.setCode({ address: contract, bytecode })
    await appoint(contract)
    await watch()
    expect(await findings()).toHaveLength(accepts ? 0 : 1)
    const who = await provider(gateway, usdc(2n * USDC))
    const { body } = await openWithdrawal(who, '1.000000')
    expect(body.statusLabel).toBe(accepts ? 'APPROVED_AUTO' : 'PENDING_REVIEW')
  })
})

describe("a gateway without the signer's key", () => {
  test('starts in production, logs it once, and is ready', async () => {
    const reported: string[] = []
    const log = { ...silent, warn: (_: object, message: string) => void reported.push(message) }
    const on = await startTestGateway({ env: { TICKET_SIGNER_KEY: '' }, log })
    try {
      expect((await fetch(`${on.url}/ready`)).status).toBe(200)
      expect(reported.filter(message => message.startsWith('TICKET_SIGNER_KEY is not set'))).toHaveLength(1)
    } finally {
      await on.stop()
    }
  })

  test('opens withdrawals for review, approves none with a reason, and raises no finding', async () => {
    const { rpcUrl, contracts } = gateway.chain
    const keyless = await connectChain({
      rpcUrl,
      vault: contracts.vault,
      requiredConfirmations: 1,
      log: silent,
    })
    const deps = { ...gateway.deps, chain: keyless }
    const { wallet } = await provider(gateway, usdc(2n * USDC))
    const { body } = await openByKey(deps, { wallet, amount: usdc(USDC), idempotencyKey: 'keyless' })
    expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
    expect(await readCapability(deps, wallet)).toMatchObject({ canWithdraw: true, isAutoApprovalOn: false })
    const review = { withdrawalId: body.withdrawalId, reviewer: zeroAddress, reason: null }
    await expect(approveWithdrawal(deps, review, async () => undefined)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      context: { reason: 'no_ticket_signer' },
    })
    await appoint(other)
    await watchSigner(deps)
    expect(await findings()).toEqual([])
    await expect(approveWithdrawal(gateway.deps, review, async () => undefined)).rejects.toMatchObject({
      context: { reason: 'ticket_signer_differs' },
    })
    await appoint(ours)
    const approved = await approveWithdrawal(gateway.deps, review, async () => undefined)
    expect(approved).toMatchObject({ status: 'APPROVED_MANUAL', ticket: { amount: String(USDC) } })
  })
})
