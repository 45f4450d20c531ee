import { registerModel } from '../../llm/market.ts'
import { startTestGateway, type TestGateway } from '../gateway/test-gateway.ts'
import { type LlmTestProvider, startLlmProvider } from '../provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../provider/provider.ts'
import { arrive, mint, ownerWith, type Person, register } from './world.ts'

/** A gateway that sells one API and one model, and somebody with 5 USDC and a credential. */
export type SmallMarket = {
  readonly on: TestGateway
  /** Behind the API. */
  readonly server: TestProvider
  /** Behind the model `ferryman`, which speaks OpenAI's API. */
  readonly model: LlmTestProvider
  readonly owner: Person
  readonly credential: { readonly token: string; readonly id: string }
  /** Looks at the books once more, and stops everything. */
  close(): Promise<void>
}

/** @param api the API that is sold, and for how much */
export async function openSmallMarket(api: {
  priceUsdc: string
  manifest: { agentToolName: string; serviceName: string }
}): Promise<SmallMarket> {
  const [on, server, model] = await Promise.all([startTestGateway(), startProvider(), startLlmProvider()])
  const owner = await ownerWith(on, '5')
  const credential = await mint(on, owner)
  const provider = await arrive(on)
  await register(on, provider, { targets: [server.url], ...api })
  const url = `${model.url}/v1/chat/completions`
  await registerModel(on, provider, { url, manifest: { agentToolName: 'ferryman', upstreamModel: 'm-1' } })
  return {
    on,
    server,
    model,
    owner,
    credential,
    async close() {
      await on.assertBooks()
      await Promise.all([server.stop(), model.stop()])
      await on.stop()
    },
  }
}
