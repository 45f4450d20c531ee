import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

describe('a client with a wrong base URL', () => {
  test.each([
    ['/v1/v1/chat/completions', '/v1/chat/completions', '/v1'],
    ['/api/v1/v1/chat/completions', '/v1/chat/completions', '/v1'],
    ['/chat/completions?x=1', '/v1/chat/completions', '/v1'],
    ['/v1/v1/messages', '/v1/messages', ''],
    ['/v1/chat/completions/chat/completions', '/v1/chat/completions', '/v1'],
    ['/v1/agent/invoke', '/api/v1/agent/invoke', '/api/v1'],
  ])('at %s gets %s and the right one', async (path, meant, base) => {
    const answer = await fetch(`${gateway.url}${path}`, { method: 'POST' })
    const baseUrl = `${gateway.url}${base}`
    const body = (await answer.json()) as { code?: string; error?: { message: string }; message?: string }
    expect(answer.status).toBe(404)
    expect(body.error?.message ?? body.message).toBe(
      `There is nothing at this path. Did you mean ${meant}? Then the base URL of the client is ${baseUrl}.`,
    )
    if (!path.startsWith('/v1/'))
      expect(body).toMatchObject({ code: 'NOT_FOUND', detail: { path: meant, baseUrl } })
  })

  test('shows the right one in the official clients, too', async () => {
    const messages = [{ role: 'user' as const, content: 'x' }]
    const openai = new OpenAI({ apiKey: 'agt_x', baseURL: gateway.url, maxRetries: 0 })
    await expect(openai.chat.completions.create({ model: 'm', messages })).rejects.toThrow(
      `the base URL of the client is ${gateway.url}/v1.`,
    )
    const anthropic = new Anthropic({ apiKey: 'agt_x', baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    await expect(anthropic.messages.create({ model: 'm', max_tokens: 1, messages })).rejects.toThrow(
      `the base URL of the client is ${gateway.url}.`,
    )
  })

  test('gets no suggestion if none is likely', async () => {
    const answer = await fetch(`${gateway.url}/v1/nothing`)
    expect(await answer.json()).toMatchObject({ error: { message: 'There is nothing at this path.' } })
  })
})
