import type { ApiServiceSummary, LlmServiceSummary } from '@farebox/wire/services'
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Offered, toolOf } from './mcp-tool-rules.ts'

const standing = {
  serviceId: 'svc_1',
  serviceName: 'Weather',
  agentToolName: 'weather',
  summary: '',
  description: '',
  tags: [],
  status: 'active',
  isActive: true,
  runtimeAvailable: true,
  targetVerified: false,
  ownerAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
} as const

const call = {
  request: {},
  method: 'POST',
  encoding: 'json',
  placeholders: [],
} as const

const api: Offered & ApiServiceSummary = {
  ...standing,
  ...call,
  serviceKind: 'api',
  priceModel: 'fixed',
  pricing: { amount: '0.010000', currency: 'USDC' },
}

const prices = { inputPricePer1MTokensUsdc: '0.150000', outputPricePer1MTokensUsdc: '0.600000' }
const llm: Offered & LlmServiceSummary = {
  ...standing,
  ...call,
  ...prices,
  serviceKind: 'llm',
  priceModel: 'token_metered',
  defaultMaxOutputTokens: 4_096,
  maxAutoHoldUsdc: '1.000000',
  holdBufferMultiplier: 1.2,
  llmDialect: 'openai',
  modelFamily: null,
  modelKind: 'chat',
  inputModalities: null,
  cacheReadPricePer1M: null,
  cacheWritePricePer1M: null,
  mediaTokens: 2_000,
  contextTokens: null,
  pricing: { ...prices, currency: 'USDC' },
}

const none = new Set<string>()

test('a tool is valid for clients whatever the request schema of its service', () => {
  // The prefix `x-` keeps generated keywords apart from those with a form of their own.
  const keyword = fc.string().map(text => `x-${text}`)
  const schema = fc.oneof(fc.boolean(), fc.dictionary(keyword, fc.jsonValue()))
  const type = fc.constantFrom('object', 'string', ['object', 'null'], ['string', 'object'])
  const properties = fc.dictionary(fc.string(), schema)
  const objectSchema = fc.record(
    { type, properties, required: fc.array(fc.string()), anyOf: fc.array(schema) },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(schema, objectSchema), body => {
      for (const service of [api, llm]) {
        const tool = toolOf({ ...service, request: { body } }, none)
        expect(ToolSchema.safeParse(tool).error).toBeUndefined()
      }
    }),
  )
})

test('a description states the owner and the price, then the text of the service, truncated to 1,024 characters', () => {
  const provided = 'Provided by 0x70997970C51812dc3A010C7d01b50e0d17dc79C8.'
  expect(toolOf(api, none).description).toBe(`${provided} A call costs 0.010000 USDC.\n\nWeather`)
  const free = { ...api, summary: 'Tells it.', pricing: { amount: '0.000000', currency: 'USDC' } } as const
  expect(toolOf(free, none).description).toBe(`${provided} A call is free.\n\nTells it.`)
  const said = (description: string) =>
    toolOf({ ...api, description }, none).description.replace(/^.*\n\n/, '')
  expect(said('x'.repeat(1_024))).toBe('x'.repeat(1_024))
  expect(said('x'.repeat(10_000))).toBe(`${'x'.repeat(1_023)}…`)
  expect(said(`x${'\u{1f600}'.repeat(1_000)}`)).toBe(`x${'\u{1f600}'.repeat(511)}…`)
  expect(toolOf(llm, none).description).toContain(
    '0.150000 USDC per million input tokens and 0.600000 USDC per million output tokens',
  )
  const cached = { ...llm, cacheReadPricePer1M: '0.015000', cacheWritePricePer1M: '9.000000' }
  expect(toolOf(cached, none).description).toContain(
    '0.150000 (cached: up to 9.000000) USDC per million input tokens',
  )
})

test('an LLM service takes the arguments of its API unless its manifest declares a body', () => {
  expect(toolOf(llm, none).inputSchema.properties).toHaveProperty('stop')
  expect(toolOf({ ...llm, llmDialect: 'anthropic' }, none).inputSchema.properties).toHaveProperty('system')
  const vectors = { ...llm, modelKind: 'embeddings', outputPricePer1MTokensUsdc: '0.000000' } as const
  expect(toolOf(vectors, none).inputSchema.required).toEqual(['input'])
  expect(toolOf(vectors, none).description).not.toContain('output')
  const body = { type: 'object', properties: { input: { type: 'string' } } }
  expect(toolOf({ ...llm, request: { body } }, none).inputSchema).toEqual(body)
})

test('a service never takes the name of a built-in tool', () => {
  expect(toolOf(api, none).name).toBe('weather')
  expect(toolOf(api, new Set(['weather'])).name).toBe('svc_1')
})
