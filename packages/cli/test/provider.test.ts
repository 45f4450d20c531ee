import { parseUsdc } from '@farebox/money'
import { getAddress, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../apps/gateway/test/kit/gateway/test-gateway.ts'
import { post } from '../../../apps/gateway/test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../apps/gateway/test/kit/provider/provider.ts'
import { newPayer, type Payer } from '../../../apps/gateway/test/kit/world/payer.ts'
import { newWallet, signIn } from '../../../apps/gateway/test/kit/world/wallets.ts'
import { arrive, invoke, register } from '../../../apps/gateway/test/kit/world/world.ts'
import { type Cli, openCli, type Run } from './kit/cli.ts'
import { type FaultyProxy, startFaultyProxy } from './kit/faulty-proxy.ts'

/** Withdrawals above this sum a day need a review. */
const AUTO_MAX = '4'

const admin = newWallet()
let on: TestGateway
let gateway: FaultyProxy
let node: FaultyProxy
let upstream: TestProvider
let payer: Payer
let cli: Cli
let address: `0x${string}`

beforeAll(async () => {
  const env = { ADMIN_WALLETS: admin.address, WITHDRAW_AUTO_APPROVE_MAX_USDC: AUTO_MAX }
  ;[on, upstream] = await Promise.all([startTestGateway({ env }), startProvider()])
  ;[gateway, node, payer] = await Promise.all([
    startFaultyProxy(on.url),
    startFaultyProxy(on.chain.rpcUrl),
    newPayer(on, '20'),
  ])
  const key = generatePrivateKey()
  ;({ address } = privateKeyToAccount(key))
  cli = await openCli({ FAREBOX_URL: gateway.url, FAREBOX_RPC_URL: node.url, FAREBOX_KEY: key })
  await on.chain.client.setBalance({ address, value: parseEther('1') })
  await cli.json(['login', '--domain', new URL(on.url).host])
})
afterAll(async () => {
  await on.assertBooks()
  await Promise.all([cli.remove(), gateway.stop(), node.stop(), upstream.stop()])
  await on.stop()
})
afterEach(() => {
  gateway.fail()
  node.fail()
})

const serviceOf = async (id: string) =>
  (await cli.json<{ service: Record<string, unknown> }>(['discover', '--show', id])).service

describe('a service is registered', () => {
  test('from options, with a secret header from the environment', async () => {
    const options = ['--name', 'Tides', '--tool-name', 'tides', '--tag', 'river', '--price', '1']
    const { code, stdout, stderr } = await cli.run(
      ['register', ...options, '--url', upstream.url, '--header-env', 'Authorization=UPSTREAM'],
      { env: { UPSTREAM: 'Bearer secret-1' } },
    )
    expect(stderr).not.toContain('secret-1')
    expect(stdout).toMatch(/^tides svc_\w+ active\n$/)
    expect(code).toBe(0)
    expect(await serviceOf('tides')).toMatchObject({
      serviceName: 'Tides',
      tags: ['river'],
      pricing: { amount: '1.000000', currency: 'USDC' },
    })
    const call = { serviceId: 'tides', costUsdc: '1', payload: { body: {} } }
    expect((await invoke(on, payer, call)).body.status).toBe('SUCCEEDED')
    expect(upstream.calls.at(-1)?.headers.authorization).toBe('Bearer secret-1')
  })

  test('from a curl command, after showing its manifest', async () => {
    const curl = `curl -X POST '${upstream.url}now?city=Lisbon' -H 'X-Api-Key: k-1' --json '{"days": 3}'`
    const from = ['register', '--from-curl', '-', '--tool-name', 'now', '--price', '0.02']
    const manifest = await cli.json([...from, '--dry-run'], { input: curl })
    expect(manifest).toMatchObject({ agentToolName: 'now', pricing: { amount: '0.020000' } })
    expect((await cli.run(['discover', '--show', 'now'])).stderr).toContain('SERVICE_NOT_FOUND')
    const { code, stdout } = await cli.run(from, { input: curl })
    expect(stdout).toMatch(/^now svc_\w+ active\n$/)
    expect(code).toBe(0)
    expect(await serviceOf('now')).toMatchObject({ method: 'POST', pricing: { amount: '0.020000' } })
  })

  test('from operations of an OpenAPI document, which are listed first', async () => {
    const operation = (summary: string) => ({ summary, responses: { 200: { description: 'It.' } } })
    const path = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
    const document = {
      openapi: '3.1.0',
      info: { title: 'Pets', version: '1' },
      servers: [{ url: upstream.url.replace(/\/$/, '') }],
      paths: {
        '/pets': { get: operation('List pets') },
        '/pets/{id}': { get: { ...operation('Read a pet'), parameters: [path] } },
      },
    }
    const file = await cli.write('openapi.json', JSON.stringify(document))
    const from = ['register', '--from-openapi', `@${file}`]
    expect((await cli.run(from)).stdout).toMatch(/^GET \/pets\/\{id\} +Read a pet$/m)
    const two = ['--operation', 'GET /pets', '--operation', 'GET /pets/{id}', '--price', '0.01']
    const { code, stdout } = await cli.run([...from, ...two])
    expect(stdout.trim().split('\n')).toHaveLength(2)
    expect(code).toBe(0)
    const name = stdout.trim().split('\n')[1]?.split(' ')[0] ?? ''
    expect(await serviceOf(name)).toMatchObject({ pathParameters: ['id'], pricing: { amount: '0.010000' } })
  })

  test('with the key that an OpenAPI document asks for, and not with its placeholder', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Locked', version: '1' },
      servers: [{ url: upstream.url.replace(/\/$/, '') }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      security: [{ key: [] }],
      paths: { '/locked': { get: { summary: 'Read', responses: { 200: { description: 'It.' } } } } },
    }
    const file = await cli.write('locked.json', JSON.stringify(document))
    const from = ['register', '--from-openapi', `@${file}`, '--operation', 'GET /locked', '--price', '0']
    const refused = await cli.run([...from, '--tool-name', 'locked'])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('upstreamHeaders.x-key holds a placeholder for your key.')
    expect(refused.stderr).toContain('--header-env x-key=VARIABLE')
    expect((await cli.run([...from, '--dry-run'])).stdout).toContain('"x-key": "<key>"')
    const done = await cli.run([...from, '--tool-name', 'locked', '--header', 'X-Key: sekret'])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    await invoke(on, payer, { serviceId: 'locked', costUsdc: '0' })
    expect(upstream.calls.at(-1)?.headers['x-key']).toBe('sekret')
  })

  test('as a model, with prices of tokens', async () => {
    const prices = ['--input-price', '1.5', '--output-price', '6', '--dialect', 'anthropic']
    await cli.json([
      'register',
      '--name',
      'Ferryman',
      '--tool-name',
      'ferry',
      '--url',
      upstream.url,
      ...prices,
    ])
    expect(await serviceOf('ferry')).toMatchObject({
      serviceKind: 'llm',
      llmDialect: 'anthropic',
      inputPricePer1MTokensUsdc: '1.500000',
      outputPricePer1MTokensUsdc: '6.000000',
    })
  })

  test('only if the options are consistent and the gateway accepts it', async () => {
    const url = ['--url', upstream.url]
    for (const args of [
      ['--name', 'No target'],
      [...url, '--price', '1', '--input-price', '1', '--output-price', '1'],
      [...url, '--input-price', '1'],
      [...url, '--header', 'no colon'],
      [...url, '--header-env', 'X-Key=MISSING_VARIABLE'],
      ['--from-curl', 'curl x', '--manifest', '{}'],
    ]) {
      expect((await cli.run(['register', ...args])).code, args.join(' ')).toBe(2)
    }
    const taken = await cli.run(['register', '--name', 'Tides', '--tool-name', 'tides', ...url])
    expect(taken).toMatchObject({ code: 1, stdout: '' })
    expect(taken.stderr).toContain('DUPLICATE_SERVICE_ID')
  })
})

describe('services of the wallet', () => {
  const services = (...args: string[]) => cli.run(['services', ...args])

  test('are listed with status, health and price', async () => {
    const { code, stdout } = await services('list')
    expect(stdout).toMatch(/^ferry +svc_\w+ +active +\w+ +1\.500000 in, 6\.000000 out per 1M tokens$/m)
    expect(stdout).toMatch(/^tides +svc_\w+ +active +\w+ +1\.000000 per call$/m)
    expect(code).toBe(0)
    expect((await services('show', 'tides')).stdout).toContain(`Target         ${upstream.url} `)
    expect((await services('ping', 'tides')).stdout).toMatch(/ healthy +200 +\d+/)
  })

  test('are changed in what is given, and keep the rest', async () => {
    const before = await cli.json<{ service: Record<string, unknown> }>(['services', 'show', 'now'])
    const { code, stdout } = await services('update', 'now', '--summary', 'The time.', '--timeout-ms', '900')
    expect(stdout).toMatch(/^now svc_\w+ active\n$/)
    expect(code).toBe(0)
    const { service } = await cli.json<typeof before>(['services', 'show', 'now'])
    expect(service).toMatchObject({
      summary: 'The time.',
      pricing: before.service.pricing,
      invoke: { ...(before.service.invoke as object), timeoutMs: 900, targets: [expect.anything()] },
    })
    const dearer = await services('update', 'ferry', '--output-price', '7')
    expect(dearer.stderr).toMatch(/^The higher prices apply from 20\S+Z on\.$/m)
    expect((await services('update', 'now', '--price', '0.03')).stderr).toMatch(
      /^Callers that state no price pay 0\.020000 USDC until 20\S+Z\.$/m,
    )
    expect((await cli.json<typeof before>(['services', 'show', 'ferry'])).service).toMatchObject({
      inputPricePer1MTokensUsdc: '1.500000',
      outputPricePer1MTokensUsdc: '6.000000',
      scheduledPricing: { outputPricePer1MTokensUsdc: '7.000000' },
    })
    for (const refused of [[], ['--output-price', 'x'], ['--manifest', '[]'], ['--header', 'X-Key: <key>']])
      expect((await services('update', 'now', ...refused)).code, refused.join(' ')).toBe(2)
  })

  test('are paused, resumed and deleted, and those of others are not shown', async () => {
    expect((await services('pause', 'now')).stdout).toMatch(/^now svc_\w+ inactive\n$/)
    expect((await services('resume', 'now')).stdout).toMatch(/^now svc_\w+ active\n$/)
    expect((await services('delete', 'now')).stderr).toContain('SERVICE_DELETE_ACTIVE_CONFLICT')
    await services('pause', 'now')
    expect(await services('delete', 'now')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Deleted svc_/),
    })
    expect((await services('list')).stdout).not.toMatch(/^now /m)
    const theirs = await register(on, await arrive(on), { targets: [upstream.url], priceUsdc: '1' })
    const refused = await services('show', theirs)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('is a service of another wallet')
  })
})

test('says that a credential may exist when its answer was lost', async () => {
  gateway.fail({ text: '/credentials/agent/issue', loses: 'answer' })
  const lost = await cli.run(['credentials', 'mint'])
  expect(lost).toMatchObject({ code: 75, stdout: '' })
  expect(lost.stderr).toContain('A credential may have been minted whose token is lost')
})

describe('earnings are withdrawn', () => {
  const withdraw = (...args: string[]) => cli.run(['withdraw', ...args, '--yes'])
  const received = () => on.chain.usdcOf(address)
  const idIn = ({ stderr }: Run) => /farebox withdraw --id (wd_\w+)/.exec(stderr)?.[1] ?? 'none'

  beforeAll(async () => {
    const call = { serviceId: 'tides', costUsdc: '1', payload: { body: {} } }
    for (let calls = 0; calls < 9; calls += 1)
      expect((await invoke(on, payer, call)).body.status).toBe('SUCCEEDED')
  })

  test('to the wallet, after showing the amount', async () => {
    expect((await cli.run(['withdraw', '--earnings'])).stdout).toContain('Earned            10.000000 USDC')
    const asked = await cli.run(['withdraw', '1'])
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain(`to     ${address}, which holds 1 ether for gas`)
    const { code, stdout } = await withdraw('1')
    expect(stdout).toMatch(/^Withdrew 1\.000000 USDC \(wd_\w+, transaction 0x[0-9a-f]{64}\)\.\n$/)
    expect(code).toBe(0)
    expect(await received()).toBe(parseUsdc('1'))
  })

  test('with only JSON on standard error if JSON was asked for', async () => {
    const { stderr } = await withdraw('99', '--json')
    const lines = stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines[0]).toEqual({ note: 'Withdraw 99.000000 USDC' })
    expect(lines.at(-1)).toMatchObject({ error: { code: 'INSUFFICIENT_PROVIDER_RECEIVABLE' }, exitCode: 4 })
  })

  test('never more than was earned', async () => {
    const { code, stderr } = await withdraw('9.5')
    expect(stderr).toContain('INSUFFICIENT_PROVIDER_RECEIVABLE')
    expect(stderr).toContain('9.000000 USDC can be withdrawn, not 9.500000.')
    expect(code).toBe(4)
    expect((await withdraw('--id', 'wd_foo')).stderr).toContain('List them: farebox withdraw --list')
  })

  test('once, although the answer of the gateway was lost and the command repeated', async () => {
    for (const loses of ['answer', 'body'] as const) {
      gateway.fail({ text: '/withdrawals/intent', loses })
      const lost = await withdraw('1', '--idempotency-key', 'payout 1')
      expect(lost).toMatchObject({ code: 75, stdout: '' })
      expect(lost.stderr).toContain('1.000000 USDC may be set aside for a withdrawal.')
      expect(lost.stderr).toContain("farebox withdraw 1.000000 --idempotency-key 'payout 1'")
    }
    gateway.fail()
    for (const _ of ['continued', 'repeated'])
      expect((await withdraw('1', '--idempotency-key', 'payout 1')).code).toBe(0)
    expect(await received()).toBe(parseUsdc('2'))
  })

  test('once, although the transaction was lost', async () => {
    node.fail({ text: '"eth_sendRawTransaction"', loses: 'request' })
    const lost = await withdraw('1')
    expect(lost).toMatchObject({ code: 75, stdout: '' })
    expect(await received()).toBe(parseUsdc('2'))
    node.fail()
    for (const _ of ['continued', 'repeated']) expect((await withdraw('--id', idIn(lost))).code).toBe(0)
    expect(await received()).toBe(parseUsdc('3'))
  })

  test('only with a ticket for this amount, wallet and vault', async () => {
    const before = await on.chain.client.getTransactionCount({ address })
    const { vault } = on.chain.contracts
    for (const replaces of [
      ['"amount":"1000000"', '"amount":"2000000"'],
      [`"to":"${address}"`, `"to":"${vault}"`],
      [`"vault":"${getAddress(vault)}"`, `"vault":"${address}"`],
      ['"chainId":31337', '"chainId":1'],
    ] as const) {
      gateway.fail({ text: '/providers/withdrawals/wd_', replaces })
      const { code, stderr } = await withdraw('1', '--idempotency-key', 'forged')
      expect(stderr, replaces[1]).toContain('TICKET_MISMATCH')
      expect(code).toBe(5)
    }
    expect(await on.chain.client.getTransactionCount({ address })).toBe(before)
    gateway.fail()
    expect((await withdraw('1', '--idempotency-key', 'forged')).code).toBe(0)
    expect(await received()).toBe(parseUsdc('4'))
  })

  test('after the review of an operator', async () => {
    const waiting = await withdraw('4')
    expect(waiting.code).toBe(75)
    expect(waiting.stdout).toMatch(/^wd_\w+ PENDING_REVIEW\n$/)
    const id = idIn(waiting)
    expect((await cli.run(['withdraw', '--list'])).stdout).toMatch(
      new RegExp(`^${id} +4\\.000000 +PENDING_REVIEW`, 'm'),
    )
    expect((await withdraw('--id', id)).code).toBe(75)
    const token = await signIn(on.url, admin)
    await post(on, `/admin/withdrawals/${id}/approve`, { token, body: { reason: 'As agreed.' } })
    expect((await withdraw('--id', id)).stdout).toContain('Withdrew 4.000000 USDC')
    expect(await received()).toBe(parseUsdc('8'))
  })
})
