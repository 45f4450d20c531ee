import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { post } from '../../../apps/gateway/test/kit/network/http.ts'
import { sendJson } from '../../../apps/gateway/test/kit/provider/provider.ts'
import { countCharges } from '../../../apps/gateway/test/kit/world/payer.ts'
import { openSmallMarket, type SmallMarket } from '../../../apps/gateway/test/kit/world/small-market.ts'
import { type Cli, openCli } from './kit/cli.ts'
import { type FaultyProxy, startFaultyProxy } from './kit/faulty-proxy.ts'

const TRY_ONCE = ['--retry-for', '0']

let market: SmallMarket
let line: FaultyProxy
let cli: Cli

beforeAll(async () => {
  const manifest = { agentToolName: 'tides', serviceName: 'Tides of the river' }
  market = await openSmallMarket({ priceUsdc: '0.01', manifest })
  market.server.respondWith((_, response) => sendJson(response, 200, { tide: 'high' }))
})
afterAll(() => market.close())
beforeEach(async () => {
  line = await startFaultyProxy(market.on.url)
  cli = await openCli({ FAREBOX_URL: line.url, FAREBOX_CREDENTIAL: market.credential.token })
})
afterEach(async () => {
  await Promise.all([line.stop(), cli.remove()])
})

const charges = () => countCharges(market.on, market.owner)

describe('a call whose answer', () => {
  test('breaks off is repeated under its key, and paid once', async () => {
    const before = await charges()
    line.fail({ text: '/agent/invoke', loses: 'half' })
    const { child, ended } = cli.start(['invoke', 'tides'])
    child.stderr?.once('data', () => line.fail())
    const { code, stdout, stderr } = await ended
    expect(stderr).toContain('The answer broke off. (UNREACHABLE) Retrying with the same key')
    expect(JSON.parse(stdout)).toEqual({ tide: 'high' })
    expect(code).toBe(0)
    expect(await charges()).toBe(before + 1)
  })

  test.each([
    ['breaks off', ['tides'], { loses: 'half' }],
    ['is no JSON', ['tides'], { replaces: ['{"invocationId"', '<html>'] }],
    ['has no body', ['ferryman', '-p', 'Hello'], { loses: 'body' }],
  ] as const)('%s is not reported as free, and is got again', async (fault, call, how) => {
    line.fail({ text: '/agent/invoke', ...how })
    const lost = await cli.run(['invoke', ...call, '--idempotency-key', fault, ...TRY_ONCE])
    expect(lost).toMatchObject({ code: 75, stdout: '' })
    expect(lost.stderr).toContain('The gateway may have made the call and charged ')
    line.fail()
    const before = await charges()
    expect(await cli.run(['invoke', '--again', fault])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\w/),
    })
    expect(await charges()).toBe(before)
  })

  test('was lost stays pending when its credential is refused, and comes by the rotated one', async () => {
    const { on, owner, credential } = market
    line.fail({ text: '/agent/invoke', loses: 'answer' })
    expect(await cli.run(['invoke', 'tides', '--idempotency-key', 'order', ...TRY_ONCE])).toMatchObject({
      code: 75,
    })
    line.fail()
    const before = await charges()
    const path = `/credentials/agent/${credential.id}/rotate`
    const rotated = await post<{ token: string }>(on, path, { token: owner.token, body: {} })

    const refused = await cli.run(['invoke', '--again', 'order'])
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toContain('The gateway may have made the call and charged 0.010000 USDC, once.')

    const env = { FAREBOX_CREDENTIAL: rotated.body.token }
    const again = await cli.run(['invoke', '--again', 'order', '--rotated'], { env })
    expect(JSON.parse(again.stdout)).toEqual({ tide: 'high' })
    expect(await charges()).toBe(before)
  })
})
