import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkEverything } from '../../src/preflight/check-everything.ts'
import { startTestGateway, type TestGateway, testEnvironment } from '../../test/kit/gateway/test-gateway.ts'
import { keepLog } from '../../test/kit/log-lines.ts'

const ANOTHER = { JWT_SECRET: 'another secret of sessions, long enough' }

let on: TestGateway
beforeAll(async () => {
  on = await startTestGateway()
})
afterAll(() => on.stop())

/** Starts and stops one more gateway; returns what it logs about its JWT_SECRET. */
async function startBeside(env: Record<string, string>): Promise<string[]> {
  const { log, lines } = keepLog('warn')
  const beside = await startTestGateway({ share: on, log, env })
  await beside.gateway.stop()
  return lines.filter(({ msg }) => msg.includes('JWT_SECRET')).map(({ level, msg }) => `${level}: ${msg}`)
}

const checked = async (env: Record<string, string>) => {
  const { JWT_SECRET, ENCRYPTION_KEY } = on.gateway.deps.config
  const findings = await checkEverything({ ...testEnvironment(on), JWT_SECRET, ENCRYPTION_KEY, ...env })
  return findings.find(({ check }) => check === 'session key')
}

test('farebox check and the start warn when JWT_SECRET differs from that of a running gateway', async () => {
  expect(await startBeside({})).toEqual([])
  expect(await checked({})).toMatchObject({ status: 'ok' })
  expect(await startBeside(ANOTHER)).toEqual([
    expect.stringMatching(/^warn: JWT_SECRET is not that of the other gateways/),
  ])
  expect(await checked(ANOTHER)).toMatchObject({
    status: 'warning',
    found: 'JWT_SECRET is not that of 1 running gateways: each refuses the sessions of the other.',
    advice: 'Give all gateways the same one, or restart all (docs/operations.md, Keys).',
  })
  // The one that stopped does not count.
  expect(await startBeside({})).toEqual([])
})
