import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type LlmMarket, openLlmMarket, registerModel } from '../kit/llm/llm-market.ts'
import { newPayer } from '../kit/llm/payers.ts'
import { SHAPES } from '../kit/llm/shapes.ts'
import { startProvider } from '../kit/provider/provider.ts'

const RECORDED = join(import.meta.dirname, '../recorded')
/** Maximum time of a provider that is silent, or never ends. */
const TIMEOUT_MS = 400
const STREAM_MS_MAX = 2_000

/** Recorded answers of real providers, by the end of their names. */
export const recorded = (ending: string): string[] =>
  readdirSync(RECORDED)
    .filter(name => name.endsWith(ending))
    .map(name => readFileSync(join(RECORDED, name), 'utf8'))

/** How an answer ends: by its framing, by a reset, or not at all. */
export const endings = fc.oneof(
  { weight: 8, arbitrary: fc.constant('whole' as const) },
  { weight: 3, arbitrary: fc.constant('reset' as const) },
  { weight: 1, arbitrary: fc.constantFrom('silent' as const, 'comments' as const) },
)

/** Behaviour of a provider in one call. */
export type Deed = {
  readonly shape: number
  readonly isStream: boolean
  readonly bytes: Buffer
  /** Positions at which the bytes are split into writes, modulo their number. */
  readonly cuts: readonly number[]
  readonly ending: 'whole' | 'reset' | 'silent' | 'comments'
}

/** Result of a call, in the answer and in the books. A target paused after failures is not reached. */
export type Outcome = {
  readonly status: string
  readonly charged: bigint
  readonly text: string
  readonly isReached: boolean
}

/** Models of every format that answer the given bytes, and a payer. */
export async function startHostileModels() {
  const market = await openLlmMarket()
  const deeds = new Map<string, Deed>()
  /** Models called with their behaviour. */
  const reached = new Set<string>()
  const provider = await startProvider()
  provider.respondWith(async (call, response) => {
    const name = call.url.split('/').at(-1) ?? ''
    reached.add(name)
    const deed = deeds.get(name)
    if (deed === undefined) throw new Error(`Nobody asked for ${call.url}.`)
    response.on('error', () => undefined)
    response.writeHead(200, { 'content-type': deed.isStream ? 'text/event-stream' : 'application/json' })
    response.flushHeaders()
    response.socket?.setNoDelay(true)
    for (const piece of cutAt(deed.bytes, deed.cuts)) {
      if (!response.write(piece)) await new Promise(setImmediate)
    }
    if (deed.ending === 'whole') response.end()
    if (deed.ending === 'reset') response.socket?.destroySoon()
    while (deed.ending === 'comments' && !response.destroyed) {
      response.write(': still here\n')
      await new Promise(setImmediate)
    }
  })
  const payer = await newPayer(market)
  const services = new Map<string, string>()
  let calls = 0

  /** Each call needs its own target to distinguish concurrent calls. */
  const serviceFor = async (slot: string, isAnthropic: boolean): Promise<string> => {
    const known = services.get(slot)
    if (known !== undefined) return known
    const url = `${provider.url}${slot}`
    const manifest = {
      ...(isAnthropic && { llmDialect: 'anthropic' }),
      invoke: {
        method: 'POST',
        timeoutMs: TIMEOUT_MS,
        streamIdleTimeoutMs: TIMEOUT_MS,
        streamMaxMs: STREAM_MS_MAX,
        targets: [{ url, weight: 1 }],
      },
    }
    const id = await registerModel(market, market.provider, { url, manifest })
    services.set(slot, id)
    return id
  }

  return {
    market,
    /** Calls a model with this behaviour and returns the result. A `slot` serves one call at a time. */
    async answer(deed: Deed, slot: number): Promise<Outcome> {
      const shape = SHAPES[deed.shape % SHAPES.length]
      if (shape === undefined) throw new Error('There are no shapes.')
      const name = `${shape.name}-${slot}`
      deeds.set(name, deed)
      reached.delete(name)
      calls += 1
      const idempotencyKey = `call ${calls}`
      const response = await fetch(`${market.url}/api/v1/agent/invoke`, {
        method: 'POST',
        headers: { 'x-credential': payer.token, 'content-type': 'application/json' },
        body: JSON.stringify({
          serviceId: await serviceFor(name, shape.name === 'messages'),
          idempotencyKey,
          payload: { body: shape.body(deed.isStream ? { stream: true } : {}) },
        }),
        signal: AbortSignal.timeout(20_000),
      })
      const text = await response.text()
      const isReached = reached.has(name)
      return { text, isReached, ...(await booked(market, idempotencyKey, response.status, text)) }
    },
    /** Returns how many of the calls have reached a model. */
    shareReached: () => provider.calls.length / calls,
    async stop() {
      await market.assertBooks()
      await market.stop()
      await provider.stop()
    },
  }
}

/** Returns a call from the books; fails if the answer differs. */
async function booked(market: LlmMarket, key: string, httpStatus: number, text: string) {
  const [row] = await market.sql<{ status: string; charged: string; hold: string; id: string }>(
    'select id, status, charged::text, hold::text from invocations where idempotency_key = $1',
    [key],
  )
  if (row === undefined) throw new Error(`The call is in no book: ${httpStatus} ${text}`)
  expect([200, 502, 504], text).toContain(httpStatus)
  expect(row.status).not.toBe('PENDING')
  const charged = BigInt(row.charged)
  expect(charged).toBeLessThanOrEqual(BigInt(row.hold))
  if (row.status !== 'SUCCEEDED') expect(charged).toBe(0n)
  const bills = text.match(/^event: ?gateway$/gm) ?? []
  expect(bills.length).toBeLessThanOrEqual(1)
  if (bills.length === 1) expect(text).toContain(`"invocationId":"${row.id}"`)
  return { status: row.status, charged }
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map(cut => cut % (bytes.length + 1))), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}
