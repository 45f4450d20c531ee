import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, createOwner, GatewayError, pages, signIn } from '@farebox/client'
import { deposit } from '@farebox/client/deposit'
import { verifyFarebox } from '@farebox/client/express'
import { verifyWebhook } from '@farebox/client/webhooks'
import { payWithX402 } from '@farebox/client/x402'
import { parseUsdc } from '@farebox/money'
import express from 'express'
import { Webhook } from 'standardwebhooks'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSmallMarket, type SmallMarket } from '../../../apps/gateway/test/kit/world/small-market.ts'
import { giveGas, newSettler } from '../../../apps/gateway/test/kit/world/x402-client.ts'

let market: SmallMarket

beforeAll(async () => {
  const settler = newSettler()
  const manifest = { agentToolName: 'weather', serviceName: 'Weather' }
  market = await openSmallMarket({ priceUsdc: '0.05', manifest }, { env: settler.env })
  await giveGas(market.on.chain, settler.address)
})
afterAll(() => market.close())

const reported: string[] = []
const report = (text: string) => reported.push(text)

test('the examples of the README work unchanged', async () => {
  const { url: GATEWAY } = market.on
  const { account } = market.owner
  const { token: CREDENTIAL } = market.credential

  const agent = createClient({ baseUrl: GATEWAY, credential: CREDENTIAL })
  const owner = await createOwner({ baseUrl: GATEWAY, wallet: account })
  const visitor = createClient({ baseUrl: GATEWAY })

  const { token } = await signIn(visitor, account)
  const owner2 = createClient({ baseUrl: GATEWAY, token: () => token })
  expect((await owner2.readBalance()).consumer_available_balance).toBe('5.000000')

  const { results } = await agent.searchServices({ body: { query: 'weather', maxPriceUsdc: '0.05' } })
  const { service } = await agent.readMarketService({ path: { id: 'weather' } })
  const { balance } = await owner.readBalance()
  expect([results.length, service.serviceName, balance.ownerBalance]).toEqual([1, 'Weather', '5.000000'])

  try {
    await agent.invokeService({ body: { serviceId: 'weather', costUsdc: '0.04' } })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code === 'PRICE_MISMATCH') report(`It costs ${error.detail.currentPriceUsdc} USDC now.`)
    else if (error.isPassing) report('Later, with the same key.')
    else throw error
  }
  expect(reported).toEqual(['It costs 0.050000 USDC now.'])

  const request = {
    idempotencyKey: 'order-4711',
    body: { serviceId: 'weather', costUsdc: '0.05', payload: { body: { city: 'Lisbon' } } },
  }
  const { result, chargedUsdc } = await agent.invokeService(request)
  expect([result, chargedUsdc]).toEqual([{ number: 1 }, '0.050000'])

  const body = { model: 'ferryman', messages: [{ role: 'user', content: 'Who pays?' }], stream: true }
  const stream = await agent.stream('createChatCompletion', { body })
  report(`held: ${stream.headers.get('farebox-hold-usdc')} USDC`)
  for await (const { data } of stream) {
    if (data !== '[DONE]') report(JSON.parse(data).choices[0]?.delta.content ?? '')
  }
  report(`charged: ${stream.bill?.chargedUsdc} USDC for ${stream.bill?.usage?.totalTokens} tokens`)
  expect(reported.at(-1)).toMatch(/^charged: 0\.\d{6} USDC for \d+ tokens$/)

  for await (const { logs } of pages(cursor => owner.listUsage({ query: { ...cursor, limit: 100 } }))) {
    for (const { invocationId, chargedUsdc } of logs) report(`${invocationId} ${chargedUsdc}`)
  }
  const csv = await owner.raw('listLedgerEntries', { headers: { accept: 'text/csv' } })
  report(await csv.text())
  expect(reported.filter(line => line.startsWith('inv_'))).toHaveLength(2)

  await market.on.chain.fund(account.address, parseUsdc('0.05'))
  const { usdc: asset } = await visitor.readChain()
  const paid = await payWithX402(visitor, { account, service: 'weather', body: { city: 'Lisbon' }, asset })
  report(`${await paid.response.text()} for ${paid.chargedUsdc} USDC, paid by ${paid.txHash}`)
  expect(reported.at(-1)).toMatch(/^{"number":2} for 0\.050000 USDC, paid by 0x[0-9a-f]{64}$/)

  await market.on.chain.client.setBalance({ address: account.address, value: parseEther('1') })
  await market.on.chain.fund(account.address, parseUsdc('1'))
  const { amountUsdc } = await deposit(owner, { account, amountUsdc: '1', onStep: step => report(step.kind) })
  expect(amountUsdc).toBe('1.000000')
  expect(reported).toContain('deposited')
})

test('the examples for servers work unchanged', () => {
  const { url: gatewayUrl } = market.on
  const app = express()
  // The wallet is one to be filled in.
  const refused = () => {
    app.use('/paid', verifyFarebox({ gatewayUrl, publicUrl: 'https://api.example', wallet: '0x...' }))
  }
  expect(refused).toThrow('wallet: give the 0x address')

  const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const bytes = Buffer.from('{"type": "balance.low", "timestamp": "2026-11-21T11:59:59.000Z", "data": {}}')
  const now = new Date()
  const request = {
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(WEBHOOK_SECRET).sign('evt_1', now, bytes.toString()),
    },
  }
  const event = verifyWebhook({ headers: request.headers, body: bytes }, WEBHOOK_SECRET)
  expect(event).toMatchObject({ id: 'evt_1', type: 'balance.low' })
})

test('the README has no other code', async () => {
  const read = (file: string) => readFile(join(import.meta.dirname, file), 'utf8')
  const [readme, here] = await Promise.all([read('../README.md'), read('readme.test.ts')])
  const shown = [...readme.matchAll(/```ts\n(.*?)```/gs)].flatMap(([, code = '']) => code.trim().split('\n'))
  expect(shown.length).toBeGreaterThan(30)
  const lines = new Set(here.split('\n').map(line => line.trim()))
  expect(shown.map(line => line.trim()).filter(line => !lines.has(line))).toEqual([])
})
