import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { CatchAt } from '../fault-proxy.ts'
import { until } from '../world.ts'
import { expectCharged, HOLDS, type Scene, SETTLEMENTS, startScene } from './scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
afterEach(() => scene.on.assertBooks())

const places: readonly [what: string, statement: string, at: CatchAt][] = [
  ['the hold', HOLDS, 'request'],
  ['the hold', HOLDS, 'commit-answer'],
  ['the hold', HOLDS, 'answers'],
  ['the settlement', SETTLEMENTS, 'request'],
  ['the settlement', SETTLEMENTS, 'commit-answer'],
  ['the settlement', SETTLEMENTS, 'answers'],
]

test.each(places)(
  'failure 22: a connection lost at the COMMIT of %s (%s, %s) costs nobody anything: one call, one charge',
  async (_, statement, at) => {
    const payer = await scene.payer({ maxCalls: 1 })
    const before = scene.upstream.calls.length
    const trap = scene.proxy.catchCommit(at, [statement])
    const call = scene.call(payer, 'key')
    await trap.sprung
    trap.cut()
    const answer = await call
    expect(answer).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } })
    expect(scene.upstream.calls.length - before).toBe(1)
    await expectCharged(scene, payer, 'key')
    expect((await scene.call(payer, 'key')).body).toEqual(answer.body)
    expect(scene.on.isAlive()).toBe(true)
  },
)
