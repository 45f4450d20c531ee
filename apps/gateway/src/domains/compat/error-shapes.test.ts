import Anthropic from '@anthropic-ai/sdk'
import { type ErrorContext, GatewayError } from '@farebox/wire/errors'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { anthropicError } from './anthropic-rules.ts'
import { type Failure, failureHeaders, failureOf, failureOfAnswer, isRetryBarred } from './failure-rules.ts'
import { openAiError } from './openai-rules.ts'

const REQUEST_ID = 'req_1'

/** Returns a stored call to which the provider responded with an error status. */
function refusedBy(status: number, body: unknown) {
  const state = status >= 500 ? 'FAILED_RETRYABLE' : 'FAILED_FINAL'
  return upstream({ reason: 'status', upstreamStatus: status, upstreamBody: textOf(body), status: state })
}

function upstream(context: ErrorContext): Failure {
  const error = new GatewayError('UPSTREAM_ERROR', { invocationId: 'inv_1', ...context })
  return failureOfAnswer({ httpStatus: error.status, body: JSON.stringify(error.toBody(REQUEST_ID)) })
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

/** Returns the error that the official client of an API raises for a failure, and its number of requests. */
async function raised(api: 'openai' | 'anthropic', failure: Failure) {
  let requests = 0
  const { status, body } =
    api === 'openai'
      ? {
          status: openAiError(failure, REQUEST_ID).status,
          body: { error: openAiError(failure, REQUEST_ID).error },
        }
      : anthropicError(failure, REQUEST_ID)
  const fetch = async () => {
    requests += 1
    const headers = {
      'content-type': 'application/json',
      ...failureHeaders(failure, false),
      'retry-after-ms': '1',
    }
    return new Response(JSON.stringify(body), { status, headers })
  }
  const options = { apiKey: 'agt_test', baseURL: 'http://gateway.test/v1', fetch, maxRetries: 2 }
  const asked =
    api === 'openai'
      ? new OpenAI(options).chat.completions.create({ model: 'm', messages: [] })
      : new Anthropic(options).messages.create({ model: 'm', messages: [], max_tokens: 1 })
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof OpenAI.APIError) && !(error instanceof Anthropic.APIError)) throw error
  return { error, requests }
}

const gatewayFailures = [
  [
    'CREDENTIAL_INVALID',
    OpenAI.AuthenticationError,
    Anthropic.AuthenticationError,
    'authentication_error',
    1,
  ],
  [
    'CREDENTIAL_INACTIVE',
    OpenAI.AuthenticationError,
    Anthropic.AuthenticationError,
    'authentication_error',
    1,
  ],
  ['INSUFFICIENT_BALANCE', OpenAI.APIError, Anthropic.APIError, 'billing_error', 1],
  ['BUDGET_EXHAUSTED', OpenAI.APIError, Anthropic.APIError, 'billing_error', 1],
  [
    'SERVICE_NOT_ALLOWED',
    OpenAI.PermissionDeniedError,
    Anthropic.PermissionDeniedError,
    'permission_error',
    1,
  ],
  ['SERVICE_NOT_FOUND', OpenAI.NotFoundError, Anthropic.NotFoundError, 'not_found_error', 1],
  ['INVALID_PAYLOAD', OpenAI.BadRequestError, Anthropic.BadRequestError, 'invalid_request_error', 1],
  ['PAYLOAD_TOO_LARGE', OpenAI.APIError, Anthropic.APIError, 'request_too_large', 1],
  ['IDEMPOTENCY_CONFLICT', OpenAI.ConflictError, Anthropic.ConflictError, 'conflict_error', 1],
  ['IDEMPOTENCY_IN_PROGRESS', OpenAI.ConflictError, Anthropic.ConflictError, 'conflict_error', 1],
  [
    'LLM_AUTO_HOLD_LIMIT_EXCEEDED',
    OpenAI.UnprocessableEntityError,
    Anthropic.UnprocessableEntityError,
    'invalid_request_error',
    1,
  ],
  [
    'LIMIT_EXCEEDED',
    OpenAI.UnprocessableEntityError,
    Anthropic.UnprocessableEntityError,
    'invalid_request_error',
    1,
  ],
  ['RATE_LIMITED', OpenAI.RateLimitError, Anthropic.RateLimitError, 'rate_limit_error', 3],
  ['UNAVAILABLE', OpenAI.InternalServerError, Anthropic.InternalServerError, 'api_error', 3],
  ['INTERNAL', OpenAI.InternalServerError, Anthropic.InternalServerError, 'api_error', 3],
] as const

describe('gateway errors in the official clients', () => {
  for (const [code, openAiClass, anthropicClass, anthropicType, requests] of gatewayFailures) {
    test(`${code} is raised as ${openAiClass.name} and as ${anthropicClass.name}`, async () => {
      const failure = failureOf(new GatewayError(code, { note: 'kept' }))
      const byOpenAi = await raised('openai', failure)
      expect(byOpenAi.error).toBeInstanceOf(openAiClass)
      expect(byOpenAi.requests).toBe(requests)
      expect(byOpenAi.error.error).toMatchObject({ farebox: { code, requestId: REQUEST_ID, note: 'kept' } })

      const byAnthropic = await raised('anthropic', failure)
      expect(byAnthropic.error).toBeInstanceOf(anthropicClass)
      expect(byAnthropic.error.status).toBe(failure.status)
      expect(byAnthropic.requests).toBe(requests)
      expect(byAnthropic.error.error).toMatchObject({
        type: 'error',
        error: { type: anthropicType, farebox: { code, note: 'kept' } },
        request_id: REQUEST_ID,
      })
    })
  }

  test.each([
    ['CREDENTIAL_INACTIVE', 'Its owner can mint another.'],
    ['SERVICE_NOT_ALLOWED', 'Its owner can allow it.'],
  ] as const)('%s says what its caller can ask for, in the message of either client', async (code, next) => {
    const failure = failureOf(new GatewayError(code))
    expect((await raised('openai', failure)).error.message).toContain(next)
    expect((await raised('anthropic', failure)).error.message).toContain(next)
  })

  test('an exhausted budget is 402 insufficient_quota and is not retried', async () => {
    const context = { limit: 'credential_credit', remainingUsdc: '0.000100' }
    const { error, requests } = await raised(
      'openai',
      failureOf(new GatewayError('BUDGET_EXHAUSTED', context)),
    )
    expect(error).toMatchObject({ status: 402, code: 'insufficient_quota', type: 'insufficient_quota' })
    expect(error.error).toMatchObject({ farebox: context })
    expect(requests).toBe(1)
  })

  test('an unknown model is model_not_found, as at OpenAI', async () => {
    const { error } = await raised('openai', failureOf(new GatewayError('SERVICE_NOT_FOUND')))
    expect(error).toMatchObject({ type: 'invalid_request_error', param: 'model', code: 'model_not_found' })
  })

  test('an invalid member is named by its path in the request body', () => {
    const issues = [{ path: 'payload.body.max_tokens', message: 'Must be a whole number.' }]
    const message = 'payload.body.max_tokens: Must be a whole number.'
    const failure = failureOf(new GatewayError('INVALID_PAYLOAD', { issues }, { message }))
    const { error } = openAiError(failure, REQUEST_ID)
    expect(error).toMatchObject({ param: 'max_tokens', message: 'max_tokens: Must be a whole number.' })
  })

  test('LLM_AUTO_HOLD_LIMIT_EXCEEDED states the affordable number of tokens', () => {
    const error = new GatewayError('LLM_AUTO_HOLD_LIMIT_EXCEEDED', { affordableMaxTokens: 42 })
    expect(openAiError(failureOf(error), REQUEST_ID).error.message).toContain('at most 42')
  })
})

describe('provider errors in the official clients', () => {
  const badRequest = {
    error: { message: "Unknown parameter: 'x'.", type: 'invalid_request_error', param: 'x', code: 'unknown' },
  }

  test("a rejected request raises the provider's own error and is not retried", async () => {
    const { error, requests } = await raised('openai', refusedBy(400, badRequest))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ type: 'invalid_request_error', param: 'x', code: 'unknown' })
    expect(error.message).toContain("The provider answered 400: Unknown parameter: 'x'.")
    expect(error.error).toMatchObject({ farebox: { code: 'UPSTREAM_ERROR', invocationId: 'inv_1' } })
    expect(requests).toBe(1)

    const body = { type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens: too large' } }
    const anthropic = await raised('anthropic', refusedBy(400, body))
    expect(anthropic.error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(anthropic.error.message).toContain('max_tokens: too large')
  })

  test('a rate-limited or overloaded provider is retried', async () => {
    const tooFast = { error: { message: 'Slow down', type: 'tokens', code: 'rate_limit_exceeded' } }
    const openAi = await raised('openai', refusedBy(429, tooFast))
    expect(openAi.error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(openAi.requests).toBe(3)
    const busy = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const anthropic = await raised('anthropic', refusedBy(529, busy))
    expect(anthropic.error).toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } })
    expect(anthropic.requests).toBe(3)
  })

  test('an upstream 401, 402, 403, 404 or 405 is 502 and is not retried', async () => {
    for (const status of [401, 402, 403, 404, 405]) {
      const failure = refusedBy(status, badRequest)
      const { error, requests } = await raised('openai', failure)
      expect(error).toBeInstanceOf(OpenAI.InternalServerError)
      expect(error).toMatchObject({ status: 502, type: 'api_error', code: 'upstream_error' })
      expect(error.message).toContain(`The provider answered ${status}`)
      expect(requests).toBe(1)
    }
  })

  test("a provider's 500 is retried, unless the idempotency key replays the failure", async () => {
    const failure = refusedBy(500, 'Internal Server Error')
    const { error, requests } = await raised('openai', failure)
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error.message).toContain('The provider answered 500: Internal Server Error')
    expect(requests).toBe(3)
    expect(isRetryBarred(failure, true)).toBe(true)
    expect(isRetryBarred(failure, false)).toBe(false)
  })

  test('a call that may still be charged is not retried', async () => {
    const failure = upstream({ reason: 'usage_missing', status: 'PROCESSING' })
    for (const api of ['openai', 'anthropic'] as const) {
      const { error, requests } = await raised(api, failure)
      expect(error.status).toBe(502)
      expect(error.headers?.get('x-should-retry')).toBe('false')
      expect(error.headers?.get('farebox-invocation-id')).toBe('inv_1')
      expect(requests).toBe(1)
    }
  })

  test('a provider timeout is 504', async () => {
    const failure = upstream({ reason: 'timeout', status: 'FAILED_RETRYABLE' })
    expect((await raised('anthropic', failure)).error).toMatchObject({
      status: 504,
      error: { error: { type: 'timeout_error' } },
    })
  })

  test('an error body in an unknown format keeps its status and is truncated', () => {
    const page = `<html>${'x'.repeat(2_000)}`
    const { status, error } = openAiError(refusedBy(413, page), REQUEST_ID)
    expect(status).toBe(413)
    expect(error).toMatchObject({ type: 'invalid_request_error', param: null, code: null })
    expect(error.message.length).toBeLessThan(600)
    for (const odd of ['[]', 'null', '{"error":null}', '{"error":"text"}', '']) {
      expect(openAiError(refusedBy(400, odd), REQUEST_ID).status).toBe(400)
    }
  })
})
