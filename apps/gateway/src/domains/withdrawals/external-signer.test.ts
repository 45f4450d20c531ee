import { usdc } from '@farebox/money'
import { type Address, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type ExternalSigner,
  type SignerMood,
  startExternalSigner,
} from '../../../test/kit/chain/external-signer.ts'
import { type MoneyGateway, startMoneyGateway, USDC } from '../../../test/kit/gateway/money-gateway.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import { openTicket, openWithdrawal, provider, redeem } from '../../../test/kit/world/withdrawals.ts'
import { connectChain } from '../../adapters/chain/chain.ts'
import { approveWithdrawal } from './review-withdrawal.ts'
import { watchSigner } from './watch-signer.ts'

let gateway: MoneyGateway
let signer: ExternalSigner
let account: Address
const lines: string[] = []

beforeAll(async () => {
  gateway = await startMoneyGateway({ requiredConfirmations: 1 })
  const { ticketSignerKey, rpcUrl, contracts } = gateway.chain
  account = privateKeyToAccount(ticketSignerKey).address
  signer = await startExternalSigner(ticketSignerKey, generatePrivateKey())
  const { ticketSigner, signTicket, vaultSigner, isSignerAvailable } = await connectChain({
    rpcUrl,
    vault: contracts.vault,
    requiredConfirmations: 1,
    requestTimeoutMs: 1_000,
    remoteSigner: { url: signer.url, address: account },
    log: {
      ...silent,
      warn: fields => void lines.push(String((fields as { err?: { cause?: unknown } }).err?.cause)),
    },
  })
  Object.assign(gateway.faults, { ticketSigner, signTicket, vaultSigner, isSignerAvailable })
})
afterAll(async () => {
  await Promise.all([gateway.stop(), signer.stop()])
})
beforeEach(() => {
  signer.mood = 'signs'
  signer.asked.length = 0
})

/** Returns the metric after a look of the watcher. */
async function availability(): Promise<number | undefined> {
  const seen = new Map<string, number>()
  const metrics = {
    ...gateway.deps.metrics,
    set: (name: string, _: object, value: number) => void seen.set(name, value),
  }
  await watchSigner({ ...gateway.deps, metrics })
  return seen.get('farebox_ticket_signer_available')
}

test('the vault pays tickets of an external signer', async () => {
  const who = await provider(gateway, usdc(3n * USDC))
  const { ticket } = await openTicket(who, '1.000000')
  expect(signer.asked).toEqual([['eth_signTypedData_v4', account.toLowerCase()]])
  await redeem(gateway, ticket)
  expect(await gateway.chain.usdcOf(who.address)).toBe(USDC)
  expect(await availability()).toBe(1)
  await gateway.follow()
  await gateway.assertBooks()
})

test('asks an external signer for no ticket that needs review', async () => {
  const who = await provider(gateway, usdc(3_000n * USDC))
  const { body } = await openWithdrawal(who, '2000.000000')
  expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
  expect(signer.asked).toEqual([])
})

const away: SignerMood[] = ['is down', 'refuses', 'signs by another key', 'signs another ticket', 'hangs']
test.each(away)(
  'sends a withdrawal to review while the external signer %s, and pays it after approval',
  async mood => {
    const who = await provider(gateway, usdc(3n * USDC))
    signer.mood = mood
    lines.length = 0
    const { body } = await openWithdrawal(who, '1.000000')
    expect(body).toMatchObject({ statusLabel: 'PENDING_REVIEW', ticket: null })
    const review = { withdrawalId: body.withdrawalId, reviewer: zeroAddress, reason: null }
    const approve = () => approveWithdrawal(gateway.deps, review, async () => undefined)
    await expect(approve()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      context: { reason: 'ticket_signer_unavailable' },
    })
    expect(await availability()).toBe(0)
    expect(lines.join()).toMatch(/TICKET_SIGNER_URL: /)
    expect(lines.join()).not.toContain('secret-path')
    await gateway.assertBooks()

    signer.mood = 'signs'
    expect(await availability()).toBe(1)
    const { ticket } = await approve()
    if (ticket === null) throw new Error('There is no ticket.')
    await redeem(gateway, ticket)
    expect(await gateway.chain.usdcOf(who.address)).toBe(USDC)
    await gateway.follow()
    await gateway.assertBooks()
  },
)
