import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@farebox/client'
import { formatUsdc, parseUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../kit/network/loopback.ts'
import { until } from '../kit/until.ts'
import { openSmallMarket, type SmallMarket } from '../kit/world/small-market.ts'
import { balanceOf, mint } from '../kit/world/world.ts'
import { runProgram, startProgram } from '../proof/programs.ts'

const PROGRAM = 'examples/agent/agent.ts'

let market: SmallMarket
let on: SmallMarket['on']
let server: SmallMarket['server']
let model: SmallMarket['model']
let owner: SmallMarket['owner']
let credential: SmallMarket['credential']
let directory: string
let journal: string

beforeAll(async () => {
  market = await openSmallMarket({
    priceUsdc: '0.01',
    manifest: { agentToolName: 'tides', serviceName: 'Tides of the river' },
  })
  ;({ on, server, model, owner, credential } = market)
})
afterAll(() => market.close())
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-agent-'))
  journal = join(directory, 'journal.json')
})
afterEach(() => rm(directory, { recursive: true }))

const environment = (token = credential.token) => ({ GATEWAY: on.url, CREDENTIAL: token, JOURNAL: journal })
const start = (token?: string) =>
  startProgram(PROGRAM, ['tides of the river', '{"when": "today"}'], environment(token))
const run = (token?: string) => start(token).ended

/** Starts the agent, waits for something, and kills it. */
async function killWhen(what: string, holds: () => boolean): Promise<void> {
  const { child, ended } = start()
  await until(what, holds)
  child.kill('SIGKILL')
  expect((await ended).code).toBeNull()
  expect(existsSync(journal)).toBe(true)
}

/** Returns the charges that an agent prints, in micro-USDC. */
const chargedIn = (output: string): bigint =>
  [...output.matchAll(/charged (\d+\.\d{6})/g)].reduce((sum, [, amount = '']) => sum + parseUsdc(amount), 0n)

test('finds a service, calls it, asks a model, and reports what it paid and what is left', async () => {
  const before = (await balanceOf(on, owner)).available
  const { code, printed, output } = await run()
  expect(output).toBe(printed)
  expect(printed).toContain('Tides of the river (tides) takes {} for 0.010000 USDC')
  expect(printed).toMatch(/^inv_\w+: \{"number":\d+\}\ncharged 0\.010000 USDC$/m)
  expect(printed).toMatch(/^charged 0\.\d{6} of the 0\.\d{6} USDC held, for \d+ tokens$/m)
  const { available } = await balanceOf(on, owner)
  expect(printed).toContain(`left to spend: ${formatUsdc(available)} USDC`)
  expect(usdc(before - available)).toBe(chargedIn(printed))
  expect(code).toBe(0)
  expect(existsSync(journal)).toBe(false)
})

describe('an agent that is killed', () => {
  test('during a call continues it after a restart: one call, one charge', async () => {
    const before = { calls: server.calls.length, available: (await balanceOf(on, owner)).available }
    const served = Promise.withResolvers<void>()
    server.respondWith(async (_, response) => {
      await served.promise
      response.setHeader('content-type', 'application/json').end('{"tide": "high"}')
    })
    await killWhen('the provider is called', () => server.calls.length > before.calls)

    const again = start()
    await once(again.child.stdout ?? again.child, 'data')
    served.resolve()
    const { code, printed } = await again.ended
    expect(printed).toMatch(/^call: goes on with [0-9a-f-]{36}$/m)
    expect(printed).toContain('{"tide":"high"}')
    expect(code).toBe(0)
    expect(server.calls.length - before.calls).toBe(1)
    const { available } = await balanceOf(on, owner)
    expect(usdc(before.available - available)).toBe(chargedIn(printed))
  })

  test('and started again without its credential, or through a portal, pays nothing again with it', async () => {
    const before = { calls: server.calls.length, available: (await balanceOf(on, owner)).available }
    const answered = Promise.withResolvers<void>()
    server.respondWith(async (_, response) => {
      await answered.promise
      response.setHeader('content-type', 'application/json').end('{"tide": "low"}')
    })
    await killWhen('the provider is called', () => server.calls.length > before.calls)
    answered.resolve()

    expect(await run('')).toMatchObject({ code: 1, output: expect.stringContaining('CREDENTIAL_INVALID') })
    const portal = await listen(createServer((_, response) => response.end('<html>Sign in.</html>')))
    const lost = await startProgram(PROGRAM, [], { ...environment(), GATEWAY: portal.origin }).ended
    expect(lost).toMatchObject({ code: 75, output: expect.stringContaining('UNREADABLE') })
    await portal.stop()

    const { code, printed } = await run()
    expect(printed).toContain('{"tide":"low"}')
    expect(code).toBe(0)
    expect(server.calls.length - before.calls).toBe(1)
    expect(usdc(before.available - (await balanceOf(on, owner)).available)).toBe(chargedIn(printed))
  })

  test('while a model streams receives it from the beginning, and pays for neither call again', async () => {
    const before = {
      calls: server.calls.length,
      asked: model.calls.length,
      available: (await balanceOf(on, owner)).available,
    }
    model.bend({ stallAfterEvents: 3 })
    await killWhen('the model is asked', () => model.calls.length > before.asked)
    model.release()
    model.bend({})
    const { code, printed } = await run()
    expect(code).toBe(0)
    expect(server.calls.length - before.calls).toBe(1)
    expect(model.calls.length - before.asked).toBe(1)
    const { available } = await balanceOf(on, owner)
    expect(usdc(before.available - available)).toBe(chargedIn(printed))
  })
})

describe('an agent that is refused', () => {
  test('for lack of money reports it, and continues once there is enough', async () => {
    const before = server.calls.length
    const poor = await mint(on, owner, { creditLimit: '0.005' })
    const { code, output } = await run(poor.token)
    expect(output).toContain('BUDGET_EXHAUSTED')
    expect(output).toContain(
      '"limit":"credential_credit","remainingUsdc":"0.005000","requiredUsdc":"0.010000"',
    )
    expect(code).toBe(2)
    expect(server.calls.length).toBe(before)

    const api = createClient({ baseUrl: on.url, token: () => owner.token })
    await api.updateCredentialQuota({ path: { id: poor.id }, body: { creditLimit: '1' } })
    expect((await run(poor.token)).code).toBe(0)
    expect(server.calls.length - before).toBe(1)
  })

  test('for its credential reports it', async () => {
    const { code, output } = await run(`agt_${'0'.repeat(43)}`)
    expect(output).toContain('CREDENTIAL_INVALID')
    expect(output).toMatch(/ req_\w+\n$/)
    expect(code).toBe(1)
    expect(existsSync(journal)).toBe(false)
  })

  test('by a provider has paid nothing, and starts again', async () => {
    const before = (await balanceOf(on, owner)).available
    server.respondWith((_, response) => response.writeHead(500).end())
    const { code, output } = await run()
    expect(output).toContain('UPSTREAM_ERROR')
    expect(output).toContain('"status":"FAILED_RETRYABLE"')
    expect(code).toBe(1)
    expect(existsSync(journal)).toBe(false)
    server.respondWith((_, response) => response.setHeader('content-type', 'application/json').end('{}'))
    const { printed } = await run()
    expect(usdc(before - (await balanceOf(on, owner)).available)).toBe(chargedIn(printed))
  })
})

test('reports that no service or no gateway was found', async () => {
  const nothing = await runProgram(PROGRAM, ['zeppelin rides', '{}'], environment())
  expect(nothing.output).toContain('Nothing that answers “zeppelin rides” costs 0.05 USDC or less.')
  expect(nothing.code).toBe(1)
  const away = await runProgram(PROGRAM, [], { ...environment(), GATEWAY: 'http://127.0.0.1:1' })
  expect(away.output).toContain('UNREACHABLE')
  expect(away.code).toBe(75)
})
