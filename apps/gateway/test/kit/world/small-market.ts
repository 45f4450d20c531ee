import { startTestGateway, type TestGateway } from '../gateway/test-gateway.ts'
import { registerModel } from '../llm/llm-market.ts'
import { type LlmTestProvider, startLlmProvider } from '../provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../provider/provider.ts'
import { newPayer, type Payer } from './payer.ts'
import { arrive, type Person, register } from './world.ts'

/** A gateway that sells one API and one model, and an owner with 5 USDC and a credential. */
export type SmallMarket = {
  readonly on: TestGateway
  /** The server of the API. */
  readonly server: TestProvider
  /** The server of the model `ferryman`, which has OpenAI's API. */
  readonly model: LlmTestProvider
  readonly owner: Person
  readonly credential: Payer
  /** Checks the books and stops everything. */
  close(): Promise<void>
}

/**
 * Opens a small market.
 *
 * @param api price and names of the API that is sold
 * @param options of its gateway
 */
export async function openSmallMarket(
  api: {
    priceUsdc: string
    manifest: { agentToolName: string; serviceName: string }
  },
  options: Parameters<typeof startTestGateway>[0] = {},
): Promise<SmallMarket> {
  const gateway = startTestGateway(options)
  const [on, server, model] = await Promise.all([gateway, startProvider(), startLlmProvider()])
  const credential = await newPayer(on, '5')
  const provider = await arrive(on)
  await register(on, provider, { targets: [server.url], ...api })
  const url = `${model.url}/v1/chat/completions`
  await registerModel(on, provider, { url, manifest: { agentToolName: 'ferryman', upstreamModel: 'm-1' } })
  return {
    on,
    server,
    model,
    owner: credential.owner,
    credential,
    async close() {
      await on.assertBooks()
      await Promise.all([server.stop(), model.stop()])
      await on.stop()
    },
  }
}
