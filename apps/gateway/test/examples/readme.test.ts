import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NewcomersGateway, startByCommand } from '../kit/gateway/npm-start.ts'
import { runProgram } from '../proof/programs.ts'

const TIMEOUT_MS = 180_000
const ROOT = join(import.meta.dirname, '../../../..')
const README_URL = 'http://127.0.0.1:8402'

type Block = { readonly language: string; readonly code: string }
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const blocks: Block[] = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
  ([, language = '', code = '']) => ({ language, code }),
)

/** The only block of a language with a text in it. */
function blockOf(language: string, part: string): string {
  const found = blocks.filter(block => block.language === language && block.code.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} blocks of the README have “${part}”.`)
  return found[0]?.code ?? ''
}

// The first steps of a newcomer: what the README says, run against the gateway of its first command.
let gateway: NewcomersGateway
beforeAll(async () => {
  gateway = await startByCommand(blockOf('sh', 'npm start'), '(in a second shell)')
}, TIMEOUT_MS)
afterAll(() => gateway.stop())

/** Runs code of the README at our gateway; returns what it prints. */
async function run(command: string, args: readonly string[], code: string): Promise<string> {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, CREDENTIAL: gateway.credential, FAREBOX_URL: gateway.url },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(code.replaceAll(README_URL, gateway.url))
  const exit = once(child, 'exit') as Promise<[number | null]>
  const [printed, complaints, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  expect(exitCode, `${code}\n${printed}${complaints}`).toBe(0)
  return printed
}

/** Runs a block in a shell in which curl fails for an error of the gateway. */
const runShell = (code: string) =>
  run('bash', ['-euo', 'pipefail', '-s'], `curl() { command curl --fail-with-body -sS "$@"; echo; }\n${code}`)

/** Replaces what differs from run to run. */
const withoutFigures = (text: string) => text.replaceAll(/agt_\S+/g, 'agt_').replaceAll(/\d+/g, '0')

test('npm start shows its steps with seconds, and ends as the README says', () => {
  const { output } = gateway
  expect(output).toMatch(/^ {2}\d\/7 +\d+\.\d s {2}ready: database$/m)
  for (const step of ['chain', 'contracts', 'migrations', 'gateway', 'sample services']) {
    expect(output).toContain(`ready: ${step}`)
  }
  expect(output).toContain('7/7')
  // Another port than the usual one is named for the tour.
  const end = output.slice(output.indexOf('Farebox ready')).replace(/FAREBOX_URL=\S+ /, '')
  expect(withoutFigures(end).trim()).toBe(withoutFigures(blockOf('', 'Farebox ready')).trim())
})

test("the README's curl commands find, call, pay once, stream and verify", {
  timeout: TIMEOUT_MS,
}, async () => {
  const code = blockOf('sh', 'search_query=hello')
  const printed = await runShell(code)
  expect(printed).toContain('"agentToolName":"hello"')
  expect(printed).toContain('"greeting":"Hello, Ada!"')
  expect(printed).toMatch(/"status":"SUCCEEDED".*"chargedUsdc":"0\.010000"/)
  expect(printed).toContain('event: gateway')
  expect(printed).toContain('"consistent":true')
  const [paid] = printed.match(/^.*"chargedUsdc":"0\.010000".*$/m) ?? []
  expect(await runShell(code)).toContain(paid)
})

test("the README's OpenAI and Anthropic code is answered by the sample models", {
  timeout: TIMEOUT_MS,
}, async () => {
  const printed = await run(process.execPath, ['--input-type=module', '-'], blockOf('js', 'import OpenAI'))
  expect(printed.match(/^.{40,}$/gm)?.length).toBeGreaterThanOrEqual(2)
})

test("the README's x402 code pays for a call from a new wallet", { timeout: TIMEOUT_MS }, async () => {
  expect(readme).toContain('`sh scripts/with-node pay.mjs`')
  const args = ['scripts/with-node', '--input-type=module', '-']
  const printed = await run('sh', args, blockOf('js', 'payWithX402'))
  expect(printed).toMatch(/^{.*"hello":"x402".*}$/m)
})

test('the tour runs to its end, as the README shows it', { timeout: TIMEOUT_MS }, async () => {
  const printed = await runShell(blockOf('sh', 'npm run tour'))
  expect(printed).toContain('The tour is complete: every amount was right to the micro-dollar.')
  expect(printed.match(/^ *\d+\. /gm)).toHaveLength(18)
  expect(printed.match(/✓/g)).toHaveLength(11)
  const lines = new Set(withoutFigures(printed).split('\n'))
  for (const line of withoutFigures(blockOf('', '✓')).split('\n')) expect(lines).toContain(line)
})

test('the README has no other code', () => {
  const tried = [
    'npm start',
    'search_query=hello',
    'npm run tour',
    'import OpenAI',
    'payWithX402',
    'Farebox ready',
    '✓',
  ]
  expect(blocks.filter(({ code }) => !tried.some(part => code.includes(part)))).toEqual([])
})

test("two examples lead from no wallet to a model's answer", { timeout: TIMEOUT_MS }, async () => {
  const environment = {
    GATEWAY: gateway.url,
    JOURNAL: join(gateway.directory, 'journal.json'),
    WALLET_FILE: join(gateway.directory, 'wallet.key'),
  }
  const owner = await runProgram('examples/owner/owner.ts', [], environment)
  expect(owner.output).toContain('a new wallet, whose key is in')
  expect(owner.output).toContain('got 1 USDC of test money')
  expect(owner.printed).toMatch(/^agt_[\w-]+\n$/)
  const agent = await runProgram('examples/agent/agent.ts', [], {
    ...environment,
    CREDENTIAL: owner.printed.trim(),
  })
  expect(agent.printed).toContain('Echo (echo) takes {} for 0.010000 USDC')
  expect(agent.printed).toContain('"hello":"world"')
  expect(agent.printed).toMatch(/left to spend: 0\.98\d{4} USDC/)
  expect(agent.code).toBe(0)
})
