import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '../../../apps/console/test/kit/launch.ts'
import { openSmallMarket, type SmallMarket } from '../../../apps/gateway/test/kit/world/small-market.ts'
import { giveGas, newSettler, newX402Payer } from '../../../apps/gateway/test/kit/world/x402-client.ts'
import { buildPackage } from '../scripts/build.ts'

const TIMEOUT_MS = 120_000

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof sharedBrowser>>['newPage']>>

let built: string
/** Serves the built package to pages of an origin that the gateway lists, and of one that it does not. */
let listed: Server
let unlisted: Server
let market: SmallMarket

const originOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo
  return `http://${address}:${port}`
}

/** Serves the built files, and an empty page. */
async function serve(host: string): Promise<Server> {
  const server = createServer(async ({ url = '/' }, response) => {
    const isFile = /^\/[\w./-]+\.js$/.test(url) && !url.includes('..')
    const body = isFile ? await readFile(join(built, url)) : '<!doctype html><title>A page</title>'
    response.writeHead(200, { 'content-type': isFile ? 'text/javascript' : 'text/html' }).end(body)
  })
  await new Promise<void>(done => server.listen(0, host, done))
  return server
}

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'farebox-dist-'))
  ;[listed, unlisted] = await Promise.all([serve('127.0.0.1'), serve('127.0.0.2'), buildPackage(built)])
  const settler = newSettler()
  const manifest = { agentToolName: 'echo', serviceName: 'Echo' }
  const env = Object.assign({ CORS_ORIGINS: originOf(listed) }, settler.env)
  market = await openSmallMarket({ priceUsdc: '0.01', manifest }, { env })
  await giveGas(market.on.chain, settler.address)
}, TIMEOUT_MS)
afterAll(async () => {
  listed.close()
  unlisted.close()
  await market.close()
  await rm(built, { recursive: true })
})

/** Opens an empty page of a server, runs the body of a function in it, and returns its result. */
async function runIn(
  server: Server,
  code: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<unknown> {
  const context = await (await sharedBrowser()).newContext()
  try {
    const page = await context.newPage()
    await prepare?.(page)
    await page.goto(originOf(server))
    return await page.evaluate(`(async () => {${code}})()`)
  } finally {
    await context.close()
  }
}

const agent = () => `
  const { createClient, GatewayError } = await import('/index.js')
  const agent = createClient({ baseUrl: '${market.on.url}', credential: '${market.credential.token}' })
  const call = { serviceId: 'echo', costUsdc: '0.01', payload: { body: { hello: 'page' } } }`

test('a page of a listed origin finds a service, calls it, streams and reads its errors', {
  timeout: TIMEOUT_MS,
}, async () => {
  const outcome = await runIn(
    listed,
    `${agent()}
    const { results } = await agent.searchServices({ body: { query: 'echo', serviceKind: 'api' } })
    const { result, chargedUsdc } = await agent.invokeService({ body: call })
    const messages = [{ role: 'user', content: 'Who pays?' }]
    const stream = await agent.stream('createChatCompletion', { body: { model: 'ferryman', messages, stream: true } })
    let events = 0
    for await (const _ of stream) events += 1
    const refused = await agent.invokeService({ body: { ...call, costUsdc: '0.001' } }).catch(error => error)
    return {
      found: results.map(({ agentToolName }) => agentToolName),
      result,
      chargedUsdc,
      isStreamed: events > 2,
      billed: stream.bill?.status,
      // A header that only an exposed one shows.
      hold: stream.headers.get('farebox-hold-usdc') !== null,
      refused: [refused instanceof GatewayError, refused.code, refused.requestId !== null],
    }`,
  )
  expect(outcome).toEqual({
    found: ['echo'],
    result: { number: 1 },
    chargedUsdc: '0.010000',
    isStreamed: true,
    billed: 'SUCCEEDED',
    hold: true,
    refused: [true, 'PRICE_MISMATCH', true],
  })
})

test('a page of another origin cannot spend a credential', { timeout: TIMEOUT_MS }, async () => {
  const before = market.server.calls.length
  const refused = await runIn(
    unlisted,
    `${agent()}
    return agent.invokeService({ body: call }).then(() => 'called', error => error.code)`,
  )
  expect([refused, market.server.calls.length]).toEqual(['UNREACHABLE', before])
})

test('a page of any origin pays by x402 with a wallet of the browser', { timeout: TIMEOUT_MS }, async () => {
  const account = await newX402Payer(market.on.chain, 1_000_000n)
  const paid = await runIn(
    unlisted,
    `const { createClient } = await import('/index.js')
    const { payWithX402 } = await import('/x402.js')
    const visitor = createClient({ baseUrl: '${market.on.url}' })
    const account = { address: '${account.address}', signTypedData }
    const { usdc: asset } = await visitor.readChain()
    const paid = await payWithX402(visitor, { account, service: 'echo', body: { hello: 'page' }, asset })
    const messages = [{ role: 'user', content: 'Who pays?' }]
    const body = { messages, max_tokens: 20, stream: true }
    const streamed = await payWithX402(visitor, { account, service: 'ferryman', body, asset })
    const events = streamed.events()
    let count = 0
    for await (const _ of events) count += 1
    const stream = [count > 2, streamed.chargedUsdc, events.bill?.status]
    return [await paid.response.json(), paid.chargedUsdc, paid.balanceUsdc, typeof paid.txHash, stream]`,
    page => page.exposeFunction('signTypedData', (message: never) => account.signTypedData(message)),
  )
  expect(paid).toEqual([
    { number: expect.any(Number) },
    '0.010000',
    '0.000000',
    'string',
    [true, null, 'SUCCEEDED'],
  ])
})
