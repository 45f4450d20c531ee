import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { startTokenForwarder, type TokenForwarder } from '../kit/network/token-forwarder.ts'
import { type Respond, sendJson, startProvider, type TestProvider } from '../kit/provider/provider.ts'
import { balanceOf, mint, ownerWith, type Person, register } from '../kit/world/world.ts'

// Runs the official conformance suite, @modelcontextprotocol/conformance, against services that have the names of its tools.

const MODULES = join(import.meta.dirname, '../../../../node_modules')
const SUITE = join(MODULES, '@modelcontextprotocol/conformance/dist/index.js')
/** The suite needs a newer Node than the gateway does. */
const NODE = join(MODULES, '.bin/node')
const RUN_MS_MAX = 60_000
const PRICE = '0.010000'
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'dns-rebinding-protection',
] as const
/** Notifications that the suite wants to see of one call. */
const NOTIFICATIONS = 3
/** Pixel of a PNG, and the head of a WAV. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

let on: TestGateway
let provider: TestProvider
let forwarder: TokenForwarder
let owner: Person
let runs: ReadonlyMap<string, Promise<{ stdout: string }>>
/** Answers the call that waits for its notifications. */
let answerSlow: () => void = () => undefined

const sendMedia =
  (type: string, base64: string): Respond =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(Buffer.from(base64, 'base64'))

/** Provider behind each tool of the suite, by path. */
const tools: Readonly<Record<string, Respond>> = {
  test_simple_text: (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end('This is a simple text response.'),
  test_image_content: sendMedia('image/png', PNG),
  test_audio_content: sendMedia('audio/wav', WAV),
  test_error_handling: (_, response) => sendJson(response, 500, { why: 'on purpose' }),
  test_tool_with_progress: (_, response) => {
    answerSlow = () => sendJson(response, 200, { done: true })
  },
  json_schema_2020_12_tool: (_, response) => sendJson(response, 200, {}),
}
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
}

beforeAll(async () => {
  ;[provider, forwarder] = await Promise.all([startProvider(), startTokenForwarder()])
  on = await startTestGateway({ env: { CORS_ORIGINS: forwarder.origin } })
  owner = await ownerWith(on, '10')
  provider.respondWith((call, response, request) => tools[call.url.slice(1)]?.(call, response, request))
  await Promise.all(
    Object.keys(tools).map(agentToolName => {
      const request = agentToolName.startsWith('json_schema') ? { request: { body: schema } } : {}
      const targets = [provider.url + agentToolName]
      return register(on, owner, { targets, priceUsdc: PRICE, manifest: { agentToolName }, invoke: request })
    }),
  )
  const { token } = await mint(on, owner, { allowedServices: Object.keys(tools) })
  forwarder.forwardTo(on.url, token)
  let notifications = 0
  forwarder.onAnswered(piece => {
    if (!piece.includes('"notifications/progress"')) return
    notifications += 1
    if (notifications === NOTIFICATIONS) answerSlow()
  })
  runs = new Map(SCENARIOS.map(scenario => [scenario, run(scenario)]))
})
afterAll(async () => {
  await on.assertBooks()
  await Promise.all([on.stop(), provider.stop(), forwarder.stop()])
})

/** Exits with an error, and what the suite says, when a check fails. */
async function run(scenario: string): Promise<{ stdout: string }> {
  const args = [SUITE, 'server', '--url', `${forwarder.origin}/mcp`, '--scenario', scenario]
  return promisify(execFile)(NODE, args, { timeout: RUN_MS_MAX }).catch((error: { stdout?: string }) => {
    throw new Error(`${scenario}: ${error.stdout}`, { cause: error })
  })
}

test.each(SCENARIOS)('passes the scenario %s of the official MCP conformance suite', async scenario => {
  const { stdout = '' } = (await runs.get(scenario)) ?? {}
  const [, passed, all, failed, warnings] =
    /Passed: (\d+)\/(\d+), (\d+) failed, (\d+) warnings/.exec(stdout) ?? []
  expect(Number(passed)).toBeGreaterThan(0)
  expect({ passed, failed, warnings }).toEqual({ passed: all, failed: '0', warnings: '0' })
})

test('charges the calls of the conformance suite except the failed one', async () => {
  await Promise.all(runs.values())
  const { available, held } = await balanceOf(on, owner)
  // Text, image, sound and the slow call; what the owner earned by them is receivable.
  expect({ available, held }).toEqual({ available: 9_960_000n, held: 0n })
})
