import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { pages } from '@farebox/client/paging'
import { signIn } from '@farebox/client/sign-in'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSmallMarket, type SmallMarket } from '../../../apps/gateway/test/kit/world/small-market.ts'

let market: SmallMarket

beforeAll(async () => {
  market = await openSmallMarket({
    priceUsdc: '0.05',
    manifest: { agentToolName: 'weather', serviceName: 'Weather' },
  })
})
afterAll(() => market.close())

const reported: string[] = []
const report = (text: string) => reported.push(text)

test('the examples of the README work unchanged', async () => {
  const { url: GATEWAY } = market.on
  const { account, token: session } = market.owner
  const { token: CREDENTIAL } = market.credential

  const agent = createClient({ baseUrl: GATEWAY, credential: CREDENTIAL })
  const owner = createClient({ baseUrl: GATEWAY, token: () => session })

  const { token } = await signIn(createClient({ baseUrl: GATEWAY }), account)
  expect(token).toMatch(/^ey/)

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
})

test('the README shows nothing else', async () => {
  const read = (file: string) => readFile(join(import.meta.dirname, file), 'utf8')
  const [readme, here] = await Promise.all([read('../README.md'), read('readme.test.ts')])
  const shown = [...readme.matchAll(/```ts\n(.*?)```/gs)].flatMap(([, code = '']) => code.trim().split('\n'))
  expect(shown.length).toBeGreaterThan(30)
  const lines = new Set(here.split('\n').map(line => line.trim()))
  expect(shown.map(line => line.trim()).filter(line => !lines.has(line))).toEqual([])
})
