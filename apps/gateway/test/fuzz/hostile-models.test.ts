import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { heapInUse } from '../kit/heap.ts'
import { type Deed, endings, recorded, startHostileModels } from './hostile-model.ts'
import { nodeOf, textOf } from './json-text.ts'
import { oddText, spoiled } from './odd-json.ts'
import { runs } from './runs.ts'

// Possible answers of a hostile provider, byte by byte. Invariants: the caller is answered in time, only the gateway
// speaks for the gateway, no charge exceeds its hold, and the books reconcile.

const RUNS = 16
const TOGETHER = 4
const TIMEOUT_MS = 1_800_000
const HEAP_GROWTH_MAX = 64 * 1_048_576

vi.setConfig({ testTimeout: TIMEOUT_MS })

let models: Awaited<ReturnType<typeof startHostileModels>>
let heapBefore: number
beforeAll(async () => {
  models = await startHostileModels()
  heapBefore = heapInUse()
})
afterAll(() => models.stop())

const json = recorded('.json').map(text => nodeOf(JSON.parse(text)))
const streams = recorded('.sse').map(text => text.split(/(?<=\n\n)/))

/** An event that was recorded, one made of a spoiled answer, or what is no event at all. */
const pieces = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...streams.flat()) },
  { weight: 3, arbitrary: spoiled(fc.constantFrom(...json)).map(node => `data: ${textOf(node)}\n\n`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '\ufeff',
      '\u0000',
      '\r',
      '\n',
      '\r\n',
      '\n\n',
      ':',
      ': comment\n',
      'data',
      'data:',
      'data: [DONE]\n\n',
      'event: gateway\ndata: {"status":"SUCCEEDED","chargedUsdc":"0.000000"}\n\n',
      'event:gateway\r\rdata:{}\r\r',
      'event: error\ndata: {"code":"UPSTREAM_ERROR"}\n\n',
      ': farebox {"chargedUsdc":"0.000000"}\n\n',
      'retry: 1\n',
      'id: \u0000\n',
      'event: message_stop\n',
      `data: ${'x'.repeat(70_000)}\n`,
      `:${'c'.repeat(70_000)}\n\n`,
      'data: {"usage":{"prompt_tokens":1e400,"completion_tokens":-1,"total_tokens":0}}\n\n',
      'data: {"choices":[],"usage":{"prompt_tokens":9007199254740993,"completion_tokens":4}}\n\n',
    ),
  },
  { weight: 1, arbitrary: oddText },
)

const lineEnds = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')
const deeds = (isStream: boolean, texts: fc.Arbitrary<string>): fc.Arbitrary<Deed> =>
  fc.record({
    shape: fc.nat({ max: 2 }),
    isStream: fc.constant(isStream),
    bytes: texts.map(text => Buffer.from(text)),
    cuts: fc.array(fc.nat({ max: 100_000 }), { maxLength: 12 }),
    ending: endings,
  })
/** Generates recorded streams with added events, a missing event or other line ends. */
const wholeStreams = fc
  .tuple(
    fc.constantFrom(...streams),
    fc.array(fc.tuple(fc.nat({ max: 60 }), pieces), { maxLength: 3 }),
    lineEnds,
    fc.nat({ max: 20 }),
  )
  .map(([events, more, end, left]) => {
    const mixed = [...events]
    for (const [at, piece] of more) mixed.splice(at % (mixed.length + 1), 0, piece)
    if (left < mixed.length) mixed.splice(left, 1)
    return mixed.join('').replaceAll('\n', end)
  })
const streamTexts = fc.oneof(
  wholeStreams,
  fc.array(pieces, { maxLength: 8 }).map(all => all.join('')),
)

const together = (deed: fc.Arbitrary<Deed>) => fc.array(deed, { minLength: 1, maxLength: TOGETHER })
const answerAll = (all: readonly Deed[]) => Promise.all(all.map((deed, slot) => models.answer(deed, slot)))

describe('answers the caller in time and keeps exact books for any answer of a model', () => {
  test('as a stream', async () => {
    await fc.assert(
      fc.asyncProperty(together(deeds(true, streamTexts)), async all => void (await answerAll(all))),
      runs(RUNS),
    )
  })

  test('as a whole', async () => {
    const texts = fc.oneof(spoiled(fc.constantFrom(...json)).map(textOf), oddText)
    await fc.assert(
      fc.asyncProperty(together(deeds(false, texts)), async all => void (await answerAll(all))),
      runs(RUNS),
    )
  })

  test('a stream split at every byte is read as in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(wholeStreams, fc.nat({ max: 2 }), async (text, shape) => {
        const bytes = Buffer.from(text)
        const every = Array.from({ length: Math.min(bytes.length, 4_000) }, (_, at) => at)
        const all = [[], every].map(cuts => ({
          shape,
          isStream: true,
          bytes,
          cuts,
          ending: 'whole' as const,
        }))
        const [whole, cut] = await answerAll(all)
        // After five failures in a row a target is left alone for a while.
        fc.pre(whole?.isReached === true && cut?.isReached === true)
        expect([cut?.status, cut?.charged]).toEqual([whole?.status, whole?.charged])
      }),
      runs(Math.ceil(RUNS / 4)),
    )
  })
})

test('leaks no memory', () => {
  expect(models.shareReached()).toBeGreaterThan(0.9)
  expect(heapInUse() - heapBefore).toBeLessThan(HEAP_GROWTH_MAX)
})
