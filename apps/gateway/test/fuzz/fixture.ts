import { expect } from 'vitest'
import type { Access } from '../../src/http/openapi/contract.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { chatBody, registerModel } from '../kit/llm/llm-market.ts'
import { post } from '../kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../kit/provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { newWallet, sessionFor } from '../kit/world/wallets.ts'
import { arrive, deposit, invoke, mint, ownerWith, type Person, register } from '../kit/world/world.ts'
import { giveGas, newSettler } from '../kit/world/x402-client.ts'

const PRICE_USDC = '0.050000'
/** Records of each kind: some are used up on the way. */
const OF_EACH = 4
/** Additional wallets, for limits per wallet. */
const STRANGERS = 12

type Headers = Readonly<Record<string, string>>

/** A gateway with records for every operation. */
export type FuzzFixture = {
  readonly on: TestGateway
  /** Callers of operations of each kind. */
  readonly callers: Readonly<Record<Access, readonly Headers[]>>
  /** An owner with a session that may be lost. */
  readonly bystander: () => Promise<Headers>
  /** Values for a path parameter. */
  idsFor(path: string, parameter: string): readonly string[]
  /** Bodies that work here, by operation, if the contract's examples do not. */
  readonly bodies: Readonly<Record<string, unknown>>
  stop(): Promise<void>
}

type Furnished = { readonly ids: Readonly<Record<string, readonly string[]>>; readonly secret: string }

/** Starts it for a test file. */
export async function startFuzzFixture(): Promise<FuzzFixture> {
  const admin = newWallet()
  const settler = newSettler()
  const env = {
    ADMIN_WALLETS: admin.address,
    // A header distinguishes clients, so that limits per client do not hide everything else.
    TRUST_PROXY: '1',
    WITHDRAW_AUTO_APPROVE_MAX_USDC: '0.03',
    ...settler.env,
  }
  const [on, provider, model] = await Promise.all([
    startTestGateway({ env }),
    startProvider(),
    startLlmProvider(),
  ])
  await giveGas(on.chain, settler.address)
  const sessionOf = async (account: ReturnType<typeof newWallet>) => ({
    account,
    token: await sessionFor(on.gateway.deps, account.address),
  })
  const [owner, seller] = [await ownerWith(on, '90'), await arrive(on)]
  const boss = await sessionOf(admin)
  const strangers = await Promise.all(Array.from({ length: STRANGERS }, () => sessionOf(newWallet())))
  await deposit(on, boss, '20')
  const agent = await mint(on, owner)
  const { ids, secret } = await furnish(on, { owner, seller, agent, boss, provider, model })
  const session = ({ token }: { token: string }): Headers => ({ authorization: `Bearer ${token}` })
  const wallets = [owner, owner, seller].flatMap(often => Array.from({ length: 6 }, () => often))
  const agents = [{ 'x-credential': agent.token }]
  const withSession = [...wallets, ...strangers].map(session)
  const addresses = strangers.slice(0, OF_EACH).map(({ account }) => account.address)

  return {
    on,
    callers: {
      public: [{}],
      wallet: withSession,
      anyone: [{}, ...withSession],
      agent: agents,
      agentOrWallet: [...agents, session(owner)],
      admin: [session(boss)],
      providerSecret: [{ authorization: `Bearer ${secret}` }],
    },
    bystander: async () => session(await sessionOf(newWallet())),
    idsFor(path, parameter) {
      const found = PLACES.find(([pattern]) => pattern.test(`${path}#${parameter}`))
      return parameter === 'address' ? addresses : ((found && ids[found[1]]) ?? [])
    },
    bodies: {
      redeemVoucher: { voucherCode: ids.vouchers?.[0] },
      createMessage: { model: 'small-claude', max_tokens: 64, messages: [{ role: 'user', content: 'Hi.' }] },
      createVouchers: { amountUsdc: '0.01', expiresAt: '2100-01-01T00:00:00Z' },
      openWithdrawal: { amountUsdc: '0.01' },
    },
    async stop() {
      await on.stop()
      await Promise.all([provider.stop(), model.stop()])
    },
  }
}

/** Kind of record by its place in a path. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/#topicId/, 'topics'],
  [/#replyId/, 'replies'],
  [/#deliveryId/, 'deliveries'],
  [/#withdrawalId/, 'withdrawals'],
  [/#taskId/, 'tasks'],
  [/\/webhooks/, 'webhooks'],
  [/\/credentials/, 'credentials'],
  [/\/secrets/, 'secrets'],
  [/\/provider\/invocations/, 'unreported'],
  [/\/invocations/, 'invocations'],
  [/\/deposit/, 'deposits'],
  [/\/models/, 'models'],
  [/\/services|\/x402/, 'services'],
]

/** Creates some of everything; returns their ids, and a secret of the seller. */
async function furnish(
  on: TestGateway,
  by: {
    owner: Person
    seller: Person
    boss: Person
    agent: { token: string }
    provider: TestProvider
    model: LlmTestProvider
  },
): Promise<Furnished> {
  const { owner, seller, boss, agent, provider, model } = by
  const targets = [provider.url]
  const weather = await register(on, seller, {
    targets,
    priceUsdc: PRICE_USDC,
    manifest: { agentToolName: 'weather' },
  })
  const chat = { url: `${model.url}/v1/chat/completions`, manifest: { agentToolName: 'small-model' } }
  const claude = { agentToolName: 'small-claude', llmDialect: 'anthropic' }
  await registerModel(on, seller, chat)
  await registerModel(on, seller, { url: `${model.url}/v1/messages`, manifest: claude })

  const made = async (who: Person, path: string, body: object) => {
    const answer = await post(on, path, { token: who.token, body })
    expect(answer, path).toMatchObject({ status: 200 })
    return answer.body
  }
  const each = async (make: (index: number) => Promise<unknown>): Promise<string[]> => {
    const ids: string[] = []
    for (let index = 0; index < OF_EACH; index += 1) ids.push(String(await make(index)))
    return ids
  }
  const call = (body: object) => invoke(on, agent, { payload: { body: {} }, ...body })
  const secret = (await made(seller, '/secrets/provider/issue', { name: 'server', rpm: 100_000 })).secret
  const invocations = await each(
    async () => (await call({ serviceId: weather, costUsdc: PRICE_USDC })).body.invocationId,
  )
  model.bend({ usage: { replaceBy: undefined } })
  const ask = { serviceId: 'small-model', payload: { body: chatBody() } }
  const unreported = await each(async () => (await call(ask)).body.detail.invocationId)
  model.bend({})
  const topics = await each(() => made(owner, '/forum/topics', TOPIC).then(({ topic }) => idOf(topic)))
  const webhook = { url: provider.url, events: ['deposit.credited'] }
  const webhooks = await each(() => made(owner, '/webhooks', webhook).then(body => idOf(body.webhook)))
  for (const id of webhooks) await made(owner, `/webhooks/${id}/test`, {})
  const reported = { source: 'api', sentiment: 'not_helpful', category: 'bug', message: 'It is broken.' }
  for (let turn = 0; turn < OF_EACH; turn += 1) await made(owner, '/feedback', reported)
  const vouchers = { amountUsdc: '0.01', count: 1, maxRedemptions: 100, expiresAt: '2100-01-01T00:00:00Z' }
  const codes = JSON.stringify(await made(boss, '/admin/vouchers', vouchers)).match(/FBX-[\w-]+/g)

  return {
    secret: String((secret as { secretKey: string }).secretKey),
    ids: {
      invocations,
      unreported,
      topics,
      webhooks,
      vouchers: codes ?? [],
      models: ['small-model'],
      credentials: await each(async () => (await mint(on, owner)).id),
      services: await each(() => register(on, seller, { targets, priceUsdc: PRICE_USDC })),
      secrets: await each(async () =>
        idOf((await made(seller, '/secrets/provider/issue', { name: 'more' })).secret),
      ),
      replies: await each(async () =>
        idOf((await made(owner, `/forum/topics/${topics[0]}/replies`, { body: 'Yes.' })).reply),
      ),
      withdrawals: await each(async index => {
        const headers = { 'x-idempotency-key': `w${index}` }
        const sent = { token: seller.token, headers, body: { amountUsdc: '0.020000' } }
        return (await post<{ withdrawalId: string }>(on, '/providers/withdrawals/intent', sent)).body
          .withdrawalId
      }),
      deposits: await idsIn(on, 'deposits', 'id'),
      deliveries: await idsIn(on, 'webhook_deliveries', 'id'),
      tasks: await idsIn(on, 'support_tasks', 'id'),
    },
  }
}

const TOPIC = { title: 'Tested', category: 'general', body: 'What is tested.' }

async function idsIn(on: TestGateway, table: string, column: string): Promise<string[]> {
  const rows = await on.sql<{ id: string }>(`select ${column} as id from ${table} limit ${OF_EACH}`)
  expect(rows.length, table).toBeGreaterThan(0)
  return rows.map(({ id }) => String(id))
}

function idOf(thing: unknown): string {
  const { id, topicId, replyId } = (thing ?? {}) as Record<string, unknown>
  const found = id ?? topicId ?? replyId
  expect(typeof found, JSON.stringify(thing)).toBe('string')
  return String(found)
}
