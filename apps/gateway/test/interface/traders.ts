import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Answer, type Sent, send } from '../kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../kit/provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { arrive, type Person } from '../kit/world/world.ts'

/** Price of a call of the service at a fixed price. */
export const PRICE = '0.050000'
/** Prices of the model, USDC per million tokens. */
export const TOKEN_PRICES = { input: 1.5, output: 6 } as const

/** Credential limits that never apply here. */
export const AMPLE = { maxCalls: 100, creditLimit: 5, rpm: 600 }

/** A gateway, an owner and a provider with a wallet each, and the provider's services. */
export type Traders = Awaited<ReturnType<typeof startTraders>>

/** Starts them, without deposits, services or credentials. */
export async function startTraders() {
  const [on, upstream, model] = await Promise.all([startTestGateway(), startProvider(), startLlmProvider()])
  const [owner, provider] = await Promise.all([arrive(on), arrive(on)])
  return {
    on,
    upstream,
    model,
    owner,
    provider,
    ...requests({ on, owner }),
    ...manifests({ upstream, model }),
    async stop() {
      await on.assertBooks()
      await on.stop()
      await Promise.all([upstream.stop(), model.stop()])
    },
  }
}

function requests({ on, owner }: { on: TestGateway; owner: Person }) {
  /** Sends a request to any path, signed in or not. */
  const ask = <Body = Record<string, unknown>>(who: Person | null, path: string, sent: Sent = {}) =>
    send<Body>(on.url, path, { ...(who && { token: who.token }), ...sent })
  /** POST below `/api/v1`. */
  const post = <Body = Record<string, unknown>>(who: Person | null, path: string, body: unknown) =>
    ask<Body>(who, `/api/v1${path}`, { method: 'POST', body })
  return {
    ask,
    post,
    /** Mints a credential with the body of the interface. */
    async issue(limits: { maxCalls: number; creditLimit: number; rpm: number }) {
      type Issued = Answer<{ code: string; credential: { token: string } }>
      const body = { name: 'research agent', ...limits }
      const answer: Issued = await post(owner, '/credentials/agent/issue', body)
      return { ...answer, agent: { token: answer.body.credential?.token } }
    },
  }
}

function manifests({ upstream, model }: { upstream: TestProvider; model: LlmTestProvider }) {
  return {
    /** Registers a fixed-price service with every field of the interface. */
    apiManifest: () => ({
      serviceName: 'Weather Forecast',
      agentToolName: 'weather_forecast',
      summary: 'Hourly forecasts.',
      pricing: { currency: 'USDC', amount: PRICE },
      invoke: {
        method: 'POST',
        targets: [{ url: upstream.url, weight: 1 }],
        request: { body: { type: 'object' } },
        response: { body: { type: 'object' } },
      },
      tags: ['weather', 'climate'],
      providerProfile: { roles: ['meteorologist'] },
    }),
    /** Registers a model, likewise. */
    llmManifest: () => ({
      serviceName: 'Small Model',
      agentToolName: 'small_model',
      summary: 'Writes on.',
      serviceKind: 'llm',
      priceModel: 'token_metered',
      inputPricePer1MTokensUsdc: TOKEN_PRICES.input.toFixed(6),
      outputPricePer1MTokensUsdc: TOKEN_PRICES.output.toFixed(6),
      defaultMaxOutputTokens: 256,
      maxAutoHoldUsdc: '0.010000',
      invoke: { method: 'POST', targets: [{ url: `${model.url}/v1/chat/completions`, weight: 1 }] },
    }),
  }
}
