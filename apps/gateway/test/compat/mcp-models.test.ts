import { formatUsdc, usdc } from '@farebox/money'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { post } from '../kit/network/http.ts'
import { callTool, connectMcp, textOf } from '../kit/network/mcp-client.ts'
import { type LlmTestProvider, startLlmProvider } from '../kit/provider/llm-provider.ts'
import { balanceOf, mint, ownerWith, type Person } from '../kit/world/world.ts'

const PROMPT = { model: 'any', messages: [{ role: 'user', content: 'Say something short.' }] }
const CHAT = '/v1/chat/completions'

let on: TestGateway
let models: LlmTestProvider
let owner: Person
let client: Client

beforeAll(async () => {
  ;[on, models] = await Promise.all([startTestGateway(), startLlmProvider()])
  owner = await ownerWith(on, '10')
  client = await connectMcp(on, await mint(on, owner))
})
afterAll(async () => {
  await client.close()
  await on.assertBooks()
  await Promise.all([on.stop(), models.stop()])
})

/** A model at 1 USDC per million input tokens and 4 per million output tokens. */
async function offer(agentToolName: string, path: string, llmDialect: string): Promise<void> {
  const body = {
    serviceName: 'Model',
    agentToolName,
    serviceKind: 'llm',
    llmDialect,
    defaultMaxOutputTokens: 64,
    inputPricePer1MTokensUsdc: '1',
    outputPricePer1MTokensUsdc: '4',
    maxAutoHoldUsdc: '0.001',
    invoke: { targets: [{ url: models.url + path }] },
  }
  const registered = await post(on, '/services', { token: owner.token, body })
  expect(registered.body).toMatchObject({ status: 'active' })
}

test.each([
  ['openai', CHAT, 'choices'],
  ['anthropic', '/v1/messages', 'content'],
])('a model of %s is a tool, charged by its usage', async (dialect, path, member) => {
  await offer(`model-${dialect}`, path, dialect)
  const { tools } = await client.listTools({ _meta: { 'farebox/query': `model-${dialect}` } })
  expect(tools.at(-1)).toMatchObject({
    name: `model-${dialect}`,
    description: expect.stringContaining('1.000000 USDC per million input tokens'),
    inputSchema: { required: ['messages'], properties: { max_tokens: { type: 'integer' } } },
    _meta: { 'farebox/priceModel': 'token_metered' },
  })
  const before = await balanceOf(on, owner)

  // A stream cannot be passed on here: the answer is whole all the same.
  const result = await callTool(client, `model-${dialect}`, { ...PROMPT, stream: true })

  expect(result.isError).toBeUndefined()
  expect(result.structuredContent).toHaveProperty(member)
  const { tokens } = models.call()
  const [inputTokens, outputTokens] = [tokens?.input ?? 0, tokens?.output ?? 0]
  const cost = usdc(BigInt(inputTokens + 4 * outputTokens))
  expect(outputTokens).toBeGreaterThan(0)
  expect(result._meta).toMatchObject({
    'farebox/chargedUsdc': formatUsdc(cost),
    'farebox/usage': { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  })
  const after = await balanceOf(on, owner)
  expect(after).toMatchObject({ available: before.available - cost, held: 0n })
})

test('explains how to make a call that could cost more than the automatic hold', async () => {
  await offer('model-large', CHAT, 'openai')
  const refused = await callTool(client, 'model-large', { ...PROMPT, max_tokens: 100_000 })
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { code: 'LLM_AUTO_HOLD_LIMIT_EXCEEDED' },
  })
  const affordable = Number(/Lower max_tokens to (\d+) or less/.exec(textOf(refused))?.[1])
  const lowered = await callTool(client, 'model-large', { ...PROMPT, max_tokens: affordable })
  expect(lowered.isError).toBeUndefined()

  const asked = { 'farebox/maxCostUsdc': '0.5' }
  const explicit = await callTool(client, 'model-large', { ...PROMPT, max_tokens: 100_000 }, asked)
  expect(explicit._meta).toMatchObject({ 'farebox/holdUsdc': '0.500000' })
})

test('names the smallest cap that passes when one does not cover the prompt and a token', async () => {
  const calls = models.calls.length
  const refused = await callTool(client, 'model-large', PROMPT, { 'farebox/maxCostUsdc': '0.000001' })
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'LIMIT_EXCEEDED' } })
  const least = /may cost ([0-9.]+) USDC/.exec(textOf(refused))?.[1]
  expect(refused.structuredContent).toMatchObject({ detail: { requiredHoldUsdc: least } })
  expect(models.calls.length).toBe(calls)
  const paid = await callTool(client, 'model-large', PROMPT, { 'farebox/maxCostUsdc': least })
  expect(paid.isError).toBeUndefined()
  expect(models.call().body).toMatchObject({ max_tokens: 1 })
})

test('asks the caller to wait, not to call again, when a model does not report its usage', async () => {
  await offer('model-silent', CHAT, 'openai')
  const payer = await ownerWith(on, '1')
  const caller = await connectMcp(on, await mint(on, payer))
  models.bend({ usage: { replaceBy: undefined } })
  const unclear = await callTool(caller, 'model-silent', PROMPT)
  models.bend({})
  expect(unclear).toMatchObject({
    isError: true,
    structuredContent: { detail: { status: 'PROCESSING', reason: 'usage_missing' } },
  })
  expect(textOf(unclear)).toContain('Do not call again before')
  expect((await balanceOf(on, payer)).held).toBeGreaterThan(0n)
  await caller.close()
})
