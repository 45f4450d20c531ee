import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseCurl } from '../../src/domains/authoring/parse-curl.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { newWallet, sessionFor } from '../kit/world/wallets.ts'
import { commands, SECRET } from './curl-command.ts'
import { oddText } from './odd-json.ts'
import { runs } from './runs.ts'

const RUNS = 80
const PURE_RUNS = 5_000

let gateway: TestGateway
beforeAll(async () => {
  // Drafts are limited by client and by wallet.
  gateway = await startTestGateway({ env: { TRUST_PROXY: '1' } })
})
afterAll(() => gateway.stop())

test('every command is refused or yields a draft that can be registered unchanged or is refused in contract', async () => {
  let drafts = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(commands, oddText), fc.ipV4(), async (curlCommand, client) => {
      const token = await sessionFor(gateway.gateway.deps, newWallet().address)
      const path = '/api/v1/services/parse-curl'
      const headers = { 'x-forwarded-for': client }
      const asked = { method: 'POST', token, headers, body: { curlCommand } } as const
      const answer = await send(gateway.url, path, asked)
      expect([200, 400]).toContain(answer.status)
      if (answer.status === 400) return
      drafts += 1
      const manifest = answer.body.manifest as Record<string, unknown>
      const registered = await send(gateway.url, '/api/v1/services', {
        method: 'POST',
        token,
        body: manifest,
      })
      expect([200, 400, 409, 422]).toContain(registered.status)
      expect(gateway.observer.takeFaults()).toEqual([])
    }),
    runs(RUNS),
  )
  expect(drafts).toBeGreaterThan(0)
})

test('shows callers no part of a secret in a command', () => {
  let drafts = 0
  fc.assert(
    fc.property(commands, command => {
      const draft = draftOf(command)
      if (draft === null) return
      drafts += 1
      const { upstreamHeaders: _, invoke, ...shown } = draft
      const { targets: __, ...described } = invoke as Record<string, unknown>
      expect(JSON.stringify([shown, described])).not.toContain(SECRET)
    }),
    runs(PURE_RUNS),
  )
  expect(drafts).toBeGreaterThan(0)
})

/** The manifest of a command; null when it is refused in words of our own. */
function draftOf(command: string): Readonly<Record<string, unknown>> | null {
  try {
    return parseCurl(command).manifest
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_PAYLOAD' })
    return null
  }
}
