import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatUsdc, usdc } from '@farebox/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { registerModel } from '../../../apps/gateway/test/kit/llm/llm-market.ts'
import { startTcpProxy, type TcpProxy } from '../../../apps/gateway/test/kit/network/tcp-proxy.ts'
import { sendJson } from '../../../apps/gateway/test/kit/provider/provider.ts'
import { until } from '../../../apps/gateway/test/kit/until.ts'
import { countCharges } from '../../../apps/gateway/test/kit/world/payer.ts'
import { openSmallMarket, type SmallMarket } from '../../../apps/gateway/test/kit/world/small-market.ts'
import { arrive, balanceOf, mint } from '../../../apps/gateway/test/kit/world/world.ts'
import { type Cli, openCli } from './kit/cli.ts'

let market: SmallMarket
let line: TcpProxy
const portOf = () => Number(new URL(market.on.url).port)
let cli: Cli

beforeAll(async () => {
  market = await openSmallMarket({
    priceUsdc: '0.01',
    manifest: { agentToolName: 'tides', serviceName: 'Tides of the river' },
  })
  line = await startTcpProxy(portOf)
})
afterAll(async () => {
  await line.stop()
  await market.close()
})
beforeEach(async () => {
  cli = await openCli({ FAREBOX_URL: line.origin, FAREBOX_CREDENTIAL: market.credential.token })
})
afterEach(async () => {
  line.heal()
  market.model.bend({})
  market.server.respondWith((_, response) => sendJson(response, 200, { tide: 'high' }))
  await cli.remove()
})

/** Returns the number of charges and the money spent, in micro-USDC, since the call. */
async function meter(): Promise<() => Promise<{ charges: number; spent: bigint }>> {
  const read = async () => ({
    charges: await countCharges(market.on, market.owner),
    available: (await balanceOf(market.on, market.owner)).available,
  })
  const before = await read()
  return async () => {
    const now = await read()
    return { charges: now.charges - before.charges, spent: before.available - now.available }
  }
}

/** Returns the commands of a help text. */
const commandsIn = (help: string) =>
  [...((help.split('\nCommands:\n')[1] ?? '').split('\n\n')[0]?.matchAll(/^ {2}([a-z]+)/gm) ?? [])].map(
    ([, name = '']) => name,
  )

test('every command has examples, and every example and the README use options that exist', async () => {
  const helps = new Map<string, string>()
  const read = async (path: readonly string[]): Promise<void> => {
    const { code, stdout } = await cli.run([...path, '--help'])
    expect(code).toBe(0)
    helps.set(path.join(' '), stdout)
    await Promise.all(commandsIn(stdout).flatMap(name => (name === 'help' ? [] : [read([...path, name])])))
  }
  await read([])
  expect([...helps.keys()]).toContain('credentials mint')
  for (const [command, help] of helps) expect(help, command).toMatch(/\n(Examples|First steps):\n {2}/)

  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const lines = [...helps.values(), readme].flatMap(text => text.replaceAll('\\\n', ' ').split('\n'))
  const used = lines.flatMap(
    line => /(?:^|\$ |\$\(|\| |=\w+ )(farebox (?!complete).*)/.exec(line.trim())?.[1] ?? [],
  )
  expect(used.length).toBeGreaterThan(40)
  for (const line of used) {
    const [, first = '', second = ''] = /^farebox ([a-z]+) ?([a-z]+)?/.exec(line) ?? []
    const help = helps.get(`${first} ${second}`) ?? helps.get(first) ?? ''
    expect(help, line).not.toBe('')
    const [own = ''] = line.split(/ [|>] /)
    for (const [flag] of own.matchAll(/(?<= )--?[a-z][a-z-]*(?= |=|\)|$)/g))
      expect(help, `${flag} of ${line}`).toMatch(new RegExp(`(^| )${flag}(,| |$)`, 'm'))
  }
})

test('bash, zsh and fish complete commands, options and values', async () => {
  for (const [shell, begins] of [
    ['bash', /complete .*farebox/],
    ['zsh', /#compdef farebox/],
    ['fish', /complete -c farebox/],
  ] as const) {
    const { code, stdout } = await cli.run(['completion', shell])
    expect(stdout).toMatch(begins)
    expect(code).toBe(0)
  }
  expect((await cli.run(['complete', '--', 'inv'])).stdout).toMatch(/^invoke\t/m)
  expect((await cli.run(['complete', '--', 'invoke', '--max'])).stdout).toMatch(/^--max-cost\t/m)
  expect((await cli.run(['complete', '--', 'discover', '--kind', ''])).stdout).toMatch(/^llm/m)
})

test('services are found and described without a sign-in', async () => {
  const env = { FAREBOX_CREDENTIAL: '' }
  const found = await cli.run(['discover', 'tides'], { env })
  expect(found.stdout).toMatch(/^tides +0\.010000 per call +yes/m)
  const shown = await cli.run(['discover', '--show', 'ferryman'], { env })
  expect(shown.stdout).toMatch(/^Price in USDC +1\.500000 in, 6\.000000 out per 1M tokens$/m)
  expect(shown.stderr).toContain("farebox invoke ferryman --prompt 'Hello'")
  const { services } = await cli.json<{ services: { agentToolName: string }[] }>(['discover', 'tides'])
  expect(services.map(each => each.agentToolName)).toContain('tides')
})

test('an unknown service is refused by its name, with the closest names', async () => {
  const spent = await meter()
  for (const args of [
    ['discover', '--show', 'ferrymna'],
    ['invoke', 'ferrymna', '-p', 'Who pays?'],
  ]) {
    const { code, stdout, stderr } = await cli.run(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('There is no service ferrymna.\n  SERVICE_NOT_FOUND')
    expect(stderr).toContain('Did you mean ferryman?')
  }
  expect((await cli.run(['discover', '--show', 'zzzz'])).stderr).toContain('Find one: farebox discover')
  expect(await cli.run(['discover', '--show'])).toMatchObject({ code: 2, stdout: '' })
  expect(await spent()).toEqual({ charges: 0, spent: 0n })
})

test('a model of embeddings takes its prompt as input, and its vectors are printed', async () => {
  const manifest = { agentToolName: 'vectors', outputPricePer1MTokensUsdc: '0' }
  await registerModel(market.on, await arrive(market.on), {
    url: `${market.model.url}/v1/embeddings`,
    manifest,
  })
  const shown = await cli.run(['discover', '--show', 'vectors'])
  expect(shown.stdout).toMatch(/^Kind +embeddings model\nPrice in USDC +1\.500000 per 1M tokens$/m)
  expect(shown.stderr).toContain("farebox invoke vectors --prompt 'Hello'")
  for (const given of [
    ['-p', 'An obol'],
    ['-f', 'input=An obol'],
    ['-p', 'An obol', '--stream'],
  ]) {
    const { stdout, stderr } = await cli.run(['invoke', 'vectors', ...given])
    expect(stderr).toMatch(/^charged 0\.\d{6} USDC of/)
    expect(JSON.parse(stdout)).toMatchObject({ data: [{ embedding: expect.any(Array) }] })
    expect(market.model.call().body).toMatchObject({ input: 'An obol' })
  }
})

describe('a call', () => {
  test('pays the current price, and prints the answer apart from the bill', async () => {
    const spent = await meter()
    const { code, stdout, stderr } = await cli.run(['invoke', 'tides', '-f', 'when=today', '-f', 'days:=3'])
    expect(stderr).toMatch(/^charged 0\.010000 USDC \(inv_\w+, key [0-9a-f-]{36}\)\n$/)
    expect(JSON.parse(stdout)).toEqual({ tide: 'high' })
    expect(code).toBe(0)
    expect(JSON.parse(market.server.calls.at(-1)?.body ?? '')).toEqual({ when: 'today', days: 3 })
    expect(await spent()).toEqual({ charges: 1, spent: 10_000n })
  })

  test('takes its body from a file or from standard input', async () => {
    const file = await cli.write('body.json', '{"from": "file"}')
    for (const [body, from] of [
      [`@${file}`, 'file'],
      ['-', 'input'],
    ] as const) {
      const answer = await cli.json(['invoke', 'tides', '--body', body], { input: '{"from": "input"}' })
      expect(answer).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: '0.010000', result: { tide: 'high' } })
      expect(JSON.parse(market.server.calls.at(-1)?.body ?? '')).toEqual({ from })
    }
  })

  test('streams the text of a model, and reports tokens and cost', async () => {
    const spent = await meter()
    market.model.bend({ reply: 'Everyone who crosses.' })
    const { code, stdout, stderr } = await cli.run([
      'invoke',
      'ferryman',
      '-p',
      'Who pays?',
      '--max-cost',
      '0.01',
    ])
    expect(stderr).toMatch(/^charged 0\.\d{6} USDC of 0\.\d{6} USDC held, \d+ tokens in, \d+ out/)
    expect(stdout).toBe('Everyone who crosses.\n')
    expect(code).toBe(0)
    const { charges, spent: amount } = await spent()
    expect(charges).toBe(1)
    expect(stderr).toContain(`charged ${formatUsdc(usdc(amount))}`)
  })

  test('prints the text of a model that answers whole although it was asked to stream', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Aye.' }, finish_reason: 'stop' }]
    market.model.bend({ body: { object: 'chat.completion', choices, usage } })
    const { stdout, stderr } = await cli.run(['invoke', 'ferryman', '-p', 'Who pays?'])
    expect(stderr).toMatch(/^charged 0\.\d{6} USDC of .* 5 tokens in, 2 out/)
    expect(stdout).toBe('Aye.\n')
    // Tools are called in JSON.
    const calls = [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: [] }, finish_reason: 'stop' },
    ]
    market.model.bend({ body: { object: 'chat.completion', choices: calls, usage } })
    const { stdout: json } = await cli.run(['invoke', 'ferryman', '-p', 'Who pays?'])
    expect(JSON.parse(json)).toMatchObject({ choices: calls })
  })

  test('prints a stream as JSON lines, the bill last', async () => {
    const { stdout } = await cli.run(['invoke', 'ferryman', '-p', 'Who pays?', '--stream', '--json'])
    const lines = stdout
      .trim()
      .split('\n')
      .map(each => JSON.parse(each))
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.at(0)).toMatchObject({ event: 'message', data: { choices: [{}] } })
    expect(lines.at(-1)).toMatchObject({ event: 'gateway', data: { status: 'SUCCEEDED' } })
  })
})

describe('a call that loses its network', () => {
  test('says how to retry, and is paid once when it is retried', async () => {
    const spent = await meter()
    const before = market.server.calls.length
    const served = Promise.withResolvers<void>()
    market.server.respondWith(async (_, response) => {
      await served.promise
      sendJson(response, 200, { tide: 'low' })
    })
    const { ended } = cli.start(['invoke', 'tides', '--idempotency-key', 'order 1', '--retry-for', '1'])
    await until('the provider is called', () => market.server.calls.length > before)
    line.bend({ kind: 'reset' })
    const lost = await ended
    expect(lost).toMatchObject({ code: 75, stdout: '' })
    expect(lost.stderr).toContain('The gateway may have made the call and charged 0.010000 USDC, once.')
    expect(lost.stderr).toContain(`farebox invoke --again 'order 1' --gateway ${line.origin}`)
    expect((await cli.run(['invoke', '--pending'])).stdout).toMatch(/^order 1 +tides/m)

    served.resolve()
    line.heal()
    const again = await cli.run(['invoke', '--again', 'order 1'])
    expect(JSON.parse(again.stdout)).toEqual({ tide: 'low' })
    expect(again.code).toBe(0)
    expect(again.stderr).toContain(
      'stored answer, nothing charged now (0.010000 USDC was charged the first time;',
    )
    expect(market.server.calls.length - before).toBe(1)
    expect(await spent()).toEqual({ charges: 1, spent: 10_000n })
    expect((await cli.run(['invoke', '--pending'])).stderr).toContain('No pending calls.')
  })

  test('in the middle of a stream continues where it was, and pays once', async () => {
    const spent = await meter()
    const asked = market.model.calls.length
    market.model.bend({ reply: 'One two three four five six seven.', stallAfterEvents: 4 })
    const { child, ended } = cli.start(['invoke', 'ferryman', '-p', 'Count.', '--retry-for', '30'])
    await new Promise(resolve => child.stdout?.once('data', resolve))
    line.bend({ kind: 'reset' })
    line.heal()
    market.model.release()
    const { code, stdout, stderr } = await ended
    expect(stderr).toContain('Retrying with the same key')
    expect(stdout).toBe('One two three four five six seven.\n')
    expect(code).toBe(0)
    expect(market.model.calls.length - asked).toBe(1)
    expect((await spent()).charges).toBe(1)
  })

  test('by Ctrl-C says how to continue, too', async () => {
    const before = market.server.calls.length
    const served = Promise.withResolvers<void>()
    market.server.respondWith(async (_, response) => {
      await served.promise
      sendJson(response, 200, { tide: 'low' })
    })
    const { child, ended } = cli.start(['invoke', 'tides', '--idempotency-key', 'order-3'])
    await until('the provider is called', () => market.server.calls.length > before)
    child.kill('SIGINT')
    const interrupted = await ended
    expect(interrupted).toMatchObject({ code: 130, stdout: '' })
    expect(interrupted.stderr).toContain('farebox invoke --again order-3')
    served.resolve()
    expect(JSON.parse((await cli.run(['invoke', '--again', 'order-3'])).stdout)).toEqual({ tide: 'low' })
    expect(market.server.calls.length - before).toBe(1)
  })

  test('before it was sent reports that nothing was charged, and leaves nothing pending', async () => {
    await line.stop()
    const { code, stderr } = await cli.run(['invoke', 'tides', '--retry-for', '0'])
    expect(code).toBe(75)
    expect(stderr).toContain('UNREACHABLE')
    expect((await cli.run(['invoke', '--pending'])).stderr).toContain('No pending calls.')
    line = await startTcpProxy(portOf)
  })
})

describe('a call that is refused', () => {
  test.each([
    ['for its credential', 'CREDENTIAL_INVALID', 3],
    ['for its budget', 'BUDGET_EXHAUSTED', 4],
    ['for its price', 'PRICE_MISMATCH', 1],
  ])('%s exits with the documented code', async (why, code, exitCode) => {
    const poor = await mint(market.on, market.owner, { creditLimit: '0.005' })
    const token = { CREDENTIAL_INVALID: `agt_${'0'.repeat(49)}`, BUDGET_EXHAUSTED: poor.token }[code]
    const options = token === undefined ? {} : { env: { FAREBOX_CREDENTIAL: token } }
    const price = code === 'PRICE_MISMATCH' ? ['--cost', '0.02'] : []
    const text = await cli.run(['invoke', 'tides', ...price], options)
    expect(text, why).toMatchObject({ code: exitCode, stdout: '' })
    expect(text.stderr).toContain('Nothing was charged for this call.')
    if (code === 'BUDGET_EXHAUSTED')
      expect(text.stderr).toContain('farebox credentials update ID --credit-limit USDC')
    const json = await cli.run(['invoke', 'tides', '--json', ...price], options)
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code, requestId: expect.any(String) },
      exitCode,
    })
  })

  test('for its rate says when to try again, and leaves nothing pending', async () => {
    const slow = await mint(market.on, market.owner, { rpm: 1 })
    const env = { FAREBOX_CREDENTIAL: slow.token }
    expect((await cli.run(['invoke', 'tides'], { env })).code).toBe(0)
    const { code, stderr } = await cli.run(['invoke', 'tides', '--retry-for', '1'], { env })
    expect(stderr).toMatch(/Nothing was charged for this call\. Try again in \d+ s\.\n/)
    expect(stderr).not.toContain('may have made the call')
    expect(code).toBe(75)
    expect((await cli.run(['invoke', '--pending'])).stderr).toContain('No pending calls.')
  })

  test("by its provider shows the provider's reason", async () => {
    market.server.respondWith((_, response) =>
      sendJson(response, 400, { error: { message: 'No such port.' } }),
    )
    const { code, stderr } = await cli.run(['invoke', 'tides'])
    expect(stderr).toContain('farebox: The provider answered 400: No such port.')
    expect(code).toBe(1)
  })

  test('by the command line was not sent', async () => {
    const before = market.server.calls.length
    for (const args of [
      ['invoke'],
      ['invoke', 'tides', '--body', '{'],
      ['invoke', 'tides', '-p', 'Hello'],
      ['invoke', 'tides', '--max-cost', 'much'],
      ['invoke', 'tides', '--unknown'],
      ['invoke', '--again', 'nothing'],
      ['nothing'],
    ]) {
      const { code, stderr } = await cli.run(args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr).not.toBe('')
    }
    const json = await cli.run(['invoke', 'tides', '--max-cst', '1', '--json'])
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'BAD_INPUT' }, exitCode: 2 })
    expect(json.stderr).toContain('--max-cost')
    expect(market.server.calls.length).toBe(before)
  })

  test('under the key of another call was not sent, nor under another credential', async () => {
    line.bend({ kind: 'reset' })
    const key = ['--idempotency-key', 'order-2', '--retry-for', '0']
    line.heal()
    const served = Promise.withResolvers<void>()
    const before = market.server.calls.length
    market.server.respondWith(async (_, response) => {
      await served.promise
      sendJson(response, 200, {})
    })
    const first = cli.start(['invoke', 'tides', '-f', 'a=1', ...key])
    await until('the provider is called', () => market.server.calls.length > before)
    line.bend({ kind: 'reset' })
    line.heal()
    expect((await first.ended).code).toBe(75)
    served.resolve()
    const other = await cli.run(['invoke', 'tides', '-f', 'a=2', ...key])
    expect(other).toMatchObject({ code: 2 })
    expect(other.stderr).toContain('belongs to another call')
    const another = await mint(market.on, market.owner)
    const env = { FAREBOX_CREDENTIAL: another.token }
    const stranger = await cli.run(['invoke', '--again', 'order-2'], { env })
    expect(stranger).toMatchObject({ code: 5 })
    expect((await cli.run(['invoke', 'tides', '-f', 'a=1', ...key, '--retry-for', '30'])).code).toBe(0)
    expect(market.server.calls.length - before).toBe(1)
  })
})
