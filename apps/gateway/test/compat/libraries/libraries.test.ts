import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { balanceOf } from '../../kit/world/world.ts'
import { type ModelFixture, startModelFixture } from '../model-fixture.ts'
import { agentsSdk } from './agents-sdk.ts'
import { aiSdk } from './ai-sdk.ts'
import { langChain } from './langchain.ts'
import type { Account, Library, Said } from './library.ts'

const PROMPT = 'Tell me of the sea.'

let fixture: ModelFixture
let account: Account

beforeAll(async () => {
  fixture = await startModelFixture()
  await fixture.offer('chat-model', '/v1/chat/completions')
  await fixture.offer('claude-model', '/v1/messages', { llmDialect: 'anthropic' })
  const { token: apiKey } = await fixture.credential()
  account = { url: fixture.on.url, apiKey, chatModel: 'chat-model', messagesModel: 'claude-model' }
})
afterAll(async () => {
  await fixture.assertCharges()
  await fixture.stop()
})

/**
 * Returns the value that a library derives from a number of requests. Expects that it counts the same tokens as the
 * provider, and that the owner paid for them.
 */
async function billed<Value>(requests: number, work: () => Promise<Said<Value>>): Promise<Value> {
  const from = fixture.provider.calls.length
  const before = (await balanceOf(fixture.on, fixture.owner)).available
  const { value, input, output } = await work()
  const seen = fixture.provider.calls.slice(from).map(({ tokens }) => tokens)
  expect(seen).toHaveLength(requests)
  const sum = (name: 'input' | 'output') => seen.reduce((total, tokens) => total + (tokens?.[name] ?? 0), 0)
  expect({ input, output }).toEqual({ input: sum('input'), output: sum('output') })
  const after = await balanceOf(fixture.on, fixture.owner)
  expect(after).toMatchObject({ available: before - fixture.costSince(from), held: 0n })
  return value
}

const libraries = [aiSdk, langChain, agentsSdk].flatMap(all => Object.entries(all))

describe.each(libraries)('%s', (_, make) => {
  let library: Library
  beforeEach(() => {
    library = make(account)
  })

  test('receives a complete answer with its usage, which it is charged', async () => {
    expect(await billed(1, () => library.ask(PROMPT))).toContain('far bank')
  })

  test('receives a stream in pieces with its usage, which it is charged', async () => {
    const pieces = await billed(1, () => library.stream(PROMPT))
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('')).toBe((await library.ask(PROMPT)).value)
  })

  test('calls a tool and continues with its result, charged for both requests', async () => {
    const text = await billed(2, () => library.useTool('Use read_fare for Lisbon.'))
    expect(text).toContain('Lisbon costs 17 coins')
  })

  test('continues a conversation with the answer so far, charged for both requests', async () => {
    const from = fixture.provider.calls.length
    const [first = '', second] = await billed(2, () => library.converse(PROMPT, 'And of the wind?'))
    expect(second).not.toBe('')
    expect(JSON.stringify(fixture.provider.calls[from + 1]?.body)).toContain(JSON.stringify(first))
  })

  test('receives a structured answer that matches its schema, charged by its usage', async () => {
    const value = await billed(1, () => library.structured('Lisbon takes 4 coins.'))
    expect(value).toEqual({ port: 'Lisbon', coins: 4 })
  })
})
