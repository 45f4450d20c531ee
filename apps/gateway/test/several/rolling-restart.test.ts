import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../kit/network/http.ts'
import { answerOrCut } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { countCharges } from '../kit/world/payer.ts'
import { type InvokeBody, mint, ownerWith, type Person } from '../kit/world/world.ts'
import { type Several, START_TIMEOUT_MS, startSeveral, takeTime } from './fixture.ts'

const CALLERS = 6
/** Calls answered before something is stopped, and after it is back. */
const ANSWERED_MIN = 20
const UPSTREAM_MS_MAX = 100
/** Pause of a caller before a retry, in ms. */
const ASK_AGAIN_MS = 50
/** Maximum attempts of a caller for one answer. */
const ASKS_MAX = 400
/** Timeouts for stops and starts of whole processes on a busy machine. */
const TEST_TIMEOUT_MS = 180_000

let fixture: Several
beforeAll(async () => {
  fixture = await startSeveral({ STOP_PAUSE_SECONDS: '1.5', DRAIN_SECONDS: '15' })
  takeTime(fixture, UPSTREAM_MS_MAX)
}, START_TIMEOUT_MS)
afterAll(() => fixture.stop())

type Payer = { readonly owner: Person; readonly token: string; readonly id: string }

async function newPayer(): Promise<Payer> {
  const owner = await ownerWith(fixture.on, '500')
  return { owner, ...(await mint(fixture.on, owner)) }
}

/** Callers that call all the time by the balancer, each call by a key of its own. */
function startLoad(name: string, ask: (key: string) => Promise<Answer<InvokeBody> | null>) {
  const answers = new Map<string, Answer<InvokeBody> | null>()
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let number = 0; !isOver; number += 1) {
      const key = `${name} ${caller} ${number}`
      answers.set(key, await ask(key))
    }
  })
  return {
    answers,
    /** Waits until as many more calls are answered. */
    async more(count: number) {
      const before = answers.size
      await until(`${count} more calls are answered`, () => answers.size >= before + count)
    },
    async end() {
      isOver = true
      await Promise.all(callers)
    },
  }
}

/** Returns how often the provider got each invocation since a call. */
function timesAsked(from: number): number[] {
  const times = new Map<string, number>()
  for (const { headers } of fixture.upstream.calls.slice(from)) {
    const id = String(headers['farebox-invocation-id'])
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  return [...times.values()]
}

test(
  'three gateways stopped and started in turn under load: no call fails, each is charged once',
  async () => {
    const payer = await newPayer()
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
    expect(timesAsked(from)).toEqual(Array(load.answers.size).fill(1))
    expect(Math.min(...fixture.balancer.answered())).toBeGreaterThan(0)
    await fixture.assertBooks()
  },
  TEST_TIMEOUT_MS,
)

/** Asks by the same key until the call has an end: charged, or given up for good. */
async function askUntilOver(payer: Payer, idempotencyKey: string): Promise<Answer<InvokeBody>> {
  for (let asks = 1; asks <= ASKS_MAX; asks += 1) {
    const answer = await answerOrCut(fixture.call(payer, { idempotencyKey }))
    if (answer?.status === 200 || answer?.body.code === 'GATEWAY_INTERRUPTED') return answer
    await new Promise(done => setTimeout(done, ASK_AGAIN_MS))
  }
  throw new Error(`The call ${idempotencyKey} has no end.`)
}

test(
  'a gateway killed under load: others answer its calls by key, and nothing is charged twice',
  async () => {
    const payer = await newPayer()
    const from = fixture.upstream.calls.length
    const load = startLoad('killed', key => askUntilOver(payer, key))
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
    expect(new Set(timesAsked(from))).toEqual(new Set([1]))
  },
  TEST_TIMEOUT_MS,
)
