import { type Usdc, usdc } from '@farebox/money'
import type { Withdrawal, WithdrawalTicket } from '@farebox/wire/withdrawals'
import type { Hex } from 'viem'
import { expect } from 'vitest'
import type { VaultTicket } from '../../../src/ports.ts'
import type { MoneyGateway } from '../gateway/money-gateway.ts'
import type { Member } from './member.ts'

/** Answer of `POST /providers/withdrawals/intent`. */
export type Opened = {
  status: string
  code?: string
  ownerAddress: string
  withdrawalId: string
  intentId: string
  statusLabel: string
  ticket: WithdrawalTicket | null
}

let keys = 0

/** Requests a withdrawal, by default with a new idempotency key. */
export function openWithdrawal(who: Member, amountUsdc: unknown, key?: string, more: object = {}) {
  keys += 1
  const headers = { 'x-idempotency-key': key ?? `withdrawal ${keys}` }
  return who.send<Opened>('/providers/withdrawals/intent', {
    method: 'POST',
    body: { amountUsdc, ...more },
    headers,
  })
}

/** Opens a withdrawal that is approved at once; returns its ticket. */
export async function openTicket(who: Member, amountUsdc: unknown) {
  const { status, body } = await openWithdrawal(who, amountUsdc)
  expect(body).toMatchObject({ status: 'success', statusLabel: 'APPROVED_AUTO' })
  expect(status).toBe(200)
  if (body.ticket === null) throw new Error('There is no ticket.')
  return { id: body.withdrawalId, ticket: body.ticket }
}

/** Converts a ticket for the vault. */
export function vaultTicket(ticket: WithdrawalTicket): VaultTicket {
  const { to, amount, deadline, nonce } = ticket
  return { to: to as Hex, amount: usdc(BigInt(amount)), deadline: BigInt(deadline), nonce: nonce as Hex }
}

/** Redeems a ticket at the vault; it may revert. Returns the hash of the transaction. */
export function redeem({ chain }: MoneyGateway, ticket: WithdrawalTicket): Promise<Hex> {
  return chain.redeem(vaultTicket(ticket), ticket.signature as Hex)
}

/** Reports the transaction that redeemed a withdrawal. */
export function complete(who: Member, id: string, txHash: unknown) {
  return who.send<{ code: string; detail: Record<string, unknown>; txHash: string }>(
    `/providers/withdrawals/${id}/complete`,
    { method: 'POST', body: { txHash } },
  )
}

/** Lists a wallet's withdrawals; reading also expires stale ones. */
export async function list(who: Member, query = ''): Promise<Withdrawal[]> {
  const { status, body } = await who.send<{ withdrawals: Withdrawal[] }>(`/providers/withdrawals${query}`)
  expect(status).toBe(200)
  return body.withdrawals
}

/** Returns the states of a wallet's withdrawals, newest first. */
export const statuses = async (who: Member) => (await list(who)).map(({ status }) => status)

/** Signs in a provider and gives it earnings. */
export async function provider(gateway: MoneyGateway, earned: Usdc): Promise<Member> {
  const member = await gateway.member()
  await gateway.earn(member, earned)
  return member
}
