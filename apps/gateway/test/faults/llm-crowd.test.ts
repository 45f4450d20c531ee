import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHARGE, EVENTS } from '../kit/llm/raw-model.ts'
import { until } from '../kit/until.ts'
import { FUNDS, type LlmScene, startLlmScene } from './llm-scene.ts'

const STREAMS = 1_000
/** Streams that are asked for together: a busy gateway sheds calls that would wait too long. */
const ARRIVING = 100
/** What a thousand small streams may take of the gateway's memory, in bytes: a quarter of a MiB each. */
const MEMORY_MAX = 256 * 1_048_576

let scene: LlmScene
beforeAll(async () => {
  scene = await startLlmScene({
    LEASE_SECONDS: '30',
    DATABASE_CONNECTIONS: '10',
    STREAMS_PER_OWNER: String(STREAMS),
  })
})
afterAll(() => scene.stop())

/** Memory of the gateway process that is in use, in bytes. */
async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${scene.on.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024
}

test('failure 78: of 1,000 streams open at once each is charged, none is lost, and memory stays bounded', async () => {
  const payer = await scene.payer()
  scene.model.begin()
  const before = await residentBytes()
  const callers: ReturnType<typeof scene.listen>[] = []
  while (callers.length < STREAMS) {
    const keys = Array.from({ length: ARRIVING }, (_, index) => `k${callers.length + index}`)
    callers.push(...keys.map(key => scene.listen(payer, key)))
    await scene.model.untilOpen(callers.length)
  }
  for (const { response } of scene.model.open)
    for (let turn = 0; turn < 20; turn += 1) response.write(EVENTS.chunk)
  const events = 21
  const hasAll = (text: string) => text.split('\n\n').length > events
  await until('every caller has what was sent', () => callers.every(caller => hasAll(caller.text())))
  expect((await residentBytes()) - before).toBeLessThan(MEMORY_MAX)
  const open = await scene.calls(payer)
  expect(open.filter(({ status }) => status === 'PENDING')).toHaveLength(STREAMS)

  for (const { response } of scene.model.open) response.end(EVENTS.stop + EVENTS.usage + EVENTS.done)
  await Promise.all(callers.map(({ over }) => over))
  for (const caller of callers) {
    expect(caller.isWhole()).toBe(true)
    expect(caller.text().endsWith('data: [DONE]\n\n')).toBe(true)
  }
  const calls = await scene.calls(payer)
  expect(calls).toHaveLength(STREAMS)
  expect(calls.filter(call => call.status === 'SUCCEEDED' && BigInt(call.charged) === CHARGE)).toHaveLength(
    STREAMS,
  )
  const spent = BigInt(STREAMS) * CHARGE
  expect(await scene.balance(payer)).toMatchObject({ available: FUNDS - spent, held: 0n })
  await scene.on.assertBooks()
})
