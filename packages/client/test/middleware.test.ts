import { createServer } from 'node:http'
import { type FareboxRequest, verifyFarebox as forExpress } from '@farebox/client/express'
import { verifyFarebox as forFastify } from '@farebox/client/fastify'
import { type FareboxEnv, verifyFarebox as forHono } from '@farebox/client/hono'
import type { VerifyOptions } from '@farebox/client/verify'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Listening, listen } from '../../../apps/gateway/test/kit/network/loopback.ts'
import {
  PRICE,
  type SigningFixture,
  startSigningFixture,
} from '../../../apps/gateway/test/kit/world/signing-fixture.ts'
import { invoke, register } from '../../../apps/gateway/test/kit/world/world.ts'

const BODY_BYTES_MAX = 1_000

/** Starts a server of a framework on an origin that is not known before it listens. */
type Start = (optionsOf: (origin: string) => VerifyOptions) => Promise<Listening>

const startExpress: Start = async optionsOf => {
  const app = express()
  const server = createServer(app)
  const listening = await listen(server)
  app.use('/paid', forExpress(optionsOf(listening.origin)))
  app.all('/paid/:name', ({ farebox, body, params }, response) => {
    response.json({ farebox, body, name: params.name })
  })
  return listening
}

const startBare: Start = async optionsOf => {
  let verify: ReturnType<typeof forExpress> | undefined
  const server = createServer((request: FareboxRequest, response) => {
    verify?.(request, response, () => {
      const { farebox, body, url } = request
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ farebox, body, name: url?.slice('/paid/'.length) }))
    })
  })
  const listening = await listen(server)
  verify = forExpress(optionsOf(listening.origin))
  return listening
}

const startFastify: Start = async optionsOf => {
  const app = fastify()
  const listening = await listen(createServer((request, response) => app.routing(request, response)))
  await app.register(async paid => {
    await paid.register(forFastify, optionsOf(listening.origin))
    paid.all<{ Params: { name: string } }>('/paid/:name', async ({ farebox, body, params }) => ({
      farebox,
      body,
      name: params.name,
    }))
  })
  await app.ready()
  return listening
}

const startHono: Start = async optionsOf => {
  const app = new Hono<FareboxEnv>()
  const listening = await listen(createServer(getRequestListener(app.fetch)))
  app.use('/paid/*', forHono(optionsOf(listening.origin)))
  app.all('/paid/:name', async context => {
    const text = await context.req.text()
    const body = text === '' ? undefined : await context.req.json()
    return context.json({ farebox: context.get('farebox'), body, name: context.req.param('name') })
  })
  return listening
}

let fixture: SigningFixture
beforeAll(async () => {
  fixture = await startSigningFixture()
})
afterAll(() => fixture.stop())

describe.each([
  ['Express', startExpress],
  ['node:http', startBare],
  ['Fastify', startFastify],
  ['Hono', startHono],
])('the middleware for %s', (framework, start) => {
  let server: Listening
  let gatewayUrl: string
  beforeAll(async () => {
    gatewayUrl = fixture.on.url
    server = await start(publicUrl => ({
      gatewayUrl,
      publicUrl,
      wallet: fixture.provider.account.address,
      bodyBytesMax: BODY_BYTES_MAX,
      refuseReplays: true,
    }))
  })
  afterAll(() => server.stop())

  const call = async (payload: object, invoked: object = {}) => {
    const serviceId = await register(fixture.on, fixture.provider, {
      targets: [`${server.origin}/paid/quote`],
      priceUsdc: PRICE,
      ...invoked,
    })
    return (await invoke(fixture.on, fixture.credential, { serviceId, costUsdc: PRICE, payload })).body
  }

  test('serves a call of the gateway with its body and its invocation', async () => {
    const answer = await call({ body: { q: 'é' }, query: { city: 'Zürich & Genève' } })
    expect(answer).toMatchObject({
      status: 'SUCCEEDED',
      result: {
        farebox: { invocationId: answer.invocationId, purpose: 'invocation' },
        body: { q: 'é' },
        name: expect.stringMatching(/^quote/),
      },
    })
  })

  test('serves a call without a body', async () => {
    const answer = await call({ query: { city: 'Lisbon' } }, { invoke: { method: 'GET' } })
    expect(answer).toMatchObject({ status: 'SUCCEEDED', result: { farebox: { purpose: 'invocation' } } })
  })

  test('refuses unsigned requests, and bodies beyond its limit', async () => {
    const post = (body: string) =>
      fetch(`${server.origin}/paid/quote`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    const unsigned = await post('{}')
    expect(unsigned.status).toBe(401)
    const text = await unsigned.text()
    expect(text).toContain(framework === 'Fastify' ? 'The request is not signed.' : 'signature_missing')
    expect((await post(JSON.stringify('x'.repeat(100_000)))).status).toBe(413)
  })
})
