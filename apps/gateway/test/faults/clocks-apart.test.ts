import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { createInvocations } from '../../src/domains/invocation/create-invocations.ts'
import { recoverCalls } from '../../src/domains/invocation/recovery/recover-calls.ts'
import { releaseUnreported } from '../../src/domains/invocation/recovery/release-unreported.ts'
import { createServiceDirectory } from '../../src/domains/services/find-callable.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type LlmMarket, openLlmMarket } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { report } from '../kit/llm/shapes.ts'
import { statusOf, waitingCall } from '../kit/llm/waiting-calls.ts'
import { get, post } from '../kit/network/http.ts'
import { askChallenge } from '../kit/world/wallets.ts'
import { arrive, issueSecret } from '../kit/world/world.ts'

const HOUR_MS = 3_600_000
const SECRETS = { JWT_SECRET: 'a'.repeat(64), ENCRYPTION_KEY: 'b'.repeat(64) }

/** A gateway on a machine whose clock is right, and others beside it. */
let market: LlmMarket
beforeAll(async () => {
  market = await openLlmMarket({ env: SECRETS })
})
afterEach(() => market.assertBooks())
afterAll(() => market.stop())

describe.for([
  ['ahead', HOUR_MS],
  ['behind', -HOUR_MS],
] as const)('a gateway on a machine whose clock is an hour %s', ([, offMs]) => {
  let other: TestGateway
  beforeAll(async () => {
    const machineClock = { ...systemClock, now: () => Date.now() + offMs }
    other = await startTestGateway({ env: SECRETS, share: market, machineClock })
  })
  afterAll(() => other.stop())

  test('releases no call of another gateway whose usage may still be reported', async () => {
    const secret = await issueSecret(market, market.provider)
    const payer = await newPayer(market)
    const { invocationId } = await waitingCall(market, payer)
    const { deps } = other.gateway
    const invocations = createInvocations({ ...deps, directory: createServiceDirectory(deps) })
    expect([await releaseUnreported(invocations), await recoverCalls(invocations)]).toEqual([0, 0])
    expect(await statusOf(market, payer, invocationId)).toMatchObject({ status: 'PROCESSING' })
    const usage = { inputTokens: 4, outputTokens: 9 }
    expect((await report(other, secret, { invocationId, usage })).status).toBe(200)
  })

  test('accepts the challenges and sessions of other gateways, and they accept its own', async () => {
    for (const [from, to] of [
      [market, other],
      [other, market],
    ] as const) {
      const { account } = await arrive(market)
      const message = await askChallenge(from.url, account.address)
      const body = { address: account.address, message, signature: await account.signMessage({ message }) }
      const session = await post<{ token: string }>(to, '/auth/verify', { body })
      expect(session.status).toBe(200)
      expect((await get(from, '/auth/me', { token: session.body.token })).status).toBe(200)
    }
  })
})
