import { randomUUID } from 'node:crypto'
import type { AnswerOf, Client } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { arrive, connect, pour, refused } from './api.ts'
import { verifyEmail } from './email.ts'
import { useModels } from './models.ts'
import type { Narrator } from './narrator.ts'
import { onChain } from './wallets.ts'

const DEPOSIT = parseUsdc('25')
const RAISED_PRICE = parseUsdc('0.075')
const CREDIT_LIMIT = parseUsdc('0.2')
/** Maximum polls for the confirmations of a deposit. */
const CONFIRM_TRIES_MAX = 60
const CONFIRM_PAUSE_MS = 250

type Stage = {
  /** The gateway of the tour. */
  readonly url: string
  readonly narrator: Narrator
  readonly fortunes: { readonly url: string; readonly calls: { readonly count: number } }
  /** Price of the tour's service per call, in micro-USDC. */
  readonly price: Usdc
}

/** The participants, each with a client. */
type Cast = Readonly<Record<'visitor' | 'owner' | 'provider' | 'agent', Client>>
type ChainInfo = AnswerOf<'readChain'>

/**
 * The whole way of the money, for an owner, its agent and a provider: sign-in, email, deposit, credential,
 * registration, discovery, calls, refusals, models, withdrawal, reserves.
 *
 * @throws Error at the first failed check
 */
export async function takeTour(stage: Stage): Promise<void> {
  const { url, narrator } = stage
  const visitor = connect(url)
  const info = await visitor.readChain()
  const wallets = {
    owner: privateKeyToAccount(generatePrivateKey()),
    provider: privateKeyToAccount(generatePrivateKey()),
  }

  narrator.step('Two fresh wallets')
  narrator.report(`owner    ${wallets.owner.address}`)
  narrator.report(`provider ${wallets.provider.address}`)
  for (const { address } of [wallets.owner, wallets.provider]) {
    const txHash = await pour(url, address, formatUsdc(DEPOSIT))
    narrator.report(`faucet gave ${formatUsdc(DEPOSIT)} test USDC and test ether: ${txHash}`)
  }

  narrator.step('Both sign in with their wallets (EIP-4361)')
  const owner = await arrive(url, wallets.owner)
  const provider = await arrive(url, wallets.provider)
  narrator.report(`the owner is known as ${(await owner.readProfile()).username}`)

  await verifyEmail(stage, { account: wallets.owner, owner })
  await deposit(stage, { info, account: wallets.owner, owner })
  const agent = connect(url, { credential: await issueCredential(stage, owner) })
  const service = await registerService(stage, { visitor, provider })
  const spentOnCalls = await invoke(stage, { agent, provider, service })
  const { protocol_fee_balance: fees } = await owner.readBalance()
  const earned = usdc(spentOnCalls - parseUsdc(fees))
  const spent = usdc(spentOnCalls + (await useModels({ url, visitor, narrator }, owner)))
  await settleAccounts(stage, { info, account: wallets.provider, visitor, owner, provider, earned, spent })
}

async function deposit(
  { narrator }: Stage,
  { info, account, owner }: Pick<Cast, 'owner'> & { info: ChainInfo; account: LocalAccount },
): Promise<void> {
  narrator.step(`The owner deposits ${formatUsdc(DEPOSIT)} USDC on chain`)
  const txHash = await onChain(info).deposit(account, DEPOSIT)
  narrator.report(`vault ${info.vault}`)
  narrator.report(`transaction ${txHash}`)
  const { intent } = await owner.openDeposit({ body: { tx_hash: txHash, amount: formatUsdc(DEPOSIT) } })
  narrator.report(`intent ${intent.id} is ${intent.status}`)
  await confirmed(owner, intent.id)
  narrator.amount('available to spend', (await owner.readBalance()).consumer_available_balance, DEPOSIT)
}

/** A deposit counts after the gateway's number of confirmations. */
async function confirmed(owner: Client, id: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await owner.confirmDeposit({ path: { id } })
      return
    } catch (error) {
      const isEarly = error instanceof GatewayError && error.code === 'DEPOSIT_NOT_CONFIRMED'
      if (!isEarly || tries === CONFIRM_TRIES_MAX) throw error
    }
    await new Promise(done => setTimeout(done, CONFIRM_PAUSE_MS))
  }
}

async function issueCredential({ narrator }: Stage, owner: Client): Promise<string> {
  narrator.step(`The owner mints a credential for its agent, good for ${formatUsdc(CREDIT_LIMIT)} USDC`)
  const { credential } = await owner.issueCredential({
    body: { name: 'tour agent', creditLimit: formatUsdc(CREDIT_LIMIT), maxCalls: 100, rpm: 600 },
  })
  const { credential_id: id, token: secret } = credential
  narrator.report(`${id}: ${secret.slice(0, 8)}… (shown once)`)
  return secret
}

async function registerService(
  { narrator, fortunes, price }: Stage,
  { visitor, provider }: Pick<Cast, 'visitor' | 'provider'>,
): Promise<string> {
  narrator.step(`The provider registers a service at ${formatUsdc(price)} USDC a call`)
  const { serviceId, status } = await provider.registerService({
    body: {
      serviceName: 'Fortunes of the tour',
      agentToolName: `fortune-${randomUUID().slice(0, 8)}`,
      summary: 'Tells a fortune for a fare.',
      pricing: { currency: 'USDC', amount: formatUsdc(price) },
      invoke: { method: 'POST', targets: [{ url: fortunes.url }] },
    },
  })
  narrator.report(`${serviceId} is ${status}`)
  for (const [how, search_query] of [
    ['anybody can discover it', 'Fortunes of the tour'],
    ['also who misspells it', 'fortnues of the tour'],
  ] as const) {
    const found = await visitor.discoverServices({ query: { search_query, limit: 100 } })
    narrator.check(
      found.some(entry => entry.serviceId === serviceId),
      how,
    )
  }
  return serviceId
}

/** Makes calls, a replay and three refused calls. Returns the amount spent. */
async function invoke(
  { narrator, fortunes, price }: Stage,
  { agent, provider, service }: Pick<Cast, 'agent' | 'provider'> & { service: string },
): Promise<Usdc> {
  const callOf = (costUsdc: Usdc, idempotencyKey: string) => ({
    idempotencyKey,
    body: {
      serviceId: service,
      costUsdc: formatUsdc(costUsdc),
      payload: { body: { question: 'Will the books balance?' } },
    },
  })

  narrator.step('The agent calls it')
  const first = callOf(price, 'tour-1')
  const answer = await agent.invokeService(first)
  narrator.report(`${answer.invocationId} ${answer.status}: “${answer.result?.fortune}”`)
  narrator.amount('charged', answer.chargedUsdc, price)

  narrator.step('The same key again: the stored answer, no second call, no second charge')
  const again = await agent.raw('invokeService', first)
  narrator.check(again.headers.get('idempotent-replayed') === 'true', 'the answer says that it is a replay')
  narrator.check(JSON.stringify(await again.json()) === JSON.stringify(answer), 'it is the same answer')
  narrator.check(fortunes.calls.count === 1, 'the provider was called once')
  const other = { ...first, body: { ...first.body, payload: { body: {} } } }
  await refused('IDEMPOTENCY_CONFLICT', agent.invokeService(other))
  narrator.check(true, 'another request under the same key is refused')

  narrator.step(`The provider raises the price to ${formatUsdc(RAISED_PRICE)} USDC`)
  await provider.updateService({
    path: { id: service },
    body: { pricing: { currency: 'USDC', amount: formatUsdc(RAISED_PRICE) } },
  })
  const mismatch = await refused('PRICE_MISMATCH', agent.invokeService(callOf(price, 'tour-2')))
  narrator.report(
    `an agent that saw ${mismatch.expectedPriceUsdc} is told that it is ${mismatch.currentPriceUsdc} now`,
  )
  const second = await agent.invokeService(callOf(RAISED_PRICE, 'tour-2'))
  narrator.amount('charged at the new price, under the same key', second.chargedUsdc, RAISED_PRICE)

  narrator.step('The budget of the credential runs out')
  const third = await agent.invokeService(callOf(RAISED_PRICE, 'tour-3'))
  narrator.amount('charged', third.chargedUsdc, RAISED_PRICE)
  const exhausted = await refused('BUDGET_EXHAUSTED', agent.invokeService(callOf(RAISED_PRICE, 'tour-4')))
  narrator.report(`refused by ${exhausted.limit}: ${exhausted.remainingUsdc} USDC are left of it`)
  narrator.check(fortunes.calls.count === 3, 'the provider was not called for what was refused')
  return usdc(price + RAISED_PRICE + RAISED_PRICE)
}

async function settleAccounts(
  { narrator }: Stage,
  on: Omit<Cast, 'agent'> & {
    readonly info: ChainInfo
    /** Wallet of the provider. */
    readonly account: LocalAccount
    /** By the tour's own provider. */
    readonly earned: Usdc
    readonly spent: Usdc
  },
): Promise<void> {
  const { info, account, visitor, owner, provider, earned, spent } = on
  narrator.step('What everybody has now')
  const owners = await owner.readBalance()
  narrator.amount('owner, available', owners.consumer_available_balance, usdc(DEPOSIT - spent))
  narrator.amount('owner, held', owners.consumer_held_balance, usdc(0n))
  const providers = await provider.readBalance()
  narrator.amount('provider, receivable', providers.provider_receivable_balance, earned)

  narrator.step('The provider withdraws it on chain')
  const chain = onChain(info)
  const before = await chain.balanceOf(account.address)
  const opened = await provider.openWithdrawal({ body: { amountUsdc: formatUsdc(earned) } })
  const { withdrawalId, statusLabel, ticket } = opened
  if (ticket === null) throw new Error(`The withdrawal is ${statusLabel}, and has no ticket.`)
  narrator.report(`${withdrawalId} is ${statusLabel}, ticket for ${ticket.amount} base units`)
  const txHash = await chain.redeem(account, ticket)
  narrator.report(`transaction ${txHash}`)
  await provider.completeWithdrawal({ path: { withdrawalId }, body: { txHash } })
  const arrived = usdc((await chain.balanceOf(account.address)) - before)
  narrator.amount('arrived in the wallet', formatUsdc(arrived), earned)
  const after = await provider.readBalance()
  narrator.amount('provider, receivable', after.provider_receivable_balance, usdc(0n))

  narrator.step('The reserves add up')
  const reserves = await visitor.readReserves()
  narrator.amount('the vault holds', reserves.vaultBalanceUsdc, usdc(await chain.balanceOf(info.vault)))
  narrator.report(`it owes ${reserves.liabilitiesUsdc} USDC`)
  narrator.check(
    parseUsdc(reserves.vaultBalanceUsdc) >= parseUsdc(reserves.liabilitiesUsdc),
    'the vault covers what it owes',
  )
  narrator.amount('sum of all ledger entries', reserves.ledgerSumUsdc, usdc(0n))
  narrator.check(reserves.consistent, 'every invariant of the books holds')
}
