import Anthropic from '@anthropic-ai/sdk'
import { parseUsdc } from '@farebox/money'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { heapInUse } from '../kit/heap.ts'
import { registerModel } from '../kit/llm/llm-market.ts'
import {
  markOf,
  type ScriptedModel,
  startScriptedModel,
  type Tokens,
  type Turn,
  tokensOf,
  toolsOf,
} from '../kit/provider/scripted-model.ts'
import { until } from '../kit/until.ts'
import { arrive, balanceOf, mint, ownerWith } from '../kit/world/world.ts'

/** How long the agents work: `AGENT_MINUTES=60 npx vitest run coding-agents` is an hour. */
const MINUTES = Number(process.env.AGENT_MINUTES ?? '0.02')
/** Agents of each API. */
const AGENTS = 3
/** Length of the first stream of each agent, at most and as a share of a shorter run. */
const LONG_STREAM_SECONDS = 600
const LONG_STREAM_SHARE = 1 / 3
const WORD_MS = 30
/** Every so many turns, an agent hangs up in the middle and asks again with its key. */
const CUT_EVERY = 4
/** Turns of an agent in the shortest run: a long one, one with a cut, one more. */
const TURNS_MIN = 3
const RETRIES_MAX = 200
const RETRY_MS = 100
const SLACK_MS = 60_000
/** Growth of the heap that is none: what caches and plans take once. */
const HEAP_GROWTH_MAX = 48 * 1_048_576
/** The share of a run after which caches are filled. */
const WARM_SHARE = 1 / 3
/** Micro-USDC per million tokens. */
const PRICES = { uncached: 3_000_000n, read: 300_000n, written: 3_750_000n, output: 15_000_000n }
/** What an agent sends with each turn: its instructions and the files that it has read. */
const CONTEXT = 'You write code. '.repeat(2_000)
const FUNDS = '500'

/** Asks for a turn and returns the arguments of the tools that it calls. Hangs up after the first words if `isCut`. */
type Ask = (turn: Turn, how: { key: string; isCut: boolean }) => Promise<string[]>

let gateway: TestGateway
let model: ScriptedModel
beforeAll(async () => {
  ;[gateway, model] = await Promise.all([startTestGateway(), startScriptedModel()])
  const provider = await arrive(gateway)
  const offers = { 'scripted-anthropic': '/v1/messages', 'scripted-openai': '/v1/chat/completions' }
  for (const [agentToolName, path] of Object.entries(offers)) {
    const url = model.url + path
    await registerModel(gateway, provider, {
      url,
      manifest: {
        agentToolName,
        llmDialect: agentToolName.replace('scripted-', ''),
        inputPricePer1MTokensUsdc: '3',
        outputPricePer1MTokensUsdc: '15',
        cacheReadPricePer1M: '0.3',
        cacheWritePricePer1M: '3.75',
        invoke: { method: 'POST', targets: [{ url, weight: 1 }], streamMaxMs: 3_600_000 },
      },
    })
  }
})
afterAll(async () => {
  await gateway.stop()
  await model.stop()
})

test(
  'bills agents that stream for long, cache, count, call tools and retry after a cut the scripted usage',
  async () => {
    const owner = await ownerWith(gateway, FUNDS)
    const end = performance.now() + MINUTES * 60_000
    const longWords = (Math.min(LONG_STREAM_SECONDS, MINUTES * 60 * LONG_STREAM_SHARE) * 1_000) / WORD_MS
    let turns = 0
    let due = 0n
    const work = async (index: number): Promise<void> => {
      const { token } = await mint(gateway, owner)
      const ask = index < AGENTS ? anthropicAgent(token) : openAiAgent(token)
      for (let own = 0; performance.now() < end || own < TURNS_MIN; own += 1) {
        const chunks = own === 0 ? Math.floor(longWords) : 5 + (own % 10)
        const script = { turn: turns++, chunks, paceMs: WORD_MS }
        const key = `turn-${script.turn}`
        if (own % CUT_EVERY === 1) await ask(script, { key, isCut: true })
        expect(await ask(script, { key, isCut: false })).toEqual(toolsOf(script))
        due += costOf(tokensOf(script))
      }
    }
    const warm = Promise.withResolvers<number>()
    const warming = setTimeout(() => warm.resolve(heapInUse()), MINUTES * 60_000 * WARM_SHARE)
    await Promise.all(Array.from({ length: 2 * AGENTS }, (_, index) => work(index))).finally(() =>
      clearTimeout(warming),
    )
    await until('nothing is held', async () => (await balanceOf(gateway, owner)).held === 0n)
    const { available } = await balanceOf(gateway, owner)
    expect(parseUsdc(FUNDS) - available).toBe(due)
    expect([...model.asked.values()].filter(times => times !== 1)).toEqual([])
    expect(heapInUse() - (await warm.promise)).toBeLessThan(HEAP_GROWTH_MAX)
    await gateway.assertBooks()
    process.stdout.write(`coding agents: ${turns} turns, ${due} micro-USDC\n`)
  },
  MINUTES * 60_000 + LONG_STREAM_SECONDS * 1_000 + SLACK_MS,
)

function costOf({ uncached, read, written, output }: Tokens): bigint {
  const millionths =
    BigInt(uncached) * PRICES.uncached +
    BigInt(read) * PRICES.read +
    BigInt(written) * PRICES.written +
    BigInt(output) * PRICES.output
  return (millionths + 999_999n) / 1_000_000n
}

function anthropicAgent(apiKey: string): Ask {
  const client = new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
  return async (script, { key, isCut }) => {
    const asked = {
      model: 'scripted-anthropic',
      system: [{ type: 'text' as const, text: CONTEXT, cache_control: { type: 'ephemeral' as const } }],
      messages: [{ role: 'user' as const, content: markOf(script) }],
    }
    const { uncached, read, written } = tokensOf(script)
    expect(await client.messages.countTokens(asked)).toEqual({ input_tokens: uncached + read + written })
    return onceOver(async () => {
      const options = { headers: { 'Idempotency-Key': key } }
      const events = await client.messages.create(
        { ...asked, max_tokens: 2 * script.chunks + 100, stream: true },
        options,
      )
      const called: string[] = []
      for await (const event of events) {
        if (event.type !== 'content_block_delta') continue
        if (isCut) break
        if (event.delta.type === 'input_json_delta') called.push(event.delta.partial_json)
      }
      return called
    })
  }
}

function openAiAgent(apiKey: string): Ask {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  return (script, { key, isCut }) =>
    onceOver(async () => {
      const messages = [
        { role: 'system' as const, content: CONTEXT },
        { role: 'user' as const, content: markOf(script) },
      ]
      const bounds = { max_tokens: 2 * script.chunks + 100, stream_options: { include_usage: true } }
      const stream = await client.chat.completions.create(
        { model: 'scripted-openai', messages, ...bounds, stream: true },
        { headers: { 'Idempotency-Key': key } },
      )
      const called: string[] = []
      let usage: unknown = null
      for await (const chunk of stream) {
        if (isCut) break
        usage = chunk.usage ?? usage
        called.push(...(chunk.choices[0]?.delta.tool_calls ?? []).map(call => call.function?.arguments ?? ''))
      }
      const cost = Number(costOf(tokensOf(script))) / 1e6
      if (!isCut) expect(usage).toMatchObject({ completion_tokens: tokensOf(script).output, cost })
      return called
    })
}

/** Asks again while the first attempt with the same key is running, or the gateway is overloaded. */
async function onceOver(ask: () => Promise<string[]>): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      const isBusy =
        error instanceof Error && 'status' in error && (error.status === 409 || error.status === 503)
      if (!isBusy || tries === RETRIES_MAX) throw error
      await new Promise(done => setTimeout(done, RETRY_MS))
    }
  }
}
