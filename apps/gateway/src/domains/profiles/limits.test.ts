import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { type PartialGateway, startPartialGateway } from '../../../test/kit/gateway/partial-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { newWallet, sessionFor } from '../../../test/kit/world/wallets.ts'

let chain: TestChain
let gateway: PartialGateway
let token: string
const wallet = newWallet()

beforeAll(async () => {
  chain = await startTestChain()
  gateway = await startPartialGateway({ chain: chain.adapter, env: { CHALLENGES_PER_MINUTE: '2' } })
  token = await sessionFor(gateway.deps, wallet.address)
})
afterAll(async () => {
  await gateway?.stop()
  await chain?.stop()
})

test('without a mail server rejects an update with an email as a whole, and accepts others', async () => {
  const path = '/api/v1/auth/me/profile'
  const { body } = await send<{ challenge: string }>(gateway.url, `${path}/challenge`, {
    method: 'POST',
    token,
  })
  const message = body.challenge
  const proof = { message, signature: await wallet.signMessage({ message }) }
  const put = (change: object) =>
    send(gateway.url, path, { method: 'PUT', token, body: { ...proof, ...change } })
  const refused = await put({ username: 'Ada', email: 'ada@example.com' })
  expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE'])
  const done = await put({ username: 'Ada', email: null })
  expect([done.status, done.body.username, done.body.pendingEmail]).toEqual([200, 'Ada', null])
})

test.each([
  ['POST', '/auth/me/profile/challenge', 'profile-challenges', 2],
  ['PUT', '/auth/me/profile', 'profile-updates', 20],
  ['POST', '/auth/email/resend-code', 'resends', 2],
] as const)('%s %s is limited per client', async (method, path, name, quota) => {
  gateway.advance(60_000)
  const ask = () => send(gateway.url, `/api/v1${path}`, { method, token, body: {} })
  const answers = []
  for (let count = 0; count <= quota; count += 1) answers.push(await ask())
  const last = answers.pop()
  expect(answers.map(answer => answer.status)).not.toContain(429)
  expect([last?.status, last?.body.code]).toEqual([429, 'RATE_LIMITED'])
  expect(last?.headers['ratelimit-policy']).toBe(`"${name}";q=${quota};w=60`)
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
})
