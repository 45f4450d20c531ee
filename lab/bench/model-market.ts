import { formatUsdc, mulDivCeil, type Usdc, usdc } from '@farebox/money'
import { createApi } from './api.ts'
import { type Accounts, freshWallet, inLanes, registerService } from './market.ts'
import type { Script, Target } from './messages.ts'
import type { BenchGateway } from './site.ts'

/** Owners that the streams are spread over, beside the hot one. */
export const MODEL_OWNERS = 9
/** Micro-USDC per million tokens: odd, so that nearly every charge has something to round. */
const PRICES = { input: usdc(1_234_567n), output: usdc(6_000_001n) } as const
const TOKENS_PER_PRICE = 1_000_000n

/** A model and a service of fixed price at the same provider's server, and owners who can pay for both. */
export type ModelMarket = Accounts & {
  /** Calls of the model (service 0), by owner. */
  readonly model: readonly Target[]
  /** The first owner's calls of the service with a fixed price (service 1). */
  readonly fixed: Target
}

/** What tokens cost: usage times price, rounded up once per call. */
export function costOf({ inputTokens, outputTokens }: Script): Usdc {
  const millionths = BigInt(inputTokens) * PRICES.input + BigInt(outputTokens) * PRICES.output
  return usdc(mulDivCeil(millionths, 1n, TOKENS_PER_PRICE))
}

/** Has providers sign in at a gateway and register both services; the owners are those of its database. */
export async function openModelMarket(options: {
  gateway: BenchGateway
  modelUrl: string
  price: Usdc
}): Promise<ModelMarket> {
  const { gateway, modelUrl, price } = options
  const { owners, reconcile } = gateway
  const api = createApi(gateway.url)
  const providerTokens = await inLanes(2, () => api.signIn(freshWallet()))
  const [modelProvider = '', fixedProvider = ''] = providerTokens
  const { serviceId } = await api.ok<{ serviceId: string }>('POST', '/api/v1/services', {
    token: modelProvider,
    body: {
      serviceName: 'Bench model',
      agentToolName: 'bench-model',
      summary: 'Says what it is told to.',
      serviceKind: 'llm',
      priceModel: 'token_metered',
      llmDialect: 'openai',
      inputPricePer1MTokensUsdc: formatUsdc(PRICES.input),
      outputPricePer1MTokensUsdc: formatUsdc(PRICES.output),
      invoke: {
        method: 'POST',
        targets: [{ url: `${modelUrl}/v1/chat/completions`, weight: 1 }],
        timeoutMs: 120_000,
      },
    },
  })
  const fixedId = await registerService(api, { token: fixedProvider, index: 1, price, upstreamUrl: modelUrl })
  const { credentials } = owners
  return {
    api,
    reconcile,
    readOwners: owners.balances,
    providerTokens,
    model: credentials.map((credential, owner) => ({ owner, service: 0, serviceId, credential })),
    fixed: { owner: 0, service: 1, serviceId: fixedId, credential: credentials[0] ?? '' },
  }
}
