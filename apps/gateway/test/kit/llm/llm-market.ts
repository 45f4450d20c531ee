import { mulDivCeil, type Usdc, usdc } from '@farebox/money'
import { startTestGateway, type TestGateway } from '../gateway/test-gateway.ts'
import { post } from '../network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../provider/llm-provider.ts'
import { newPayer } from '../world/payer.ts'
import { arrive, type Person } from '../world/world.ts'

/** Prices of the market's model, micro-USDC per million tokens. */
export const PRICES = { input: usdc(1_500_000n), output: usdc(6_000_000n) } as const

/** A gateway with a model behind it, an owner with money and a credential. */
export type LlmMarket = TestGateway & {
  readonly model: LlmTestProvider
  readonly provider: Person
  readonly owner: Person
  readonly credential: { readonly token: string; readonly id: string }
  /** Service id of the model's OpenAI side. */
  readonly chat: string
  /** Service id of its Anthropic side. */
  readonly messages: string
}

/** Opens a market for a test file. */
export async function openLlmMarket(
  options: Parameters<typeof startTestGateway>[0] = {},
): Promise<LlmMarket> {
  const [on, model] = await Promise.all([startTestGateway(options), startLlmProvider()])
  const provider = await arrive(on)
  const { owner, ...credential } = await newPayer(on, '100')
  const chat = await registerModel(on, provider, { url: `${model.url}/v1/chat/completions` })
  const messages = await registerModel(on, provider, {
    url: `${model.url}/v1/messages`,
    manifest: { llmDialect: 'anthropic' },
  })
  const stop = async () => {
    await on.stop()
    await model.stop()
  }
  return { ...on, model, provider, owner, credential, chat, messages, stop }
}

/** Registers a model; returns its service id. */
export async function registerModel(
  on: { readonly url: string },
  provider: Person,
  service: { url: string; manifest?: Record<string, unknown> },
): Promise<string> {
  const body = {
    serviceName: 'Test model',
    serviceKind: 'llm',
    priceModel: 'token_metered',
    inputPricePer1MTokensUsdc: '1.5',
    outputPricePer1MTokensUsdc: '6',
    defaultMaxOutputTokens: 256,
    maxAutoHoldUsdc: '1',
    invoke: { method: 'POST', targets: [{ url: service.url, weight: 1 }] },
    ...service.manifest,
  }
  const registered = await post<{ serviceId: string }>(on, '/services', { token: provider.token, body })
  if (registered.status !== 200) throw new Error(JSON.stringify(registered.body))
  return registered.body.serviceId
}

/** Returns the cost of tokens on the market, rounded up once. */
export function costOf(tokens: { input: number; output: number }): Usdc {
  const millionths = BigInt(tokens.input) * PRICES.input + BigInt(tokens.output) * PRICES.output
  return usdc(mulDivCeil(millionths, 1n, 1_000_000n))
}

/** A server-sent event. */
export type SeenEvent = { readonly name: string; readonly data: string; readonly comment: string }

/** Parses server-sent events. */
export function eventsOf(text: string): SeenEvent[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
    .filter(block => block !== '')
    .map(block => {
      const lines = block.split('\n')
      const of = (field: string) =>
        lines.flatMap(line =>
          line.startsWith(`${field}:`) ? [line.slice(field.length + 1).trimStart()] : [],
        )
      return { name: of('event')[0] ?? '', data: of('data').join('\n'), comment: of('').join('\n') }
    })
}

/** Sends POST /agent/invoke and reads the answer to its end. */
export async function invokeStream(
  on: { readonly url: string },
  credential: { readonly token: string },
  body: Record<string, unknown>,
): Promise<{ status: number; headers: Headers; text: string; events: SeenEvent[] }> {
  const response = await fetch(`${on.url}/api/v1/agent/invoke`, {
    method: 'POST',
    headers: { 'x-credential': credential.token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, events: eventsOf(text) }
}

/** Returns a request to the model. */
export const chatBody = (more: Record<string, unknown> = {}) => ({
  model: 'test-model',
  messages: [{ role: 'user', content: 'What does the ferry cost?' }],
  max_tokens: 40,
  ...more,
})
