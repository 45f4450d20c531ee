import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type AnswerOf, createClient, createOwner, GatewayError, pages } from '@farebox/client'
import { deposit } from '@farebox/client/deposit'
import { type FareboxRequest, verifyFarebox } from '@farebox/client/express'
import { verifyFarebox as forFastify } from '@farebox/client/fastify'
import { verifyFarebox as forHono } from '@farebox/client/hono'
import { Refusal } from '@farebox/client/verify'
import { verifyWebhook, type WebhookEvent } from '@farebox/client/webhooks'
import { payWithX402 } from '@farebox/client/x402'
import { privateKeyToAccount } from 'viem/accounts'

// Uses the installed package as its users do: an owner, an agent, a provider and a receiver of webhooks in one program.
// Prints what happened as JSON. `GATEWAY=... WALLET_KEY=0x... node sample.mjs`
const { GATEWAY = '', WALLET_KEY = '' } = process.env
// @ts-expect-error: the types are installed, so that a wrong member is an error
type _Unknown = AnswerOf<'invokeService'>['nothing']
const account = privateKeyToAccount(WALLET_KEY as `0x${string}`)

const owner = await createOwner({ baseUrl: GATEWAY, wallet: account })
const { amountUsdc } = await deposit(owner, { account, amountUsdc: '1' })
const { credential } = await owner.issueCredential({ body: { name: 'sample', creditLimit: '1' } })
const agent = createClient({ baseUrl: GATEWAY, credential: credential.token })

// The provider, which serves signed calls only, and the receiver of webhooks.
let secret = ''
let verify: ReturnType<typeof verifyFarebox> | undefined
let deliver: (event: WebhookEvent) => void = () => undefined
const delivered = new Promise<WebhookEvent>(resolve => {
  deliver = resolve
})
const server = createServer(async (request: FareboxRequest, response) => {
  if (request.url === '/webhooks') {
    deliver(verifyWebhook({ headers: request.headers, body: await buffer(request) }, secret))
    response.writeHead(204).end()
    return
  }
  verify?.(request, response, () => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ invocationId: request.farebox?.invocationId, youSent: request.body }))
  })
})
await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
verify = verifyFarebox({ gatewayUrl: GATEWAY, publicUrl: origin, wallet: account.address })
const { serviceId } = await owner.registerService({
  body: {
    serviceName: 'Sample',
    agentToolName: 'sample',
    pricing: { currency: 'USDC', amount: '0.02' },
    invoke: { method: 'POST', targets: [{ url: `${origin}/paid` }] },
  },
})

// Discovery and a paid call; the same key again is not paid again.
const { results } = await agent.searchServices({ body: { query: 'sample' } })
const request = {
  idempotencyKey: 'sample-1',
  body: { serviceId, costUsdc: '0.02', payload: { body: { hello: 'world' } } },
}
const call = await agent.invokeService(request)
const again = await agent.invokeService(request)
const refused = await agent
  .invokeService({ body: { ...request.body, costUsdc: '0.01' } })
  .catch((error: unknown) => (error instanceof GatewayError ? error.code : error))
const stranger = await fetch(`${origin}/paid`, { method: 'POST', body: '{}' })

// A stream, with its bill.
const stream = await agent.stream('createChatCompletion', {
  body: {
    model: 'ferryman',
    messages: [{ role: 'user', content: 'Who pays?' }],
    stream: true,
    max_tokens: 10,
  },
})
let events = 0
for await (const _ of stream) events += 1

const { secret: issued, webhook } = await owner.createWebhook({
  body: { url: `${origin}/webhooks`, events: ['balance.low'] },
})
secret = issued
await owner.testWebhook({ path: { id: webhook.id } })
const { type } = await delivered

// A call without an account, which the wallet pays for.
const visitor = createClient({ baseUrl: GATEWAY })
const { usdc: asset } = await visitor.readChain()
const paid = await payWithX402(visitor, { account, service: serviceId, body: { by: 'x402' }, asset })

let calls = 0
for await (const { logs } of pages(cursor => owner.listUsage({ query: { ...cursor, limit: 1 } })))
  calls += logs.length

server.close()
server.closeAllConnections()
const outcome = {
  amountUsdc,
  found: results.map(({ agentToolName }) => agentToolName),
  result: call.result,
  isSame: again.invocationId === call.invocationId,
  refused,
  stranger: stranger.status,
  isStreamed: events > 2,
  billed: stream.bill?.status,
  webhook: type,
  paid: [await paid.response.json(), paid.chargedUsdc, typeof paid.txHash],
  calls,
  others: [forFastify, forHono, Refusal].map(each => typeof each),
}
process.stdout.write(`${JSON.stringify(outcome)}\n`)
