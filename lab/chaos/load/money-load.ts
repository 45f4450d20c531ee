import { setTimeout as delay } from 'node:timers/promises'
import { formatUsdc, usdc } from '@farebox/money'
import type { Hex } from 'viem'
import type { Person } from '../../kit/person.ts'
import type { AskedDeposit, AskedWithdrawal, History, WireTicket } from '../check/history.ts'
import type { Seen } from '../check/verdict.ts'
import { type LabChain, ticketOf } from '../parts/chain.ts'
import { gatewayAt, type LabGateway } from '../parts/gateways.ts'
import type { Plan } from '../plan.ts'
import type { Random } from '../random.ts'
import { ask, bearer } from './http.ts'
import type { World } from './world.ts'

/** Deposits and withdrawals of one round. */
const DEPOSITS = 4
const WITHDRAWALS = 6
/** Share of tickets that are redeemed; the others expire. */
const REDEEMED = 0.6
/** Share of redemptions that are reported. */
const REPORTED = 0.5
/** Tries of a request while the faults last, and the pause between them in ms. */
const TRIES_MAX = 6
const AGAIN_MS = 150

type Parts = {
  readonly plan: Plan
  readonly world: World
  readonly gateways: readonly LabGateway[]
  readonly chain: LabChain
  readonly history: History
  readonly until: number
  readonly random: Random
}

/** Deposits and withdraws, on the chain and at the gateways. */
export async function moveMoney(parts: Parts): Promise<void> {
  const { random } = parts
  await Promise.all([
    ...Array.from({ length: DEPOSITS }, (_, number) =>
      payIn({ ...parts, random: random.fork(`deposit ${number}`) }),
    ),
    ...Array.from({ length: WITHDRAWALS }, (_, number) =>
      takeOut({ ...parts, random: random.fork(`withdrawal ${number}`) }, number),
    ),
  ])
}

async function payIn({ world, gateways, chain, history, until, random }: Parts): Promise<void> {
  await delay(random.int(0, 600))
  const owner = random.pick(world.owners)
  const amount = usdc(BigInt(random.int(1, 3_000_000)))
  const txHash = await chain.deposit(owner.wallet, amount).catch(() => null)
  if (txHash === null) return // the chain is gone just now
  const deposit: AskedDeposit = { wallet: owner.wallet.toLowerCase(), amount, txHash, isAcknowledged: false }
  history.deposits.push(deposit)
  // Some are never registered, and are credited all the same.
  if (random.chance(0.3)) return
  const headers = bearer(owner.token)
  const body = { tx_hash: txHash, amount: formatUsdc(amount) }
  let id: string | null = null
  for (let attempt = 0; attempt < TRIES_MAX && performance.now() < until; attempt += 1) {
    const gateway = gatewayAt(gateways, attempt + random.int(0, 3))
    if (id === null) {
      const opened = await ask(gateway, {
        path: '/api/v1/balance/deposit/intent',
        headers: { ...headers, 'x-idempotency-key': txHash },
        body,
      })
      if (opened.status === 200 && opened.isWhole)
        id = (JSON.parse(opened.text) as { intent: { id: string } }).intent.id
    } else {
      const path = `/api/v1/balance/deposit/intents/${id}/confirm`
      const { status, isWhole } = await ask(gateway, { path, headers, body: {} })
      deposit.isAcknowledged = status === 200 && isWhole
      if (deposit.isAcknowledged) return
    }
    await delay(AGAIN_MS)
  }
}

async function takeOut(parts: Parts, number: number): Promise<void> {
  const { plan, world, gateways, chain, history, until, random } = parts
  await delay(random.int(0, 1_200))
  const provider = random.pick(world.providers)
  const withdrawal: AskedWithdrawal = {
    wallet: provider.wallet,
    token: provider.token,
    key: `r${plan.round} w${number}`,
    seen: [],
    amountUsdc: formatUsdc(usdc(BigInt(random.int(1, 20_000)))),
  }
  history.withdrawals.push(withdrawal)
  const isRedeemed = random.chance(REDEEMED)
  const isReported = random.chance(REPORTED)
  for (let attempt = 0; attempt < TRIES_MAX && performance.now() < until; attempt += 1) {
    const opened = openedOf(await askWithdrawal(withdrawal, gatewayAt(gateways, attempt + random.int(0, 3))))
    if (opened === null) {
      await delay(AGAIN_MS)
      continue
    }
    if (!isRedeemed || opened.ticket === null) return
    const txHash = await chain.redeem(ticketOf(opened.ticket), opened.ticket.signature).catch(() => null)
    if (txHash !== null && isReported) await report({ ...parts, provider, txHash, id: opened.withdrawalId })
    return
  }
}

/** Asks for a withdrawal, once more or for the first time, and keeps the answer. */
export async function askWithdrawal(withdrawal: AskedWithdrawal, gateway: LabGateway): Promise<Seen> {
  const { token, key, amountUsdc } = withdrawal
  const seen = await ask(gateway, {
    path: '/api/v1/providers/withdrawals/intent',
    headers: { ...bearer(token), 'x-idempotency-key': key },
    body: { amountUsdc },
  })
  withdrawal.seen.push(seen)
  return seen
}

/** Returns the withdrawal in an answer; null when there is none. */
export function openedOf(seen: Seen): { withdrawalId: string; ticket: WireTicket | null } | null {
  if (seen.status !== 200 || !seen.isWhole) return null
  return JSON.parse(seen.text) as { withdrawalId: string; ticket: WireTicket | null }
}

async function report(
  parts: Parts & { readonly provider: Person; readonly txHash: Hex; readonly id: string },
): Promise<void> {
  const { gateways, until, random, provider, txHash, id } = parts
  for (let attempt = 0; attempt < TRIES_MAX && performance.now() < until; attempt += 1) {
    await delay(AGAIN_MS)
    const { status } = await ask(gatewayAt(gateways, attempt + random.int(0, 3)), {
      path: `/api/v1/providers/withdrawals/${id}/complete`,
      headers: bearer(provider.token),
      body: { txHash },
    })
    if (status === 200) return
  }
}
