import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { errorCodesOf } from '../../src/http/openapi/contract.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Sent, send } from '../kit/network/http.ts'
import { inviteCallers } from '../kit/world/callers.ts'
import { newWallet } from '../kit/world/wallets.ts'
import { ownerWith } from '../kit/world/world.ts'

// Rules for every path.

const admin = newWallet()
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const CHALLENGES_PER_MINUTE = 2

let gateway: TestGateway
let behindProxy: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ env: { ADMIN_WALLETS: admin.address } })
  behindProxy = await startTestGateway({
    share: gateway,
    env: { TRUST_PROXY: '1', CHALLENGES_PER_MINUTE: String(CHALLENGES_PER_MINUTE) },
  })
})
afterAll(async () => {
  await behindProxy.stop()
  await gateway.stop()
})

const ask = (path: string, sent: Sent = {}) =>
  fetch(gateway.url + path, { method: sent.method ?? 'GET', headers: { ...sent.headers } })

test('a path with other methods answers 405 and lists them in Allow', async () => {
  const served = new Map<string, Set<string>>()
  for (const { method, url } of gateway.gateway.operations.all) {
    const path = url.replaceAll(/:[A-Za-z]+/g, 'none')
    served.set(path, (served.get(path) ?? new Set()).add(method))
  }
  let refusals = 0
  for (const [path, methods] of served) {
    for (const method of METHODS) {
      if (methods.has(method)) continue
      const answer = await ask(path, { method })
      const body = (await answer.json()) as { code?: string }
      // A path parameter may be any text, also `parse-curl`: that operation answers instead.
      if (answer.status !== 405) {
        expect([path, method, body.code]).not.toEqual([path, method, 'NOT_FOUND'])
        // 503: this gateway takes no x402 payments.
        expect([path, method, [401, 404, 415, 503].includes(answer.status)]).toEqual([path, method, true])
        continue
      }
      refusals += 1
      const allowed = (answer.headers.get('allow') ?? '').split(', ')
      expect([path, allowed]).toEqual([path, expect.arrayContaining([...methods])])
      expect(allowed).not.toContain(method)
      if (!path.startsWith('/v1/')) expect(body.code).toBe('METHOD_NOT_ALLOWED')
    }
  }
  expect(refusals).toBeGreaterThan(2 * served.size)
})

test('in production every answer has the security headers, and no development endpoint exists', async () => {
  for (const path of ['/api/v1/services/discover', '/health', '/docs', '/nowhere', '/api/v1/auth/me']) {
    const answer = await ask(path)
    await answer.arrayBuffer()
    const { headers } = answer
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect([headers.get('x-powered-by'), headers.get('server')]).toEqual([null, null])
    expect(headers.get('x-request-id')).toMatch(/\S/)
  }
  const page = await ask('/docs/reference/interactive')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  await page.arrayBuffer()
  const faucet = await send(gateway.url, '/dev/faucet', { method: 'POST', body: {} })
  const mailbox = await send(gateway.url, '/dev/mailbox')
  expect([faucet.status, mailbox.status]).toEqual([404, 404])
})

test('distinguishes clients behind a trusted proxy by X-Forwarded-For', async () => {
  const challenge = async (client: string) => {
    const path = `/api/v1/auth/challenge?address=${newWallet().address}`
    const headers = { 'x-forwarded-for': client }
    return (await send(behindProxy.url, path, { headers })).status
  }
  for (let count = 0; count < CHALLENGES_PER_MINUTE; count += 1) {
    expect(await challenge('203.0.113.7')).toBe(200)
  }
  expect([await challenge('203.0.113.7'), await challenge('203.0.113.8')]).toEqual([429, 200])
})

test("publishes the vault's balance, the liabilities, and whether the books are consistent", async () => {
  const reserves = async () => (await send(gateway.url, '/api/v1/proof/reserves')).body
  const owner = await ownerWith(gateway, '3')
  await gateway.assertBooks()
  await expect.poll(reserves).toMatchObject({
    vaultBalanceUsdc: '3.000000',
    liabilitiesUsdc: '3.000000',
    differenceUsdc: '0.000000',
    liabilities: { consumerUsdc: '3.000000', providerUsdc: '0.000000', platformUsdc: '0.000000' },
    ledgerSumUsdc: '0.000000',
    consistent: true,
    lastReconciledAt: expect.any(String),
  })
  const account = `consumer:${owner.account.address.toLowerCase()}`
  const book = (change: number) =>
    gateway.sql('update accounts set posted = posted + $2 where id = $1', [account, change])
  await book(1)
  await expect(gateway.assertBooks()).rejects.toThrow()
  await expect.poll(reserves).toMatchObject({
    liabilitiesUsdc: '3.000001',
    differenceUsdc: '-0.000001',
    consistent: false,
  })
  await book(-1)
  await gateway.assertBooks()
})

test('treats an empty query parameter as absent, at every operation', async () => {
  const { admitted } = await inviteCallers(gateway, admin)
  const differing: string[] = []
  let asked = 0
  for (const { contract, method, url, schema } of gateway.gateway.operations.all) {
    if (method !== 'GET' || !(schema.querystring instanceof z.ZodObject)) continue
    const path = gateway.url + url.replaceAll(/:[A-Za-z]+/g, 'none')
    const statusOf = async (query: string) => {
      const answer = await fetch(path + query, { headers: admitted[contract.access] })
      await answer.arrayBuffer()
      return answer.status
    }
    const plain = await statusOf('')
    for (const name of Object.keys(schema.querystring.shape)) {
      asked += 1
      if ((await statusOf(`?${name}=`)) !== plain) differing.push(`${contract.id}: ${name}`)
    }
  }
  expect(differing).toEqual([])
  expect(asked).toBeGreaterThan(50)
})

test('sends the rate limit headers with every answer of a limited operation', async () => {
  const { admitted } = await inviteCallers(gateway, admin)
  const silent: string[] = []
  for (const operation of gateway.gateway.operations.all) {
    const { contract, method, url } = operation
    if (!errorCodesOf(operation).includes('RATE_LIMITED')) continue
    const answer = await fetch(gateway.url + url.replaceAll(/:[A-Za-z]+/g, 'none'), {
      method,
      headers: { 'content-type': 'application/json', ...admitted[contract.access] },
      // A report; nothing that any other operation takes.
      ...(method !== 'GET' && { body: '{"source":"docs","sentiment":"neutral","message":"Fine."}' }),
    })
    await answer.arrayBuffer()
    const reported = `${answer.headers.get('ratelimit')} ${answer.headers.get('ratelimit-policy')}`
    if (!/^"([\w-]+)";r=\d+;t=\d+ "\1";q=\d+;w=\d+$/.test(reported))
      silent.push(`${contract.id}: ${reported}`)
  }
  expect(silent).toEqual([])
})
