import { type Usdc, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import { type InvokeInput, invokeIn } from '@farebox/wire/invocation'
import { describe, expect, test } from 'vitest'
import type { CallableService } from '../../services/find-callable.ts'
import { quoteCall } from './quote-call.ts'

const service: CallableService = {
  id: 'svc_1',
  version: 7n,
  agentToolName: 'weather',
  serviceName: 'Weather',
  provider: '0xb',
  method: 'POST',
  targets: [],
  encoding: 'json',
  contentType: null,
  placeholders: [],
  queryNames: [],
  fixedParameters: [],
  timeoutMs: 1_000,
  streamIdleTimeoutMs: 1_000,
  streamMaxMs: 1_000,
  upstreamHeaders: {},
  withoutSecrets: text => text,
  signingSecret: null,
  pricing: { model: 'fixed', price: usdc(50_000n), listedPrice: usdc(40_000n) },
  validateRequest: () => null,
  validateQuery: () => null,
  validatePath: () => null,
  validateResponse: () => null,
}
const llm: CallableService = {
  ...service,
  pricing: {
    model: 'token_metered',
    inputPricePer1M: usdc(1_000_000n),
    outputPricePer1M: usdc(1_000_000n),
    cacheReadPricePer1M: null,
    cacheWritePricePer1M: null,
    defaultMaxOutputTokens: 100,
    maxAutoHold: usdc(1_000n),
    holdBufferBps: 10_000,
    dialect: 'openai',
    outputLimitField: null,
    upstreamModel: null,
    modelFamily: null,
    inputModalities: null,
    mediaTokens: 2_000,
    contextTokens: null,
  },
}
const prompt = { body: { messages: [] } }

function quote(
  given: Record<string, unknown>,
  options: {
    found?: CallableService | null
    canStream?: boolean
    assertsPrice?: boolean
    perCall?: Usdc
  } = {},
) {
  const { found = service, canStream = false, assertsPrice = true, perCall = null } = options
  const asked: string[] = []
  const directory = {
    find: async (reference: string) => {
      asked.push(reference)
      return found
    },
    forget: () => undefined,
    forgetProvider: () => undefined,
  }
  const input: InvokeInput = invokeIn.parse({ serviceId: 'weather', ...given })
  return quoteCall(
    { directory },
    { input, canStream, assertsPrice, isFlat: false, perCall: async () => perCall },
  )
}

/** The refusal as a caller gets it. */
function refusalOf({ quote: quoted }: { quote: unknown }) {
  if (!(quoted instanceof GatewayError)) throw new Error('It was quoted.')
  return { code: quoted.code, ...quoted.context }
}
const holdOf = ({ quote: quoted }: { quote: GatewayError | { hold: Usdc } }) => {
  if (quoted instanceof GatewayError) throw quoted
  return quoted.hold
}

describe('a call at a fixed price', () => {
  test('is quoted at the price of the service, for its provider', async () => {
    expect(await quote({ costUsdc: '0.05' })).toEqual({
      quote: { serviceId: 'svc_1', provider: '0xb', hold: 50_000n, metering: null },
      service,
      llm: null,
      parts: {
        payload: { body: undefined, query: undefined, path: undefined },
        query: '',
        path: new Map(),
        encoded: null,
      },
      wantsStream: false,
    })
  })

  test('is quoted at the listed price when the price is optional and omitted, and at the saved one when asserted', async () => {
    expect(holdOf(await quote({}, { assertsPrice: false }))).toBe(40_000n)
    expect(holdOf(await quote({ maxCostUsdc: '0.04' }, { assertsPrice: false }))).toBe(40_000n)
    expect(holdOf(await quote({ costUsdc: '0.05' }, { assertsPrice: false }))).toBe(50_000n)
    const capped = await quote({ maxCostUsdc: '0.039999' }, { assertsPrice: false })
    expect(refusalOf(capped)).toMatchObject({ code: 'PRICE_MISMATCH', currentPriceUsdc: '0.040000' })
  })

  test('is refused when the caller asserts another price, or none', async () => {
    const current = { code: 'PRICE_MISMATCH', currentPriceUsdc: '0.050000' }
    expect(refusalOf(await quote({ costUsdc: '0.06' }))).toEqual({
      ...current,
      expectedPriceUsdc: '0.060000',
    })
    expect(refusalOf(await quote({ maxCostUsdc: '0.05' }))).toEqual({ ...current, expectedPriceUsdc: null })
  })

  test("is refused with both amounts when the price exceeds the caller's cap", async () => {
    const current = { code: 'PRICE_MISMATCH', currentPriceUsdc: '0.050000' }
    for (const costUsdc of ['0.05', undefined]) {
      const quoted = await quote({ costUsdc, maxCostUsdc: '0.049999' })
      expect(refusalOf(quoted)).toMatchObject(current)
    }
    const below = await quote({ costUsdc: '0.05', maxCostUsdc: '0.049999' })
    expect(refusalOf(below)).toEqual({ ...current, expectedPriceUsdc: '0.049999' })
    expect(holdOf(await quote({ costUsdc: '0.05', maxCostUsdc: '0.05' }))).toBe(50_000n)
  })

  test.each([
    ['stream', true, true],
    ['stream', false, false],
    ['sync', true, false],
    [undefined, true, false],
  ])('with responseMode %s from an API that can stream (%s) wants a stream: %s', async (...row) => {
    const [responseMode, canStream, wantsStream] = row
    const quoted = await quote({ costUsdc: '0.05', responseMode }, { canStream })
    expect(quoted.wantsStream).toBe(wantsStream)
  })
})

describe('a metered call', () => {
  test('holds the cost of its prompt and its output limit', async () => {
    const quoted = await quote({ payload: prompt }, { found: llm })
    const body = '{"messages":[],"max_tokens":100}'
    expect(quoted.llm).toMatchObject({ body, maxOutputTokens: 100, isStreamed: false })
    // 32 bytes are 11 tokens, and 16 come with every request.
    expect(holdOf(quoted)).toBe(11n + 16n + 100n)
    expect(quoted).toMatchObject({
      service: llm,
      wantsStream: false,
      quote: { serviceId: 'svc_1', provider: '0xb', metering: { preAuthMode: 'auto', maxOutputTokens: 100 } },
    })
  })

  test('holds the cap of the caller and lowers the output limit to what it covers', async () => {
    const quoted = await quote({ payload: prompt, maxCostUsdc: '0.000030' }, { found: llm })
    expect(quoted.quote).toMatchObject({
      hold: 30n,
      metering: { preAuthMode: 'explicit', maxOutputTokens: 3 },
    })
    expect(quoted.llm).toMatchObject({ body: '{"messages":[],"max_tokens":3}', maxOutputTokens: 3 })
  })

  test.each(['0', '0.000001', '0.000027'])(
    'is refused with the minimum hold when its cap of %s does not cover the prompt and one token',
    async maxCostUsdc => {
      const quoted = await quote({ payload: prompt, maxCostUsdc }, { found: llm })
      expect(refusalOf(quoted)).toMatchObject({ code: 'LIMIT_EXCEEDED', requiredHoldUsdc: '0.000028' })
    },
  )

  test('is refused with costUsdc, naming maxCostUsdc instead', async () => {
    const message =
      'costUsdc: A token-metered service has no price per call; maxCostUsdc caps what it may cost.'
    const quoted = await quote({ payload: prompt, costUsdc: '0' }, { found: llm })
    expect(refusalOf(quoted)).toEqual({ code: 'INVALID_PAYLOAD', issues: [{ path: 'costUsdc', message }] })
    expect(quoted.quote).toMatchObject({ message })
  })

  test.each([
    [{ responseMode: 'stream', payload: prompt }, true, true],
    [{ responseMode: 'stream', payload: prompt }, false, false],
    [{ responseMode: 'sync', payload: prompt }, true, false],
    [{ payload: { body: { ...prompt.body, stream: true } } }, true, true],
    [{ payload: prompt }, true, false],
  ])('with %j from an API that can stream (%s) is streamed: %s', async (given, canStream, isStreamed) => {
    const quoted = await quote(given, { found: llm, canStream })
    expect(quoted).toMatchObject({ wantsStream: isStreamed, llm: { isStreamed } })
    expect(quoted.quote).toMatchObject({ metering: { isStreamed } })
  })
})

describe('a refusal', () => {
  const payload = { body: undefined, query: undefined, path: undefined }
  const nothing = {
    llm: null,
    parts: { payload, query: '', path: new Map(), encoded: null },
    wantsStream: false,
  }

  test('is returned for invalid input without a service lookup', async () => {
    const wrong = new GatewayError('INVALID_PAYLOAD')
    const directory = {
      find: () => Promise.reject(new Error('Nobody was to be asked.')),
      forget: () => undefined,
      forgetProvider: () => undefined,
    }
    const quoted = await quoteCall(
      { directory },
      { input: wrong, canStream: true, assertsPrice: true, isFlat: false, perCall: async () => null },
    )
    expect(quoted).toEqual({ quote: wrong, service: null, ...nothing })
  })

  test('is returned for an unknown service', async () => {
    const quoted = await quote({ responseMode: 'stream' }, { found: null, canStream: true })
    expect(refusalOf(quoted)).toEqual({ code: 'SERVICE_NOT_FOUND' })
    expect(quoted).toMatchObject({ service: null, ...nothing })
  })

  test('is returned with the service for a body that fails its request schema', async () => {
    const issues = [{ path: 'body.city', message: 'Is required.' }]
    const seen: unknown[] = []
    const strict: CallableService = {
      ...service,
      validateRequest(body) {
        seen.push(body)
        return issues
      },
    }
    const given = { payload: { body: { town: 'x' } }, costUsdc: '0.05', responseMode: 'stream' }
    const quoted = await quote(given, { found: strict, canStream: true })
    expect(refusalOf(quoted)).toEqual({ code: 'INVALID_PAYLOAD', issues })
    expect(quoted).toMatchObject({ service: strict, ...nothing })
    expect(seen).toEqual([{ town: 'x' }])
  })

  test('is not returned for an internal error, which throws', async () => {
    const broken: CallableService = {
      ...service,
      validateRequest() {
        throw new RangeError('broken')
      },
    }
    await expect(quote({ costUsdc: '0.05' }, { found: broken })).rejects.toThrow('broken')
  })
})
