import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../src/http/openapi/contract.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Callers, inviteCallers } from '../kit/world/callers.ts'
import { newWallet } from '../kit/world/wallets.ts'

const PUBLIC_BYTES_MAX = 65_536
const REQUEST_BYTES_MAX = 131_072

let gateway: TestGateway
let callers: Callers
beforeAll(async () => {
  const admin = newWallet()
  gateway = await startTestGateway({
    env: { ADMIN_WALLETS: admin.address, REQUEST_BYTES_MAX: String(REQUEST_BYTES_MAX) },
  })
  callers = await inviteCallers(gateway, admin)
})
afterAll(() => gateway.stop())

/** Returns a JSON text of this many bytes. */
const text = (bytes: number) => JSON.stringify('a'.repeat(bytes - 2))

async function ask({ method, url, contract }: Operation, body: string, isChunked: boolean) {
  const answer = await fetch(`${gateway.url}${url.replaceAll(/:[A-Za-z]+/g, 'none')}`, {
    method,
    headers: { 'content-type': 'application/json', ...callers.admitted[contract.access] },
    body: isChunked ? new Blob([body]).stream() : body,
    ...(isChunked && { duplex: 'half' }),
  } as RequestInit)
  return { status: answer.status, body: (await answer.json()) as { detail?: { limitBytes?: number } } }
}

test('limits the body of operations without a token to 64 KiB, by content length and in chunks, and of others to their own limit', async () => {
  const posts = gateway.gateway.operations.all.filter(({ method }) => method !== 'GET')
  const isPublic = ({ contract: { access } }: Operation) => access === 'public' || access === 'anyone'
  expect(posts.filter(isPublic).map(({ contract }) => contract.id)).toEqual(
    expect.arrayContaining(['verifyChallenge', 'submitFeedback']),
  )
  for (const operation of posts.filter(
    ({ schema, contract }) => (schema.body ?? contract.body) !== undefined,
  )) {
    if (operation.contract.bodyType !== undefined) continue // forms of OAuth, limited in oauth.test.ts
    const limitBytes = isPublic(operation) ? PUBLIC_BYTES_MAX : REQUEST_BYTES_MAX
    for (const isChunked of [false, true]) {
      const { status, body } = await ask(operation, text(limitBytes + 1), isChunked)
      expect([operation.contract.id, status]).toEqual([operation.contract.id, 413])
      expect(JSON.stringify(body)).toContain(`Send at most ${limitBytes} bytes.`)
      const { status: taken } = await ask(operation, text(limitBytes), isChunked)
      // This gateway takes no x402 payments, whatever they are for.
      expect(taken, operation.contract.id).toBe(operation.contract.id === 'callPaidResource' ? 503 : 400)
    }
  }
  const unknown = await fetch(`${gateway.url}/nowhere`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text(PUBLIC_BYTES_MAX + 1),
  })
  expect([unknown.status, await unknown.json()]).toMatchObject([
    413,
    { detail: { limitBytes: PUBLIC_BYTES_MAX } },
  ])
})
