import { parseUsdc } from '@farebox/money'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { post, send } from '../../../test/kit/network/http.ts'
import { until } from '../../../test/kit/until.ts'
import { signIn } from '../../../test/kit/world/wallets.ts'
import { mint, ownerWith } from '../../../test/kit/world/world.ts'
import { startSampleLlm } from '../sample-llm/start-sample-llm.ts'
import { registerSampleServices } from './register-sample.ts'
import type { SampleProvider } from './sample-server.ts'
import { type SampleManifest, sampleManifests } from './sample-services.ts'

type Found = {
  agentToolName: string
  runtimeAvailable: boolean
  invoke: { targets: { url: string }[] }
  updatedAt: string
}
type Metered = { chargedUsdc: string; usage: { inputTokens: number; outputTokens: number } }

let gateway: TestGateway
let llm: SampleProvider
const key = generatePrivateKey()

beforeAll(async () => {
  gateway = await startTestGateway()
  llm = await startSampleLlm(null, { tokensPerSecond: 0, firstTokenDelayMs: 0 })
})
afterAll(async () => {
  await llm.stop()
  await gateway.stop()
})

const register = (manifests: readonly SampleManifest[], by = key) =>
  registerSampleServices({ baseUrl: gateway.url, key: by, manifests })

/** The services as their provider sees them, by tool name. */
async function readMine(): Promise<Record<string, Found>> {
  const token = await signIn(gateway.url, privateKeyToAccount(key))
  const { body } = await send<{ services: Found[] }>(gateway.url, '/api/v1/services', { token })
  return Object.fromEntries(body.services.map(service => [service.agentToolName, service]))
}

test('registers every sample, publicly listed with its prices', async () => {
  await register(sampleManifests({ api: llm.url, llm: llm.url }))
  const discover = async () =>
    (await send<Found[]>(gateway.url, '/api/v1/services/discover', {})).body.toSorted((a, b) =>
      a.agentToolName.localeCompare(b.agentToolName),
    )
  await until('all are found', async () => (await discover()).length === 5)
  expect(await discover()).toMatchObject([
    { agentToolName: 'echo', serviceKind: 'api', pricing: { amount: '0.010000', currency: 'USDC' } },
    { agentToolName: 'hello', serviceKind: 'api', pricing: { amount: '0.000000', currency: 'USDC' } },
    { agentToolName: 'sample-embeddings', serviceKind: 'llm', outputPricePer1MTokensUsdc: '0.000000' },
    {
      agentToolName: 'sample-llm',
      serviceKind: 'llm',
      priceModel: 'token_metered',
      inputPricePer1MTokensUsdc: '0.150000',
      outputPricePer1MTokensUsdc: '0.600000',
      defaultMaxOutputTokens: 512,
      maxAutoHoldUsdc: '0.500000',
    },
    {
      agentToolName: 'sample-messages',
      serviceKind: 'llm',
      priceModel: 'token_metered',
      inputPricePer1MTokensUsdc: '3.000000',
      outputPricePer1MTokensUsdc: '15.000000',
    },
  ])
})

test('updates a moved target at the next start, and leaves unchanged samples alone', async () => {
  const before = await readMine()
  await register(sampleManifests({ api: `${llm.url}/moved`, llm: llm.url }))
  const after = await readMine()
  expect(after['sample-llm']?.updatedAt).toBe(before['sample-llm']?.updatedAt)
  expect(after['sample-messages']?.updatedAt).toBe(before['sample-messages']?.updatedAt)
  expect(after.echo?.invoke.targets).toMatchObject([{ url: `${llm.url}/moved` }])
})

test('reports a name taken by another wallet, and registers the others', async () => {
  const [echo, other] = sampleManifests({ api: llm.url, llm: llm.url })
  if (echo === undefined || other === undefined) throw new Error('There are no samples.')
  const another = generatePrivateKey()
  const registered = register([echo, { ...other, agentToolName: 'another-llm' }], another)
  await expect(registered).rejects.toThrow('DUPLICATE_SERVICE_ID')
  const { status } = await send(gateway.url, '/api/v1/services/another-llm', {})
  expect(status).toBe(200)
})

test('charges each sample model called through the gateway by its tokens and prices', async () => {
  const credential = await mint(gateway, await ownerWith(gateway, '5'))
  const prices = { 'sample-llm': [150_000n, 600_000n], 'sample-messages': [3_000_000n, 15_000_000n] } as const
  for (const [serviceId, [input, output]] of Object.entries(prices)) {
    const messages = [{ role: 'user', content: 'Tell me about lanterns in Lisbon' }]
    const { status, body } = await post<Metered>(gateway, '/agent/invoke', {
      headers: { 'x-credential': credential.token },
      body: { serviceId, payload: { body: { messages, max_tokens: 40 } } },
    })
    expect(body).toMatchObject({ status: 'SUCCEEDED', result: { model: 'farebox-sample-1' } })
    expect(status).toBe(200)
    const { usage } = body
    expect(usage.outputTokens).toBe(40)
    const micros = BigInt(usage.inputTokens) * input + BigInt(usage.outputTokens) * output
    expect(parseUsdc(body.chargedUsdc)).toBe((micros + 999_999n) / 1_000_000n)
  }
  await gateway.assertBooks()
})
