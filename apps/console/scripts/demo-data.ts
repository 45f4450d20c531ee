import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { formatUsdc, parseUsdc } from '@farebox/money'
import { privateKeyToAccount } from 'viem/accounts'
import { onChain } from '../../gateway/src/tour/wallets.ts'
import { type Actor, arrive } from './actor.ts'
import { introduce, listen, pickCalls, watch } from './demo-data-account.ts'
import { manifests, modelAnswer, models, reports, topics } from './demo-data-texts.ts'

const DEPOSIT = parseUsdc('250')
const CALLS = 60
const MODEL_CALLS = 8
const CONFIRM_TRIES_MAX = 100

/** A gateway with demo data. `ids` has services by tool name, `topic`, `credential`, `webhook`, and calls. */
export type DemoData = {
  readonly owner: Actor
  readonly provider: Actor
  readonly ids: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/**
 * Fills a development gateway with services, calls, money and forum topics, for screenshots and measurements.
 *
 * @param url of a gateway in development mode
 */
export async function makeDemoData(url: string): Promise<DemoData> {
  const target = await startTarget()
  const [owner, provider] = await Promise.all([arrive(url), arrive(url)])
  await deposit(url, owner)
  const ids: Record<string, string> = {}
  for (const each of [...manifests, ...models]) {
    const { invoke = {}, ...manifest } = { invoke: undefined, ...each }
    const { agentToolName } = manifest
    const url = `${target.url}/${agentToolName}/${'llmDialect' in manifest ? 'chat/completions' : ''}`
    const body = { ...manifest, invoke: { ...invoke, method: 'POST', targets: [{ url, weight: 1 }] } }
    const { serviceId } = await provider.api.registerService({ body: body as never })
    ids[agentToolName] = serviceId
  }
  const issued = await owner.api.issueCredential({
    body: { name: 'research agent', creditLimit: '50', maxCalls: 10_000, rpm: 6_000 },
  })
  await owner.api.issueCredential({ body: { name: 'nightly reports', creditLimit: '10', rpm: 60 } })
  const { token: credential, credential_id: credentialId } = issued.credential
  ids.credential = credentialId
  await watch(owner)
  await call(url, credential)
  await askModels(url, credential)
  ids['fallback-call'] = (await owner.api.listUsage({ query: { limit: 1 } })).logs[0]?.invocationId ?? ''
  ids.topic = await talk(owner, provider)
  for (const report of reports) await owner.api.submitFeedback({ body: { source: 'console', ...report } })
  await provider.api.issueProviderSecret({ body: { name: 'model servers', creditLimit: '25' } })
  await provider.api.openWithdrawal({ body: { amountUsdc: '0.25' } })
  await introduce(owner, provider)
  ids.webhook = await listen(owner, target.url)
  Object.assign(ids, await pickCalls(owner))
  return { owner, provider, ids, stop: target.stop }
}

async function deposit(url: string, { key, api }: Actor): Promise<void> {
  const info = await createClient({ baseUrl: url }).readChain()
  const txHash = await onChain(info as Parameters<typeof onChain>[0]).deposit(
    privateKeyToAccount(key),
    DEPOSIT,
  )
  const { intent } = await api.openDeposit({ body: { tx_hash: txHash, amount: formatUsdc(DEPOSIT) } })
  for (let tries = 1; ; tries++) {
    try {
      await api.confirmDeposit({ path: { id: intent.id } })
      return
    } catch (error) {
      const isEarly = error instanceof GatewayError && error.code === 'DEPOSIT_NOT_CONFIRMED'
      if (!isEarly || tries === CONFIRM_TRIES_MAX) throw error
      await new Promise(done => setTimeout(done, 200))
    }
  }
}

async function call(url: string, credential: string): Promise<void> {
  const agent = createClient({ baseUrl: url, credential })
  const found = await agent.searchServices({ body: { pageSize: 50 } })
  for (let number = 0; number < CALLS; number++) {
    const { agentToolName } = manifests[number % manifests.length] ?? {}
    const service = found.services.find(each => each.agentToolName === agentToolName)
    if (service === undefined) continue
    const body = {
      serviceId: service.serviceId,
      costUsdc: (service as { pricing: { amount: string } }).pricing.amount,
      payload: { body: { city: 'Lisbon', number } },
    }
    // The providers fail now and then on purpose.
    await agent.invokeService({ body: body as never }).catch((error: unknown) => {
      if (!(error instanceof GatewayError && error.code === 'UPSTREAM_ERROR')) throw error
    })
  }
}

async function askModels(url: string, credential: string): Promise<void> {
  const agent = createClient({ baseUrl: url, credential })
  const messages = [{ role: 'user', content: 'Who pays the ferryman?' }]
  for (let number = 0; number < MODEL_CALLS; number++) {
    const body = { model: 'sample-llm', max_tokens: 24, messages }
    await agent.createChatCompletion({ body: body as never })
  }
  const names = models.map(({ agentToolName }) => agentToolName)
  await agent.createChatCompletion({ body: { models: names, max_tokens: 24, messages } as never })
}

async function talk(owner: Actor, provider: Actor): Promise<string> {
  let last = ''
  for (const { title, category, body, reply } of topics) {
    const { topic } = await owner.api.createTopic({ body: { title, category, body } })
    last = topic.topicId
    if (reply !== undefined)
      await provider.api.createReply({ path: { topicId: last }, body: { body: reply } })
    await provider.api.voteTopic({ path: { topicId: last } })
  }
  return last
}

/** Starts one server for all providers, which fails now and then. */
async function startTarget(): Promise<{ url: string; stop(): Promise<void> }> {
  let served = 0
  const server = createServer((request, response) => {
    served += 1
    const path = request.url ?? ''
    const isBad = request.method === 'POST' && (served % 17 === 0 || path.startsWith('/ferry-large'))
    const answer = path.startsWith('/ferry') ? modelAnswer : { answer: 'As you wish.', number: served }
    request.resume()
    setTimeout(
      () => {
        response.writeHead(isBad ? 500 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      },
      5 + ((served * 7) % 40),
    )
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
}
