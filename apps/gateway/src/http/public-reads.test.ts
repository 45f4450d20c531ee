import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test/kit/gateway/test-gateway.ts'
import { send } from '../../test/kit/network/http.ts'

let on: TestGateway
beforeAll(async () => {
  on = await startTestGateway()
})
afterAll(() => on.stop())

test.each([
  ['/health', { status: 'ok', version: 'test' }],
  ['/ready', { status: 'ok', checks: { database: true, migrations: true, clock: true, chain: true } }],
  ['/api/v1/chain', { decimals: 6, requiredConfirmations: 1, vaultAbi: expect.any(Array) }],
  ['/api/v1/proof/reserves', { status: 'success', liabilitiesUsdc: '0.000000', differenceUsdc: '0.000000' }],
  ['/.well-known/http-message-signatures-directory', { keys: [{ kty: 'OKP', crv: 'Ed25519', use: 'sig' }] }],
])('%s is public', async (path, expected) => {
  const { status, body } = await send(on.url, path)
  expect(status).toBe(200)
  expect(body).toMatchObject(expected)
})

test('compresses a long answer of the API', async () => {
  const { headers } = await fetch(`${on.url}/api/v1/chain`, { headers: { 'accept-encoding': 'br' } })
  expect(headers.get('content-encoding')).toBe('br')
})
