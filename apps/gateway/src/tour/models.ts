import { randomUUID } from 'node:crypto'
import Anthropic from '@anthropic-ai/sdk'
import type { Bill, Client } from '@farebox/client'
import { formatUsdc, mulDivCeil, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import OpenAI from 'openai'
import { connect } from './api.ts'
import type { Narrator } from './narrator.ts'

/** The sample models of development mode. */
const CHAT_MODEL = 'sample-llm'
const MESSAGES_MODEL = 'sample-messages'
const FIXED_TOOL = 'echo'
const CREDIT_LIMIT = parseUsdc('0.5')
const MAX_TOKENS = 60
const TOKENS_PER_PRICE = 1_000_000n

type Stage = {
  readonly url: string
  /** The prompt. */
  readonly visitor: Client
  readonly narrator: Narrator
}

type Usage = Pick<NonNullable<Bill['usage']>, 'inputTokens' | 'outputTokens'>

/** Prices of a model, micro-USDC per million tokens. */
type Prices = { readonly input: Usdc; readonly output: Usdc }

/**
 * Shows models: a stream with its bill, the official packages of OpenAI and Anthropic, and the tools of the Model
 * Context Protocol. Recomputes every charge from usage and price.
 *
 * @param owner client of the owner who pays
 * @returns the amount spent, micro-USDC
 */
export async function useModels(stage: Stage, owner: Client): Promise<Usdc> {
  const { narrator } = stage
  narrator.step(`The owner mints a credential for models, good for ${formatUsdc(CREDIT_LIMIT)} USDC`)
  const body = { name: 'tour of models', creditLimit: formatUsdc(CREDIT_LIMIT) }
  const { token: credential } = await owner.issueCredential({ body })
  narrator.report(`${credential.slice(0, 8)}… is the API key of every client below`)

  const charges = [
    await streamFromModel(stage, credential),
    await useOpenAiPackage(stage, credential),
    await useAnthropicPackage(stage, credential),
    await useTools(stage, credential),
  ]
  return usdc(charges.reduce((sum, charge) => sum + charge, 0n))
}

async function streamFromModel({ url, visitor, narrator }: Stage, credential: string): Promise<Usdc> {
  narrator.step('The agent streams from a model, and the bill comes last')
  const prices = await pricesOf(visitor, CHAT_MODEL)
  const messages = [{ role: 'user', content: 'What does a ferryman do with a fare?' }]
  const stream = await connect(url, { credential }).stream('invokeService', {
    idempotencyKey: randomUUID(),
    body: {
      serviceId: CHAT_MODEL,
      payload: { body: { messages, max_tokens: MAX_TOKENS, stream: true } },
    },
  })
  narrator.live('“')
  for await (const { event, data } of stream) {
    if (event === 'message' && data !== '[DONE]') narrator.live(textOf(data))
  }
  narrator.live('”\n')
  const { bill } = stream
  if (bill === null || bill.usage === null) throw new Error('The stream ended without its bill.')
  const { chargedUsdc: charged, holdUsdc, releasedUsdc, usage } = bill
  return reportBill(narrator, { prices, usage, charged, holdUsdc, releasedUsdc })
}

async function useOpenAiPackage({ url, visitor, narrator }: Stage, credential: string): Promise<Usdc> {
  narrator.step('The openai package, unmodified: only baseURL and apiKey are ours')
  const prices = await pricesOf(visitor, CHAT_MODEL)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: credential })
  const { data, response } = await client.chat.completions
    .create({
      model: CHAT_MODEL,
      messages: [{ role: 'user', content: 'Who pays the ferryman?' }],
      max_tokens: MAX_TOKENS,
    })
    .withResponse()
  narrator.report(`“${data.choices[0]?.message.content}”`)
  const { prompt_tokens: inputTokens = -1, completion_tokens: outputTokens = -1 } = data.usage ?? {}
  return reportBill(narrator, { prices, usage: { inputTokens, outputTokens }, ...billIn(response.headers) })
}

async function useAnthropicPackage({ url, visitor, narrator }: Stage, credential: string): Promise<Usdc> {
  narrator.step('The @anthropic-ai/sdk package, unmodified')
  const prices = await pricesOf(visitor, MESSAGES_MODEL)
  const client = new Anthropic({ baseURL: url, apiKey: credential })
  const { data, response } = await client.messages
    .create({
      model: MESSAGES_MODEL,
      messages: [{ role: 'user', content: 'Who pays the ferryman?' }],
      max_tokens: MAX_TOKENS,
    })
    .withResponse()
  narrator.report(`“${data.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('')}”`)
  const { input_tokens: inputTokens, output_tokens: outputTokens } = data.usage
  return reportBill(narrator, { prices, usage: { inputTokens, outputTokens }, ...billIn(response.headers) })
}

async function useTools({ url, visitor, narrator }: Stage, credential: string): Promise<Usdc> {
  narrator.step('The Model Context Protocol: every service is a tool')
  const client = new McpClient({ name: 'farebox-tour', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${credential}` } },
  })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    narrator.report(`tools: ${tools.map(tool => tool.name).join(', ')}`)
    const { service } = await visitor.readService({ path: { id: FIXED_TOOL } })
    if (service.serviceKind !== 'api') throw new Error(`${FIXED_TOOL} has no fixed price.`)
    const result = await client.callTool({ name: FIXED_TOOL, arguments: { hello: 'ferryman' } })
    const charged = String(result._meta?.['farebox/chargedUsdc'])
    narrator.check(result.isError !== true, `${FIXED_TOOL} answered`)
    narrator.amount('charged', charged, parseUsdc(service.pricing.amount))
    return parseUsdc(charged)
  } finally {
    await client.close()
  }
}

/** Reports the cost of a call and checks that it is usage times price, rounded up once. */
function reportBill(
  narrator: Narrator,
  bill: { prices: Prices; usage: Usage; charged: string; holdUsdc: string; releasedUsdc?: string },
): Usdc {
  const { prices, usage, charged, holdUsdc, releasedUsdc } = bill
  const { inputTokens, outputTokens } = usage
  const millionths = BigInt(inputTokens) * prices.input + BigInt(outputTokens) * prices.output
  const expected = usdc(mulDivCeil(millionths, 1n, TOKENS_PER_PRICE))
  narrator.report(`${inputTokens} tokens in, ${outputTokens} out; held ${holdUsdc} USDC`)
  narrator.amount('charged, usage times price rounded up once', charged, expected)
  if (releasedUsdc !== undefined) {
    narrator.amount('released', releasedUsdc, usdc(parseUsdc(holdUsdc) - expected))
  }
  return expected
}

/** Reads the bill in the headers of a compatible API's answer. */
function billIn(headers: Headers): { charged: string; holdUsdc: string } {
  const read = (name: string) => headers.get(name) ?? 'missing'
  return { charged: read('farebox-charged-usdc'), holdUsdc: read('farebox-hold-usdc') }
}

async function pricesOf(visitor: Client, model: string): Promise<Prices> {
  const { service } = await visitor.readService({ path: { id: model } })
  if (service.serviceKind !== 'llm') throw new Error(`${model} is no model.`)
  return {
    input: parseUsdc(service.inputPricePer1MTokensUsdc),
    output: parseUsdc(service.outputPricePer1MTokensUsdc),
  }
}

/** Reads a chunk of a chat completion. */
function textOf(data: string): string {
  const chunk = JSON.parse(data) as { choices?: { delta?: { content?: string | null } }[] }
  return chunk.choices?.[0]?.delta?.content ?? ''
}
