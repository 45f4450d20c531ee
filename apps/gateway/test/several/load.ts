import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, answerOrCut } from '../kit/network/http.ts'
import type { TestProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import type { InvokeBody } from '../kit/world/world.ts'

const CALLERS = 6
/** Pause of a caller before its next call, in ms: without one, gateways that start have no processor. */
const NEXT_CALL_MS = 100
/** Pause of a caller before a retry, in ms. */
const ASK_AGAIN_MS = 50
/** Maximum attempts of a caller for one answer. */
const ASKS_MAX = 400
/** Bound of the wait for more answers, in ms. */
const MORE_MS_MAX = 60_000

/** Callers that call all the time by the balancer, each call by a key of its own. */
export function startLoad<Called extends Answer<InvokeBody> | null>(
  name: string,
  ask: (key: string) => Promise<Called>,
) {
  const answers = new Map<string, Called>()
  let isOver = false
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let number = 0; !isOver; number += 1) {
      const key = `${name} ${caller} ${number}`
      answers.set(key, await ask(key))
      await delay(NEXT_CALL_MS)
    }
  })
  return {
    answers,
    /** Waits until as many more calls are answered. */
    async more(count: number) {
      const before = answers.size
      await until(`${count} more calls are answered`, () => answers.size >= before + count, MORE_MS_MAX)
    },
    async end() {
      isOver = true
      await Promise.all(callers)
    },
  }
}

/** Retries a call with the same key until it has ended: charged, or interrupted. */
export async function askUntilOver(call: () => Promise<Answer<InvokeBody>>): Promise<Answer<InvokeBody>> {
  for (let asks = 1; asks <= ASKS_MAX; asks += 1) {
    const answer = await answerOrCut(call())
    if (answer?.status === 200 || answer?.body.code === 'GATEWAY_INTERRUPTED') return answer
    await delay(ASK_AGAIN_MS)
  }
  throw new Error('A call has no end.')
}

/** Returns how often the provider got each invocation since a call. */
export function timesAsked(upstream: TestProvider, from: number): number[] {
  const times = new Map<string, number>()
  for (const { headers } of upstream.calls.slice(from)) {
    const id = String(headers['farebox-invocation-id'])
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  return [...times.values()]
}
