import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerOrCut } from '../kit/network/http.ts'
import { countCharges, newPayer } from '../kit/world/payer.ts'
import { type Several, START_TIMEOUT_MS, startSeveral, takeTime } from './fixture.ts'
import { askUntilOver, startLoad, timesAsked } from './load.ts'

/** Calls answered before something is stopped, and after it is back. */
const ANSWERED_MIN = 20
/** Timeouts for stops and starts of whole processes on a busy machine. */
const TEST_TIMEOUT_MS = 180_000

let fixture: Several
beforeAll(async () => {
  fixture = await startSeveral({ STOP_PAUSE_SECONDS: '1.5', DRAIN_SECONDS: '15' })
  takeTime(fixture)
}, START_TIMEOUT_MS)
afterAll(() => fixture.stop())

test(
  'three gateways restarted in turn under load: no call fails, each is charged once',
  async () => {
    const payer = await newPayer(fixture.on, '500')
    const from = fixture.upstream.calls.length
    const load = startLoad('rolling', idempotencyKey => answerOrCut(fixture.call(payer, { idempotencyKey })))
    for (const gateway of fixture.gateways) {
      await load.more(ANSWERED_MIN)
      const { code } = await gateway.sigterm()
      expect(code).toBe(0)
      await gateway.restart()
      await fixture.balancer.untilReady(fixture.gateways.length)
    }
    await load.more(ANSWERED_MIN)
    await load.end()

    const failed = [...load.answers].filter(([, answer]) => answer?.status !== 200)
    expect(failed).toEqual([])
    expect(await countCharges(fixture.gateways[0], payer.owner)).toBe(load.answers.size)
    expect(timesAsked(fixture.upstream, from)).toEqual(Array(load.answers.size).fill(1))
    expect(Math.min(...fixture.balancer.answered())).toBeGreaterThan(0)
    await fixture.assertBooks()
  },
  TEST_TIMEOUT_MS,
)

test(
  'a gateway killed under load: others answer its calls by key, and nothing is charged twice',
  async () => {
    const payer = await newPayer(fixture.on, '500')
    const from = fixture.upstream.calls.length
    const load = startLoad('killed', idempotencyKey =>
      askUntilOver(() => fixture.call(payer, { idempotencyKey })),
    )
    const [killed] = fixture.gateways
    await load.more(ANSWERED_MIN)
    await killed.kill9()
    await load.more(ANSWERED_MIN)
    await load.end()
    await killed.restart()
    await fixture.assertBooks()

    const answers = [...load.answers.values()]
    const charged = answers.filter(answer => answer?.status === 200)
    expect(await countCharges(killed, payer.owner)).toBe(charged.length)
    expect(new Set(charged.map(answer => answer?.body.invocationId)).size).toBe(charged.length)
    // A request that may have reached the provider is never sent again.
    expect(new Set(timesAsked(fixture.upstream, from))).toEqual(new Set([1]))
  },
  TEST_TIMEOUT_MS,
)
