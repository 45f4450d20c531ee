import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test/gateway.ts'
import { newWallet, send, signIn } from '../../test/wallets.ts'
import { until } from '../../test/world.ts'
import { registerSampleServices } from './register-sample.ts'
import { startSampleLlm } from './sample-llm/start-sample-llm.ts'
import type { SampleProvider } from './sample-server.ts'
import { type SampleManifest, sampleManifests } from './sample-services.ts'

type Found = {
  agentToolName: string
  runtimeAvailable: boolean
  invoke: { targets: { url: string }[] }
  updatedAt: string
}

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
  const token = await signIn(gateway.url, newWallet(key))
  const { body } = await send<{ services: Found[] }>(gateway.url, '/api/v1/services', { token })
  return Object.fromEntries(body.services.map(service => [service.agentToolName, service]))
}

test('every sample is registered, and anybody finds it with its prices', async () => {
  await register(sampleManifests({ echo: llm.url, llm: llm.url }))
  const discover = async () =>
    (await send<Found[]>(gateway.url, '/api/v1/services/discover', {})).body.toSorted((a, b) =>
      a.agentToolName.localeCompare(b.agentToolName),
    )
  await until('all are found', async () => (await discover()).length === 3)
  expect(await discover()).toMatchObject([
    { agentToolName: 'echo', serviceKind: 'api', pricing: { amount: '0.010000', currency: 'USDC' } },
    {
      ...{ agentToolName: 'sample-llm', serviceKind: 'llm', priceModel: 'token_metered' },
      ...{ inputPricePer1MTokensUsdc: '0.150000', outputPricePer1MTokensUsdc: '0.600000' },
      ...{ defaultMaxOutputTokens: 512, maxAutoHoldUsdc: '0.500000' },
    },
    {
      ...{ agentToolName: 'sample-messages', serviceKind: 'llm', priceModel: 'token_metered' },
      ...{ inputPricePer1MTokensUsdc: '3.000000', outputPricePer1MTokensUsdc: '15.000000' },
    },
  ])
})

test('at the next start what is unchanged is left alone, and a target that moved is followed', async () => {
  const before = await readMine()
  await register(sampleManifests({ echo: `${llm.url}/moved`, llm: llm.url }))
  const after = await readMine()
  expect(after['sample-llm']).toEqual(before['sample-llm'])
  expect(after['sample-messages']).toEqual(before['sample-messages'])
  expect(after.echo?.invoke.targets).toMatchObject([{ url: `${llm.url}/moved` }])
})

test('a name that another wallet has is told, and the others are registered', async () => {
  const [echo, other] = sampleManifests({ echo: llm.url, llm: llm.url })
  if (echo === undefined || other === undefined) throw new Error('There are no samples.')
  const another = generatePrivateKey()
  const registered = register([echo, { ...other, agentToolName: 'another-llm' }], another)
  await expect(registered).rejects.toThrow('DUPLICATE_SERVICE_ID')
  const { status } = await send(gateway.url, '/api/v1/services/another-llm', {})
  expect(status).toBe(200)
})
