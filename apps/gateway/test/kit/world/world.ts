import { parseUsdc, type Usdc } from '@farebox/money'
import { expect } from 'vitest'
import type { TestChain } from '../chain/test-chain.ts'
import { type Answer, get, post } from '../network/http.ts'
import { newWallet, signIn } from './wallets.ts'

/** A gateway, in this process or in one of its own. */
export type OnGateway = { readonly url: string; readonly chain: TestChain }

/** A wallet that has signed in. */
export type Person = { readonly account: ReturnType<typeof newWallet>; readonly token: string }

/** The members of an invocation's answer that tests read. */
export type InvokeBody = {
  readonly invocationId: string
  readonly status: string
  readonly chargedUsdc: string
  readonly result: Record<string, unknown>
  readonly receipt: Record<string, unknown>
  readonly code: string
  readonly detail: Record<string, unknown>
}

/** Signs in a new wallet. */
export async function arrive(on: OnGateway): Promise<Person> {
  const account = newWallet()
  return { account, token: await signIn(on.url, account) }
}

/** Deposits on the chain, registers and confirms the deposit. */
export async function deposit(on: OnGateway, person: Person, amountUsdc: string): Promise<void> {
  const amount = parseUsdc(amountUsdc)
  const { address } = person.account
  const txHash = await on.chain.deposit(address, amount)
  const body = { tx_hash: txHash, amount: amountUsdc }
  const opened = await post<{ intent: { id: string } }>(on, '/balance/deposit/intent', {
    token: person.token,
    body,
  })
  expect(opened).toMatchObject({ status: 200 })
  const confirmed = await post(on, `/balance/deposit/intents/${opened.body.intent.id}/confirm`, {
    token: person.token,
    body: {},
  })
  expect(confirmed).toMatchObject({ status: 200 })
}

/** Signs in a new wallet and deposits for it. */
export async function ownerWith(on: OnGateway, amountUsdc: string): Promise<Person> {
  const owner = await arrive(on)
  await deposit(on, owner, amountUsdc)
  return owner
}

/** Mints a credential; returns its token and id. */
export async function mint(
  on: OnGateway,
  owner: Person,
  limits: Record<string, unknown> = {},
): Promise<{ token: string; id: string }> {
  const body = { name: 'test', rpm: 100_000, ...limits }
  const issued = await post<{ credential: { token: string; credential_id: string } }>(
    on,
    '/credentials/agent/issue',
    { token: owner.token, body },
  )
  expect(issued.body).toMatchObject({ credential: { name: body.name } })
  return { token: issued.body.credential.token, id: issued.body.credential.credential_id }
}

/** Registers a fixed-price service on some targets; returns its id. */
export async function register(
  on: OnGateway,
  provider: Person,
  service: {
    targets: readonly string[]
    priceUsdc: string
    manifest?: Record<string, unknown>
    invoke?: Record<string, unknown>
  },
): Promise<string> {
  const body = {
    serviceName: 'Test service',
    pricing: { currency: 'USDC', amount: service.priceUsdc },
    invoke: { method: 'POST', targets: service.targets.map(url => ({ url, weight: 1 })), ...service.invoke },
    ...service.manifest,
  }
  const registered = await post<{ serviceId: string }>(on, '/services', { token: provider.token, body })
  expect(registered.body).toMatchObject({ status: 'active' })
  return registered.body.serviceId
}

/** Issues a provider secret; returns its key. */
export async function issueSecret(
  on: { readonly url: string },
  provider: Person,
  limits: Record<string, unknown> = {},
): Promise<string> {
  const issued = await post<{ secret: { secretKey: string } }>(on, '/secrets/provider/issue', {
    token: provider.token,
    body: { name: 'server', ...limits },
  })
  if (issued.status !== 200) throw new Error(JSON.stringify(issued.body))
  return issued.body.secret.secretKey
}

/** Ends all price notices, so that saved changes take effect. */
export async function endNotices(on: { sql(text: string): Promise<unknown> }): Promise<void> {
  await on.sql('update services set notice_ends_at = clock_timestamp() where notice_ends_at is not null')
}

/** Sends POST /agent/invoke. */
export function invoke(
  on: { readonly url: string },
  credential: { readonly token: string },
  body: Record<string, unknown>,
): Promise<Answer<InvokeBody>> {
  return post<InvokeBody>(on, '/agent/invoke', { headers: { 'x-credential': credential.token }, body })
}

/** Returns the balances of a wallet in micro-USDC. */
export async function balanceOf(
  on: OnGateway,
  person: Person,
): Promise<{ available: Usdc; held: Usdc; receivable: Usdc; locked: Usdc }> {
  const { body } = await get<Record<string, string>>(on, '/balance', { token: person.token })
  const read = (name: string) => parseUsdc(body[name] ?? 'missing')
  return {
    available: read('consumer_available_balance'),
    held: read('consumer_held_balance'),
    receivable: read('provider_receivable_balance'),
    locked: read('provider_locked_balance'),
  }
}

/** Counts answers by status. */
export function countStatuses(answers: readonly Answer<unknown>[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
