import { formatUsdc, parseUsdc, usdc } from '@farebox/money'
import type { Withdrawal, WithdrawalTicket } from '@farebox/wire/withdrawals'
import type { Hex } from 'viem'
import type { TestChain } from '../kit/chain/test-chain.ts'
import { registerModel } from '../kit/llm/llm-market.ts'
import { type Answer as HttpAnswer, type Sent, send } from '../kit/network/http.ts'
import { type SeenCall, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { vaultTicket } from '../kit/world/withdrawals.ts'
import { arrive, issueSecret, type Person, register } from '../kit/world/world.ts'
import {
  type Act,
  type Answer,
  callName,
  MAX_TOKENS,
  type Outcome,
  type Payer,
  PROMPT_BYTES,
  type Who,
} from './books.ts'
import { EVERYBODY, type View } from './view.ts'

/** Timeout of the sleepy service, in ms. */
const SLEEPY_TIMEOUT_MS = 100
/** A little more than the validity of a ticket, in seconds. */
const TICKET_LIFE_SECONDS = 3_601

/** The system under test: a gateway, or a replacement. */
export type Driver = {
  act(act: Act): Promise<Answer>
  view(): Promise<View>
}

/** Environment of all runs. */
export type Stage = {
  readonly url: string
  readonly chain: TestChain
  readonly upstream: TestProvider
  /** An admin with enough money, who funds vouchers. */
  readonly boss: Person
}

/** A provider that answers as the call requests. */
export async function startActor(): Promise<TestProvider> {
  const actor = await startProvider()
  actor.respondWith((call, response, request) => {
    const { service, outcome } = scriptOf(call)
    if (service === 'sleepy') return
    if (outcome.kind === 'reset') return request.socket.destroy()
    const status = { refused: 404, broken: 500 }[outcome.kind as string] ?? 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(outcome.kind === 'garbage' ? '{"this is": no JSON' : JSON.stringify(bodyOf(outcome)))
  })
  return actor
}

type Script = { readonly service: string; readonly outcome: Outcome }

/** A call selects its outcome in its body, or in the prompt. */
function scriptOf({ body }: SeenCall): Script {
  const sent = JSON.parse(body) as Script & { messages?: { content: string }[] }
  const asked = sent.messages?.[0]?.content
  return asked === undefined ? sent : (JSON.parse(asked) as Script)
}

function bodyOf(outcome: Outcome): object {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'So be it.' } }]
  if (outcome.kind !== 'good') return { choices }
  const { input, output } = outcome
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  return { choices, usage }
}

/** New wallets and services for one run. */
export async function enter(stage: Stage): Promise<Driver> {
  const [ada, bob, pat] = await Promise.all([arrive(stage), arrive(stage), arrive(stage)])
  const people: Record<Who, Person> = { ada, bob, pat }
  const targets = [stage.upstream.url]
  const servicesOf = async () => {
    const sleepy = { invoke: { timeoutMs: SLEEPY_TIMEOUT_MS } }
    const priceUsdc = '0.010000'
    return {
      echo: await register(stage, pat, { targets, priceUsdc }),
      sleepy: await register(stage, pat, { targets, priceUsdc, ...sleepy }),
      model: await registerModel(stage, pat, { url: `${stage.upstream.url}v1/chat/completions` }),
    }
  }
  const [ofAda, ofBob, secret] = await Promise.all([servicesOf(), servicesOf(), issueSecret(stage, pat)])
  return drive(stage, { people, secret, services: { ada: ofAda, bob: ofBob } })
}

type Cast = {
  readonly people: Record<Who, Person>
  readonly services: Record<Payer, Record<'echo' | 'sleepy' | 'model', string>>
  /** Secret of the provider, for usage reports. */
  readonly secret: string
}

/** Ids of the gateway, by name in the model. */
type Known = {
  readonly credentials: Map<string, { readonly owner: Payer; readonly id: string; readonly tokens: string[] }>
  readonly calls: Map<string, string>
  readonly tickets: Map<string, { readonly id: string; readonly ticket: WithdrawalTicket | null }>
  /** Transactions that redeem tickets; each is made once. */
  readonly redemptions: Map<string, Promise<Hex>>
  readonly vouchers: Map<string, string>
  /** The newest deposit of each wallet on chain. */
  readonly deposits: Map<Who, Promise<Hex>>
}

type Body = Record<string, unknown>

function drive(stage: Stage, cast: Cast): Driver {
  const known: Known = {
    credentials: new Map(),
    calls: new Map(),
    tickets: new Map(),
    redemptions: new Map(),
    vouchers: new Map(),
    deposits: new Map(),
  }
  const ask = (who: Who | 'boss', path: string, sent: Sent = {}): Promise<HttpAnswer<Body>> => {
    const { token } = who === 'boss' ? stage.boss : cast.people[who]
    return send<Body>(stage.url, `/api/v1${path}`, { token, ...sent })
  }
  const report = (who: Who | 'boss', path: string, body: Body = {}, method: Sent['method'] = 'POST') =>
    ask(who, path, { method, body })
  const deps: Acting = { stage, cast, known, ask, report }
  return { act: act => perform(deps, act), view: () => look(deps) }
}

type Acting = {
  readonly stage: Stage
  readonly cast: Cast
  readonly known: Known
  readonly ask: (who: Who | 'boss', path: string, sent?: Sent) => Promise<HttpAnswer<Body>>
  readonly report: (
    who: Who | 'boss',
    path: string,
    body?: Body,
    method?: Sent['method'],
  ) => Promise<HttpAnswer<Body>>
}

async function perform(on: Acting, act: Act): Promise<Answer> {
  const { known, report, stage, cast } = on
  switch (act.kind) {
    case 'deposit':
      return readAnswer(await deposit(on, act))
    case 'issue': {
      const { who: owner, name, maxCalls, creditLimit } = act
      const answer = await report(owner, '/credentials/agent/issue', {
        name,
        rpm: 1_000_000,
        ...(maxCalls !== null && { maxCalls: Number(maxCalls) }),
        ...(creditLimit !== null && { creditLimit: textOf(creditLimit) }),
      })
      const made = answer.body.credential as { token: string; credential_id: string } | undefined
      if (made !== undefined) {
        known.credentials.set(name, { owner, id: made.credential_id, tokens: [made.token] })
      }
      return readAnswer(answer)
    }
    case 'revoke': {
      const { owner, id } = must(known.credentials.get(act.credential))
      return readAnswer(await report(owner, `/credentials/agent/${id}/revoke`))
    }
    case 'rotate': {
      const { owner, id, tokens } = must(known.credentials.get(act.credential))
      const answer = await report(owner, `/credentials/agent/${id}/rotate`)
      if (answer.status === 200) tokens.push((answer.body.credential as { token: string }).token)
      return readAnswer(answer)
    }
    case 'call':
      return call(on, act)
    case 'report': {
      const { input: inputTokens, output: outputTokens } = act
      const path = `/api/v1/provider/invocations/${must(known.calls.get(act.call))}/usage`
      const body = { inputTokens, outputTokens }
      return readAnswer(await send<Body>(stage.url, path, { method: 'POST', token: cast.secret, body }))
    }
    case 'price': {
      const pricing = { currency: 'USDC', amount: textOf(act.amount) }
      const { echo, sleepy } = cast.services[act.of]
      await report('pat', `/services/${sleepy}`, { pricing }, 'PUT')
      return readAnswer(await report('pat', `/services/${echo}`, { pricing }, 'PUT'))
    }
    case 'policy': {
      const limits = {
        spendingLimitUsdc: orNull(act.monthly),
        dailyLimitUsdc: orNull(act.daily),
        perCallLimitUsdc: orNull(act.perCall),
      }
      return readAnswer(await report(act.who, '/balance/spending-limit', limits, 'PUT'))
    }
    case 'withdraw': {
      const headers = { 'x-idempotency-key': act.key }
      const body = { amountUsdc: textOf(act.amount) }
      const answer = await on.ask('pat', '/providers/withdrawals/intent', { method: 'POST', body, headers })
      const { withdrawalId: id, ticket } = answer.body as {
        withdrawalId: string
        ticket: WithdrawalTicket | null
      }
      // A repeated key gets no ticket that can no longer be redeemed.
      const first = known.tickets.get(act.key)?.ticket ?? ticket
      if (answer.status === 200) known.tickets.set(act.key, { id, ticket: first })
      return readAnswer(answer)
    }
    case 'complete':
      return readAnswer(await complete(on, act.withdrawal))
    case 'expire':
      await stage.chain.increaseTime(TICKET_LIFE_SECONDS)
      return readAnswer(await on.ask('pat', '/providers/withdrawals'))
    case 'voucher': {
      const answer = await report('boss', '/admin/vouchers', {
        amountUsdc: textOf(act.amount),
        count: 1,
        maxRedemptions: act.times,
        expiresAt: '2099-01-01T00:00:00Z',
      })
      const [made] = (answer.body.vouchers ?? []) as { voucherCode: string }[]
      known.vouchers.set(act.name, must(made).voucherCode)
      return readAnswer(answer)
    }
    case 'redeem': {
      const voucherCode = must(known.vouchers.get(act.voucher))
      return readAnswer(await report(act.who, '/balance/vouchers/redeem', { voucherCode }))
    }
  }
}

async function deposit(
  { stage, cast, known, report }: Acting,
  { who, amount }: Extract<Act, { kind: 'deposit' }>,
): Promise<HttpAnswer<Body>> {
  const { address } = cast.people[who].account
  // Concurrent deposits of one wallet conflict on chain: the second approval replaces the first.
  const before = known.deposits.get(who)
  const mined = (async () => {
    await before
    return stage.chain.deposit(address, usdc(amount))
  })()
  known.deposits.set(who, mined)
  const txHash = await mined
  const claim = { tx_hash: txHash, amount: textOf(amount) }
  const opened = await report(who, '/balance/deposit/intent', claim)
  const { id } = must(opened.body.intent as { id: string } | undefined)
  return report(who, `/balance/deposit/intents/${id}/confirm`)
}

async function call({ stage, cast, known }: Acting, act: Extract<Act, { kind: 'call' }>): Promise<Answer> {
  const { service, offer, outcome, key: idempotencyKey } = act
  const { owner, tokens } = must(known.credentials.get(act.credential))
  const script = { service, outcome }
  const isModel = service === 'model'
  const answer = await send<Body>(stage.url, '/api/v1/agent/invoke', {
    method: 'POST',
    headers: { 'x-credential': must(tokens[act.token]) },
    body: {
      serviceId: cast.services[owner][service],
      idempotencyKey,
      ...(isModel ? { maxCostUsdc: textOf(offer) } : { costUsdc: textOf(offer) }),
      payload: { body: isModel ? promptOf(script) : script },
    },
  })
  const { detail } = answer.body as { detail?: { invocationId?: string } }
  const id = detail?.invocationId ?? answer.body.invocationId
  if (typeof id === 'string' && !known.calls.has(callName(act))) known.calls.set(callName(act), id)
  return readAnswer(answer)
}

/** Returns a request to a model, always of the same size. */
function promptOf(script: Script): object {
  const messages = [{ role: 'user', content: JSON.stringify(script) }]
  const prompt = { model: 'actor', max_tokens: MAX_TOKENS, messages, user: '' }
  return { ...prompt, user: '.'.repeat(PROMPT_BYTES - JSON.stringify(prompt).length) }
}

/** Public members of a withdrawal without a ticket. */
const NO_REDEMPTION = Promise.resolve<Hex>(`0x${'00'.repeat(32)}`)

async function complete({ stage, known, report }: Acting, key: string): Promise<HttpAnswer<Body>> {
  const { id, ticket } = must(known.tickets.get(key))
  const redemption =
    known.redemptions.get(key) ??
    (ticket === null ? NO_REDEMPTION : stage.chain.redeem(vaultTicket(ticket), ticket.signature as Hex))
  known.redemptions.set(key, redemption)
  return report('pat', `/providers/withdrawals/${id}/complete`, { txHash: await redemption })
}

/** Amounts in an answer. */
function readAnswer({ status, headers, body }: HttpAnswer<Body>): Answer {
  const isReplay = headers['idempotent-replayed'] === 'true'
  const { limit } = (body.detail ?? {}) as { limit?: string }
  return {
    status,
    ...(status !== 200 && { code: String(body.code) }),
    ...(body.code === 'BUDGET_EXHAUSTED' && { limit: String(limit) }),
    ...(typeof body.chargedUsdc === 'string' && status === 200 && { charged: parseUsdc(body.chargedUsdc) }),
    ...(isReplay && { isReplay }),
  }
}

async function look({ ask, known }: Acting): Promise<View> {
  const read = async (who: Who, path: string) => {
    const { status, body } = await ask(who, path)
    if (status !== 200) throw new Error(`${path} answered ${status}.`)
    return body
  }
  const amount = (body: Body, name: string) => parseUsdc(String(body[name])) as bigint
  const balances = await Promise.all(EVERYBODY.map(who => read(who, '/balance')))
  const policies = await Promise.all(EVERYBODY.map(who => read(who, '/balance/spending-limit')))
  const wallets = EVERYBODY.map((who, at) => {
    const [balance, policy] = [balances[at] ?? {}, policies[at] ?? {}]
    return [
      who,
      {
        available: amount(balance, 'consumer_available_balance'),
        held: amount(balance, 'consumer_held_balance'),
        fees: amount(balance, 'protocol_fee_balance'),
        drawn: amount(policy, 'spentThisMonthUsdc'),
      },
    ] as const
  })
  const credentials = await Promise.all(
    [...known.credentials].map(async ([name, { owner, id }]) => {
      const state = await read(owner, `/credentials/agent/${id}/status`)
      return [
        name,
        {
          calls: BigInt(Number(state.callsUsed)),
          isRevoked: state.credentialStatus === 'revoked',
          spent: amount(state, 'spentUsdc'),
          held: amount(state, 'heldUsdc'),
        },
      ] as const
    }),
  )
  const { summary } = (await read('pat', '/providers/earnings/summary')) as { summary: Body }
  const page = (await read('pat', '/providers/withdrawals?limit=100')) as { withdrawals?: Withdrawal[] }
  const states = new Map(page.withdrawals?.map(({ withdrawalId, status }) => [withdrawalId, status]))
  const balance = balances[EVERYBODY.length - 1] ?? {}
  return {
    wallets: Object.fromEntries(wallets),
    credentials: Object.fromEntries(credentials),
    earnings: {
      earned: amount(summary, 'totalEarnedUsdc'),
      calls: Number(summary.totalCalls),
      receivable: amount(balance, 'provider_receivable_balance'),
      locked: amount(balance, 'provider_locked_balance'),
      withdrawn: amount(summary, 'withdrawnUsdc'),
      promotional: amount(summary, 'promotionalUsdc'),
      receivablePromotional: amount(summary, 'receivablePromotionalUsdc'),
    },
    withdrawals: Object.fromEntries([...known.tickets].map(([key, { id }]) => [key, String(states.get(id))])),
  }
}

const textOf = (amount: bigint): string => formatUsdc(usdc(amount))
const orNull = (amount: bigint | null): string | null => (amount === null ? null : textOf(amount))

function must<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('The gateway was not told of that, or did not answer.')
  return thing
}
