import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import { promisify } from 'node:util'
import { usdc } from '@farebox/money'
import type { Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, openCli } from '../../../packages/cli/test/kit/cli.ts'
import { registerModel } from '../../gateway/test/kit/llm/llm-market.ts'
import { callTool, connectMcp, textOf } from '../../gateway/test/kit/network/mcp-client.ts'
import { type LlmTestProvider, startLlmProvider } from '../../gateway/test/kit/provider/llm-provider.ts'
import { startProvider, type TestProvider } from '../../gateway/test/kit/provider/provider.ts'
import { newWallet, signIn } from '../../gateway/test/kit/world/wallets.ts'
import { arrive, deposit, register } from '../../gateway/test/kit/world/world.ts'
import { giveGas, newSettler } from '../../gateway/test/kit/world/x402-client.ts'
import { expectAccessibleInBothThemes } from './kit/axe.ts'
import { type ConsoleFixture, openConsole, visitAs } from './kit/browser.ts'

const TEST_MS = 120_000
const PHONE = { width: 360, height: 740 }
const WALLET_KEY = generatePrivateKey()
const REPLY = 'Whoever crosses, with an obol.'

const exec = promisify(execFile)

let fixture: ConsoleFixture
let server: TestProvider
let llm: LlmTestProvider
let cli: Cli
let page: Page

beforeAll(async () => {
  const settler = newSettler()
  ;[fixture, server, llm, cli] = await Promise.all([
    openConsole({ env: { ...settler.env, PROBE_INTERVAL_SECONDS: '86400' } }),
    startProvider(),
    startLlmProvider(),
    openCli(),
  ])
  await giveGas(fixture.on.chain, settler.address)
  await fixture.on.chain.fund(privateKeyToAccount(WALLET_KEY).address, usdc(5_000_000n))
  await cli.write('farebox', `#!/bin/sh\nexec '${process.execPath}' '${cli.program}' "$@"\n`, 0o700)
  server.respondWith((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"sky":"clear"}'),
  )
  llm.bend({ reply: REPLY })
  const provider = await arrive(fixture.on)
  const city = { type: 'string', example: "Nuku'alofa" }
  await register(fixture.on, provider, {
    targets: [server.url],
    priceUsdc: '0.01',
    manifest: { serviceName: 'Weather', agentToolName: 'weather' },
    invoke: { request: { body: { type: 'object', properties: { city } } } },
  })
  for (const [agentToolName, llmDialect, path] of [
    ['ferryman', 'openai', 'chat/completions'],
    ['oarsman', 'anthropic', 'messages'],
  ] as const) {
    await registerModel(fixture.on, provider, {
      url: `${llm.url}/v1/${path}`,
      manifest: { agentToolName, llmDialect },
    })
  }
  await registerModel(fixture.on, provider, {
    url: `${llm.url}/v1/embeddings`,
    manifest: { agentToolName: 'vectors', llmDialect: 'openai', outputPricePer1MTokensUsdc: '0' },
  })
  const account = newWallet()
  await deposit(fixture.on, { account, token: await signIn(fixture.on.url, account) }, '5')
  ;({ page } = await visitAs(fixture, '/services/weather', account))
}, 240_000)
afterAll(async () => {
  await fixture.stop()
  await Promise.all([server.stop(), llm.stop(), cli.remove()])
})

const code = () => page.getByRole('figure', { name: /^Code that calls/ })

/** Returns what the copy button of a tab copies. */
async function copied(label: string): Promise<string> {
  await code().getByRole('button', { name: label, exact: true }).click()
  await code()
    .getByRole('button', { name: `Copy ${label}` })
    .click()
  await code().getByRole('button', { name: 'Copied' }).waitFor()
  return page.evaluate('navigator.clipboard.readText()')
}

/** Runs copied code as it is, without a variable that it could take a credential from; returns its output. */
async function run(label: string, text: string): Promise<string> {
  const isShell = label === 'curl' || label === 'CLI'
  const args = isShell ? ['-c', text] : ['--input-type=module', '-e', text]
  const env = { PATH: [cli.home, process.env.PATH].join(delimiter), HOME: cli.home, WALLET_KEY }
  const { stdout } = await exec(isShell ? 'sh' : process.execPath, args, { env })
  return stdout
}

/** Connects an MCP client with copied settings and calls a tool; returns the text of its answer. */
async function callByMcp(settings: string, tool: string, args: Record<string, unknown>): Promise<string> {
  const { url, headers } = JSON.parse(settings).mcpServers.farebox
  const client = await connectMcp({ url }, { token: headers.Authorization.replace('Bearer ', '') }, '')
  const result = await callTool(client, tool, args)
  await client.close()
  return textOf(result)
}

test(
  "inserts a credential into the code on a service's page, which then works as pasted",
  async () => {
    await page.getByRole('button', { name: 'Insert a credential' }).click()
    await page.getByText('Copied code includes the credential of this tab').waitFor()
    const labels = ['curl', 'CLI', '@farebox/client', 'TypeScript', 'x402', 'MCP']
    for (const [index, label] of labels.entries()) {
      const text = await copied(label)
      expect(await code().textContent()).not.toMatch(/agt_\w{8}/)
      const city = "Nuku'alofa"
      const output = label === 'MCP' ? await callByMcp(text, 'weather', { city }) : await run(label, text)
      expect(output, label).toMatch(/sky.*clear/s)
      expect(server.calls.map(({ body }) => body)).toEqual(Array(index + 1).fill('{"city":"Nuku\'alofa"}'))
    }
    // Each is a call of its own, not the stored answer of the other.
    const text = await copied('curl')
    await Promise.all([1, 2, 3].map(() => run('curl', text)))
    expect(server.calls).toHaveLength(labels.length + 3)
    expect(await copied('Python')).toContain("raise SystemExit(f\"{answer['code']}: {answer['message']}\")")
  },
  TEST_MS,
)

test.each([
  ['ferryman', 'OpenAI SDK'],
  ['oarsman', 'Anthropic SDK'],
])(
  'the code on the page of the model %s works as pasted, also with the %s',
  async (model, sdk) => {
    await page.goto(`${fixture.on.url}/services/${model}`)
    for (const label of [sdk, 'CLI', '@farebox/client', 'AI SDK', 'curl', 'x402'])
      expect(await run(label, await copied(label)), label).toContain(REPLY)
    expect(await copied('Python')).toMatch(/\nprint\(/)
    const messages = [{ role: 'user', content: 'Who pays?' }]
    expect(await callByMcp(await copied('MCP'), model, { messages })).toContain(REPLY)
    await fixture.on.assertBooks()
  },
  TEST_MS,
)

test(
  'the code on the page of a model of embeddings works as pasted',
  async () => {
    await page.goto(`${fixture.on.url}/services/vectors`)
    for (const label of ['OpenAI SDK', 'CLI', '@farebox/client', 'TypeScript', 'curl', 'x402'])
      expect(await run(label, await copied(label)), label).toMatch(/embedding|more items/)
    await fixture.on.assertBooks()
  },
  TEST_MS,
)

test(
  'the code on a page fits a phone, and shows visitors where their credential goes',
  async () => {
    await page.setViewportSize(PHONE)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    await expectAccessibleInBothThemes(page)
    const { page: visitors } = await fixture.visit('/services/weather')
    await expect.poll(() => visitors.getByRole('figure').first().textContent()).toContain('agt_...')
    expect(await visitors.getByRole('button', { name: 'Insert a credential' }).count()).toBe(0)
  },
  TEST_MS,
)
