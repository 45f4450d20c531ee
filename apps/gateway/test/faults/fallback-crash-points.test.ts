import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProxiedProcess } from '../kit/gateway/proxied-process.ts'
import type { CatchAt } from '../kit/network/database-proxy.ts'
import { post } from '../kit/network/http.ts'
import { type LlmTestProvider, startLlmProvider } from '../kit/provider/llm-provider.ts'
import { until } from '../kit/until.ts'
import { newPayer, type Payer } from '../kit/world/payer.ts'
import { arrive } from '../kit/world/world.ts'
import { HOLDS, SETTLEMENTS } from './fixture.ts'

const MODELS = ['fails', 'answers', 'answers-too']
/** In the key of the second attempt, as Latin-1. */
const SECOND = '§2'

let scene: Awaited<ReturnType<typeof startProxiedProcess>>
let provider: LlmTestProvider

beforeAll(async () => {
  ;[scene, provider] = await Promise.all([startProxiedProcess({}), startLlmProvider()])
  provider.bend(call => (call.body?.model === 'fails' ? { status: 500 } : {}))
  const seller = await arrive(scene.on)
  for (const agentToolName of MODELS) {
    const { status } = await post(scene.on, '/services', {
      token: seller.token,
      body: {
        serviceName: `Model ${agentToolName}`,
        agentToolName,
        serviceKind: 'llm',
        inputPricePer1MTokensUsdc: '2.5',
        outputPricePer1MTokensUsdc: '10',
        invoke: { targets: [{ url: `${provider.url}/v1/chat/completions` }] },
      },
    })
    expect(status).toBe(200)
  }
})
afterAll(async () => {
  await scene.stop()
  await provider.stop()
})

/** An answer; null when its connection was cut. */
type Answer = { readonly status: number; readonly text: string } | null

async function complete(payer: Payer, named: object, headers: Record<string, string>): Promise<Answer> {
  const type = { authorization: `Bearer ${payer.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ ...named, messages: [{ role: 'user', content: 'Hi.' }] })
  try {
    const url = `${scene.on.url}/v1/chat/completions`
    const answer = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return null
  }
}

const ask = (payer: Payer) => complete(payer, { models: MODELS }, { 'idempotency-key': 'one-key' })

/** A request of an official client without a key, sent for the first time or again. */
const retry = (payer: Payer, count: number) =>
  complete(payer, { model: 'answers' }, { 'x-stainless-retry-count': String(count) })

/** Kills the gateway as a transaction of a request is caught, and starts it again. */
async function killAt(at: CatchAt, isPoint: (text: string) => boolean, request: () => Promise<Answer>) {
  const trap = scene.proxy.catchCommit(at, isPoint)
  const cut = request()
  await trap.sprung
  await scene.on.kill9()
  expect(await cut).toBeNull()
  trap.cut()
  await scene.on.restart()
}

async function expectChargedOnce(payer: Payer): Promise<void> {
  await scene.on.assertBooks()
  expect(await scene.charges(payer)).toBe(1)
  expect(await scene.balance(payer)).toMatchObject({ held: 0n })
}

const isSecondAsked = (from: number) => provider.calls.length === from + 2

const points: [string, CatchAt, (text: string, from: number) => boolean][] = [
  ['the first hold is stored', 'request', text => text.includes(HOLDS)],
  ['the first model is asked', 'answers', text => text.includes(HOLDS)],
  ['the first hold is released', 'request', text => text.includes(SETTLEMENTS)],
  ['the second attempt begins', 'answers', text => text.includes(SETTLEMENTS)],
  ['the second hold is stored', 'request', text => text.includes(HOLDS) && text.includes(SECOND)],
  ['the second model is asked', 'answers', text => text.includes(HOLDS) && text.includes(SECOND)],
  ['the answer is charged', 'request', (text, from) => text.includes(SETTLEMENTS) && isSecondAsked(from)],
  ['the answer is sent', 'answers', (text, from) => text.includes(SETTLEMENTS) && isSecondAsked(from)],
]
test.each(points)(
  'a gateway killed before %s charges at most one attempt, and still answers its key afterwards',
  async (_, at, isPoint) => {
    const payer = await newPayer(scene.on, '1')
    const from = provider.calls.length
    await killAt(
      at,
      text => isPoint(text, from),
      () => ask(payer),
    )
    let answer: Answer = null
    await until('the key is answered', async () => {
      answer = await ask(payer)
      return answer?.status === 200
    })
    expect(answer).toMatchObject({ text: expect.stringMatching(/"model":"answers/) })
    expect(await ask(payer)).toEqual(answer)
    await expectChargedOnce(payer)
  },
)

test.each([
  ['its model is asked', HOLDS],
  ['its answer is sent', SETTLEMENTS],
])('a counted retry of a request whose gateway was killed before %s is charged once', async (_, piece) => {
  const payer = await newPayer(scene.on, '1')
  await killAt(
    'answers',
    text => text.includes(piece),
    () => retry(payer, 0),
  )
  expect(await retry(payer, 1)).toMatchObject({ status: 200 })
  await expectChargedOnce(payer)
})
