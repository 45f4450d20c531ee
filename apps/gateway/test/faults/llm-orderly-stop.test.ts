import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatBody } from '../kit/llm/llm-market.ts'
import { CHARGE, closed, EVENTS } from '../kit/llm/raw-model.ts'
import { report } from '../kit/llm/shapes.ts'
import { until } from '../kit/until.ts'
import type { Payer } from '../kit/world/payer.ts'
import { issueSecret } from '../kit/world/world.ts'
import { FUNDS, type LlmFixture, startLlmFixture } from './llm-fixture.ts'

/** Long enough for a busy machine to end the streams of the first test within it. */
const DRAIN_SECONDS = 4
/** From the end of the drain to the end of the process. */
const SLACK_MS = 10_000

let fixture: LlmFixture
beforeAll(async () => {
  fixture = await startLlmFixture({ DRAIN_SECONDS: String(DRAIN_SECONDS) })
})
afterAll(() => fixture.stop())

/** Returns the last event that a caller of POST /agent/invoke received. */
function lastEvent(text: string): { name: string | undefined; data: unknown } {
  const [, name, data = 'null'] = /event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? []
  return { name, data: JSON.parse(data) }
}

/** Streams from the model through OpenAI's API; returns the whole answer. */
async function askOpenAi(payer: Payer): Promise<string> {
  const answer = await fetch(`${fixture.on.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(chatBody({ model: fixture.model.service, stream: true })),
  })
  return answer.text()
}

const untilNobodyIsLetIn = () =>
  until('nobody is let in', () =>
    fetch(`${fixture.on.url}/health`, { headers: { connection: 'close' } }).then(
      ({ status }) => status !== 200,
      () => true,
    ),
  )

test('failures 27, 48: SIGTERM lets streams end, even without callers, bills them and exits 0', async () => {
  const payer = await fixture.payer()
  fixture.model.begin()
  const stays = fixture.listen(payer, 'stays')
  const leaves = fixture.listen(payer, 'leaves')
  await fixture.model.untilOpen(2)
  await until('both have begun', () => stays.text() !== '' && leaves.text() !== '')
  leaves.leave()
  await leaves.over
  const ended = fixture.on.sigterm()
  await untilNobodyIsLetIn()
  expect(fixture.on.isAlive()).toBe(true)
  for (const { response } of fixture.model.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
  await stays.over
  expect(stays.text().endsWith('data: [DONE]\n\n')).toBe(true)
  const { code, ms } = await ended
  expect(code).toBe(0)
  expect(ms).toBeLessThan(DRAIN_SECONDS * 1_000 + SLACK_MS)
  const calls = await fixture.calls(payer)
  expect(calls.map(({ status, charged }) => [status, BigInt(charged)])).toEqual([
    ['SUCCEEDED', CHARGE],
    ['SUCCEEDED', CHARGE],
  ])
  await fixture.on.restart()
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - 2n * CHARGE, held: 0n })
  expect((await fixture.stream(payer, 'leaves')).events.at(-1)?.data).toBe('[DONE]')
  await fixture.on.assertBooks()
})

test('failure 27: streams that outlive the drain are cut, wait for their provider, and never look whole', async () => {
  const payer = await fixture.payer()
  fixture.model.begin()
  const stays = fixture.listen(payer, 'stays')
  const leaves = fixture.listen(payer, 'leaves')
  const byOpenAi = askOpenAi(payer)
  await fixture.model.untilOpen(3)
  await until('both have begun', () => stays.text() !== '' && leaves.text() !== '')
  leaves.leave()
  const { code, ms } = await fixture.on.sigterm()
  expect(code).toBe(0)
  expect(ms).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1_000 - 50)
  expect(ms).toBeLessThan(DRAIN_SECONDS * 1_000 + SLACK_MS)
  await stays.over
  expect(stays.text()).not.toContain('[DONE]')
  expect(lastEvent(stays.text())).toMatchObject({
    name: 'error',
    data: { code: 'UPSTREAM_ERROR', detail: { reason: 'stream_cut', status: 'PROCESSING' } },
  })
  const events = (await byOpenAi).trim().split('\n\n')
  expect(JSON.parse(events.at(-1)?.replace('data: ', '') ?? '')).toMatchObject({
    error: { code: expect.any(String) },
  })
  await Promise.all(fixture.model.open.map(closed))
  const calls = await fixture.calls(payer)
  expect(calls.map(({ status }) => status)).toEqual(['PROCESSING', 'PROCESSING', 'PROCESSING'])

  await fixture.on.restart()
  const secret = await issueSecret(fixture.on, fixture.provider)
  for (const { id } of calls) {
    const usage = { inputTokens: 10, outputTokens: 4 }
    expect((await report(fixture.on, secret, { invocationId: id, usage })).status).toBe(200)
  }
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - 3n * CHARGE, held: 0n })
  await fixture.on.assertBooks()
})
