import { randomUUID } from 'node:crypto'
import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import type { Api } from './api.ts'
import { verifyEmail } from './email.ts'
import { useModels } from './models.ts'
import type { Narrator } from './narrator.ts'
import { type ChainInfo, onChain, type Ticket } from './wallets.ts'

const DEPOSIT = parseUsdc('25')
const RAISED_PRICE = parseUsdc('0.075')
const CREDIT_LIMIT = parseUsdc('0.2')
/** Most confirmations that the tour looks for before it gives up on a deposit. */
const CONFIRM_TRIES_MAX = 60
const CONFIRM_PAUSE_MS = 250

type Stage = {
  readonly api: Api
  readonly narrator: Narrator
  readonly fortunes: { readonly url: string; readonly calls: { readonly count: number } }
  /** Price of the tour's service per call, in micro-USDC. */
  readonly price: Usdc
}

type Invocation = { invocationId: string; status: string; chargedUsdc: string; result: { fortune: string } }
type Balance = {
  consumer_available_balance: string
  consumer_held_balance: string
  provider_receivable_balance: string
  protocol_fee_balance: string
}

/**
 * The whole way of the money, as an owner, its agent and a provider go it: sign in, verify an email, deposit, credential, register,
 * discover, invoke, be refused, use models, withdraw, and see that the reserves add up.
 *
 * @throws Error at the first thing that is not as it must be
 */
export async function takeTour(stage: Stage): Promise<void> {
  const { api, narrator } = stage
  const info = await api.ok<ChainInfo>('GET', '/api/v1/chain')
  const owner = privateKeyToAccount(generatePrivateKey())
  const provider = privateKeyToAccount(generatePrivateKey())

  narrator.step('Two fresh wallets')
  narrator.tell(`owner    ${owner.address}`)
  narrator.tell(`provider ${provider.address}`)
  for (const { address } of [owner, provider]) {
    const body = { address, amountUsdc: formatUsdc(DEPOSIT) }
    const { txHash } = await api.ok<{ txHash: string }>('POST', '/dev/faucet', { body })
    narrator.tell(`faucet gave ${formatUsdc(DEPOSIT)} test USDC and test ether: ${txHash}`)
  }

  narrator.step('Both sign in with their wallets (EIP-4361)')
  const tokens = { owner: await api.signIn(owner), provider: await api.signIn(provider) }
  const me = await api.ok<{ username: string }>('GET', '/api/v1/auth/me', { token: tokens.owner })
  narrator.tell(`the owner is known as ${me.username}`)

  await verifyEmail(stage, { account: owner, token: tokens.owner })
  await deposit(stage, { info, owner, token: tokens.owner })
  const credential = await issueCredential(stage, tokens.owner)
  const service = await registerService(stage, tokens.provider)
  const spentOnCalls = await invoke(stage, { credential, service, tokens })
  const { protocol_fee_balance: fees } = await api.ok<Balance>('GET', '/api/v1/balance', {
    token: tokens.owner,
  })
  const earned = usdc(spentOnCalls - parseUsdc(fees))
  const spent = usdc(spentOnCalls + (await useModels(stage, tokens.owner)))
  await settleAccounts(stage, { info, provider, tokens, earned, spent })
}

async function deposit(
  { api, narrator }: Stage,
  on: { info: ChainInfo; owner: LocalAccount; token: string },
) {
  narrator.step(`The owner deposits ${formatUsdc(DEPOSIT)} USDC on chain`)
  const { token } = on
  const txHash = await onChain(on.info).deposit(on.owner, DEPOSIT)
  narrator.tell(`vault ${on.info.vault}`)
  narrator.tell(`transaction ${txHash}`)
  const body = { tx_hash: txHash, amount: Number(formatUsdc(DEPOSIT)) }
  const { intent } = await api.ok<{ intent: { id: string; status: string } }>(
    'POST',
    '/api/v1/balance/deposit/intent',
    { token, body },
  )
  narrator.tell(`intent ${intent.id} is ${intent.status}`)
  await confirmed(api, intent.id, token)
  const balance = await api.ok<Balance>('GET', '/api/v1/balance', { token })
  narrator.amount('available to spend', balance.consumer_available_balance, DEPOSIT)
}

/** A deposit counts after the confirmations that the gateway asks for. */
async function confirmed(api: Api, intentId: string, token: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const path = `/api/v1/balance/deposit/intents/${intentId}/confirm`
    const { status, body } = await api.call<{ code?: string }>('POST', path, { token, body: {} })
    if (status === 200) return
    if (body.code !== 'DEPOSIT_NOT_CONFIRMED' || tries === CONFIRM_TRIES_MAX) {
      throw new Error(`The deposit was not confirmed: ${JSON.stringify(body)}`)
    }
    await new Promise(done => setTimeout(done, CONFIRM_PAUSE_MS))
  }
}

async function issueCredential({ api, narrator }: Stage, token: string): Promise<string> {
  narrator.step(`The owner mints a credential for its agent, good for ${formatUsdc(CREDIT_LIMIT)} USDC`)
  const body = { name: 'tour agent', creditLimit: formatUsdc(CREDIT_LIMIT), maxCalls: 100, rpm: 600 }
  const issued = await api.ok<{ credential: { token: string; credential_id: string } }>(
    'POST',
    '/api/v1/credentials/agent/issue',
    { token, body },
  )
  const { credential_id: id, token: secret } = issued.credential
  narrator.tell(`${id}: ${secret.slice(0, 8)}… (shown once)`)
  return secret
}

type Service = { readonly id: string; readonly name: string }

async function registerService({ api, narrator, fortunes, price }: Stage, token: string): Promise<Service> {
  narrator.step(`The provider registers a service at ${formatUsdc(price)} USDC a call`)
  const name = `fortune-${randomUUID().slice(0, 8)}`
  const body = {
    serviceName: 'Fortunes of the tour',
    agentToolName: name,
    summary: 'Tells a fortune for a fare.',
    pricing: { currency: 'USDC', amount: formatUsdc(price) },
    invoke: { method: 'POST', targets: [{ url: fortunes.url, weight: 1 }], request: {}, response: {} },
  }
  const { serviceId, status } = await api.ok<{ serviceId: string; status: string }>(
    'POST',
    '/api/v1/services',
    { token, body },
  )
  narrator.tell(`${serviceId} is ${status}`)
  for (const [how, query] of [
    ['anybody can discover it', 'Fortunes of the tour'],
    ['also who misspells it', 'fortnues of the tour'],
  ] as const) {
    const found = await api.ok<{ serviceId: string }[]>(
      'GET',
      `/api/v1/services/discover?search_query=${encodeURIComponent(query)}&limit=100`,
    )
    narrator.check(
      found.some(entry => entry.serviceId === serviceId),
      how,
    )
  }
  return { id: serviceId, name }
}

/** Calls, a replay and three refusals. Returns what was spent. */
async function invoke(
  stage: Stage,
  on: { credential: string; service: Service; tokens: { provider: string } },
): Promise<Usdc> {
  const { api, narrator, fortunes, price } = stage
  const { credential, service } = on
  const callBody = (costUsdc: Usdc, idempotencyKey: string) => ({
    ...{ serviceId: service.id, idempotencyKey, costUsdc: formatUsdc(costUsdc) },
    payload: { body: { question: 'Will the books balance?' } },
  })
  const path = '/api/v1/agent/invoke'

  narrator.step('The agent calls it')
  const first = callBody(price, 'tour-1')
  const answer = await api.ok<Invocation>('POST', path, { credential, body: first })
  narrator.tell(`${answer.invocationId} ${answer.status}: “${answer.result.fortune}”`)
  narrator.amount('charged', answer.chargedUsdc, price)

  narrator.step('The same key again: the stored answer, no second call, no second charge')
  const again = await api.call<Invocation>('POST', path, { credential, body: first })
  narrator.check(again.headers.get('idempotent-replayed') === 'true', 'the answer says that it is a replay')
  narrator.check(JSON.stringify(again.body) === JSON.stringify(answer), 'it is the same answer')
  narrator.check(fortunes.calls.count === 1, 'the provider was called once')
  await api.refused('IDEMPOTENCY_CONFLICT', 'POST', path, {
    credential,
    body: { ...first, payload: { body: {} } },
  })
  narrator.check(true, 'another request under the same key is refused')

  narrator.step(`The provider raises the price to ${formatUsdc(RAISED_PRICE)} USDC`)
  const pricing = { currency: 'USDC', amount: formatUsdc(RAISED_PRICE) }
  await api.ok('PUT', `/api/v1/services/${service.id}`, { token: on.tokens.provider, body: { pricing } })
  const mismatch = await api.refused('PRICE_MISMATCH', 'POST', path, {
    credential,
    body: callBody(price, 'tour-2'),
  })
  narrator.tell(
    `an agent that saw ${mismatch.detail.expectedPriceUsdc} is told that it is ${mismatch.detail.currentPriceUsdc} now`,
  )
  const second = await api.ok<Invocation>('POST', path, {
    credential,
    body: callBody(RAISED_PRICE, 'tour-2'),
  })
  narrator.amount('charged at the new price, under the same key', second.chargedUsdc, RAISED_PRICE)

  narrator.step('The budget of the credential runs out')
  const third = await api.ok<Invocation>('POST', path, { credential, body: callBody(RAISED_PRICE, 'tour-3') })
  narrator.amount('charged', third.chargedUsdc, RAISED_PRICE)
  const exhausted = await api.refused('BUDGET_EXHAUSTED', 'POST', path, {
    credential,
    body: callBody(RAISED_PRICE, 'tour-4'),
  })
  narrator.tell(`refused by ${exhausted.detail.limit}: ${exhausted.detail.remainingUsdc} USDC are left of it`)
  narrator.check(fortunes.calls.count === 3, 'the provider was not called for what was refused')
  return usdc(price + RAISED_PRICE + RAISED_PRICE)
}

async function settleAccounts(
  { api, narrator }: Stage,
  on: {
    info: ChainInfo
    provider: LocalAccount
    tokens: { owner: string; provider: string }
    /** By the tour's own provider. */
    earned: Usdc
    spent: Usdc
  },
): Promise<void> {
  const { info, provider, tokens, earned, spent } = on
  narrator.step('What everybody has now')
  const owners = await api.ok<Balance>('GET', '/api/v1/balance', { token: tokens.owner })
  narrator.amount('owner, available', owners.consumer_available_balance, usdc(DEPOSIT - spent))
  narrator.amount('owner, held', owners.consumer_held_balance, usdc(0n))
  const providers = await api.ok<Balance>('GET', '/api/v1/balance', { token: tokens.provider })
  narrator.amount('provider, receivable', providers.provider_receivable_balance, earned)

  narrator.step('The provider withdraws it on chain')
  const chain = onChain(info)
  const before = await chain.balanceOf(provider.address)
  const withdrawal = await api.ok<{ withdrawalId: string; statusLabel: string; ticket: Ticket }>(
    'POST',
    '/api/v1/providers/withdrawals/intent',
    {
      ...{ token: tokens.provider, idempotencyKey: randomUUID(), body: { amountUsdc: formatUsdc(earned) } },
    },
  )
  narrator.tell(
    `${withdrawal.withdrawalId} is ${withdrawal.statusLabel}, ticket for ${withdrawal.ticket.amount} base units`,
  )
  const txHash = await chain.redeem(provider, withdrawal.ticket)
  narrator.tell(`transaction ${txHash}`)
  await api.ok('POST', `/api/v1/providers/withdrawals/${withdrawal.withdrawalId}/complete`, {
    token: tokens.provider,
    body: { txHash },
  })
  narrator.amount(
    'arrived in the wallet',
    formatUsdc(usdc((await chain.balanceOf(provider.address)) - before)),
    earned,
  )
  const after = await api.ok<Balance>('GET', '/api/v1/balance', { token: tokens.provider })
  narrator.amount('provider, receivable', after.provider_receivable_balance, usdc(0n))

  narrator.step('The reserves add up')
  const reserves = await api.ok<{
    vaultBalanceUsdc: string
    liabilitiesUsdc: string
    ledgerSumUsdc: string
    consistent: boolean
  }>('GET', '/api/v1/proof/reserves')
  narrator.amount('the vault holds', reserves.vaultBalanceUsdc, usdc(await chain.balanceOf(info.vault)))
  narrator.tell(`it owes ${reserves.liabilitiesUsdc} USDC`)
  narrator.check(
    parseUsdc(reserves.vaultBalanceUsdc) >= parseUsdc(reserves.liabilitiesUsdc),
    'the vault covers what it owes',
  )
  narrator.amount('sum of all ledger entries', reserves.ledgerSumUsdc, usdc(0n))
  narrator.check(reserves.consistent, 'every invariant of the books holds')
}
