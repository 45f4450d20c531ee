import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHARGE, EVENTS } from '../kit/llm/raw-model.ts'
import { until } from '../kit/until.ts'
import { FUNDS, type LlmFixture, startLlmFixture } from './llm-fixture.ts'

const STREAMS = 1_000
/** Streams that are asked for together: a busy gateway sheds calls that would wait too long. */
const ARRIVING = 100
/** Maximum memory of the gateway for a thousand small streams, in bytes: a quarter of a MiB each. */
const MEMORY_MAX = 256 * 1_048_576

let fixture: LlmFixture
beforeAll(async () => {
  fixture = await startLlmFixture({
    LEASE_SECONDS: '30',
    DATABASE_CONNECTIONS: '10',
    STREAMS_PER_OWNER: String(STREAMS),
  })
})
afterAll(() => fixture.stop())

/** Memory of the gateway process that is in use, in bytes. */
async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${fixture.on.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024
}

test('failure 78: of 1,000 concurrent streams each is charged, none is lost, and memory stays bounded', async () => {
  const payer = await fixture.payer()
  fixture.model.begin()
  const before = await residentBytes()
  const callers: ReturnType<typeof fixture.listen>[] = []
  while (callers.length < STREAMS) {
    const keys = Array.from({ length: ARRIVING }, (_, index) => `k${callers.length + index}`)
    callers.push(...keys.map(key => fixture.listen(payer, key)))
    await fixture.model.untilOpen(callers.length)
  }
  for (const { response } of fixture.model.open)
    for (let turn = 0; turn < 20; turn += 1) response.write(EVENTS.chunk)
  const events = 21
  const hasAll = (text: string) => text.split('\n\n').length > events
  await until('every caller has what was sent', () => callers.every(caller => hasAll(caller.text())))
  expect((await residentBytes()) - before).toBeLessThan(MEMORY_MAX)
  const open = await fixture.calls(payer)
  expect(open.filter(({ status }) => status === 'PENDING')).toHaveLength(STREAMS)

  for (const { response } of fixture.model.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
  await Promise.all(callers.map(({ over }) => over))
  for (const caller of callers) {
    expect(caller.isWhole()).toBe(true)
    expect(caller.text().endsWith('data: [DONE]\n\n')).toBe(true)
  }
  const calls = await fixture.calls(payer)
  expect(calls).toHaveLength(STREAMS)
  expect(calls.filter(call => call.status === 'SUCCEEDED' && BigInt(call.charged) === CHARGE)).toHaveLength(
    STREAMS,
  )
  const spent = BigInt(STREAMS) * CHARGE
  expect(await fixture.balance(payer)).toMatchObject({ available: FUNDS - spent, held: 0n })
  await fixture.on.assertBooks()
})
