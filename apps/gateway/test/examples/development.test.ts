import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOwnGateway } from '../../src/tour/gateway.ts'
import { runProgram } from '../proof/programs.ts'

const TIMEOUT_MS = 120_000

// The first steps of a newcomer with a gateway in development mode.
let gateway: Awaited<ReturnType<typeof startOwnGateway>>
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-newcomer-'))
  gateway = await startOwnGateway(() => undefined)
}, TIMEOUT_MS)
afterAll(async () => {
  await gateway.stop()
  await rm(directory, { recursive: true })
})

test('the tour runs to its end, and every amount is right', { timeout: TIMEOUT_MS }, async () => {
  const { code, printed, output } = await runProgram('apps/gateway/src/tour/main.ts', [], {
    FAREBOX_URL: gateway.url,
  })
  expect(output).toContain('The tour is complete: every amount was right to the micro-dollar.')
  expect(printed.match(/^ *\d+\. /gm)).toHaveLength(18)
  expect(printed.match(/✓/g)).toHaveLength(11)
  expect(code).toBe(0)
})

test("two examples lead from no wallet to a model's answer", { timeout: TIMEOUT_MS }, async () => {
  const environment = {
    GATEWAY: gateway.url,
    JOURNAL: join(directory, 'journal.json'),
    WALLET_FILE: join(directory, 'wallet.key'),
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
