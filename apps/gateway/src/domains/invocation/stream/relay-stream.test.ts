import { usdc } from '@farebox/money'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOwnerPlaces } from '../../../runtime/owner-places.ts'
import type { UpstreamFailure, UpstreamStream } from '../../../upstream-ports.ts'
import type { Recording } from '../rules.ts'
import { unpackRecording } from './recorder.ts'
import { type RelayRoom, relayStream, replayStream } from './relay-stream.ts'
import type { StreamEvent, StreamHead, StreamSink } from './stream-sink.ts'

const HEAD: StreamHead = { invocationId: 'inv_1', holdUsdc: '0.001000', isReplay: false, rate: null }
const MIB = 1_048_576
const OWNER = '0xowner'
/** Streams of one owner whose callers have left that are read on, at most. */
const ABANDONED_MAX = 2

const CHUNK = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
const STOP = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}\n\n'
/** As it is passed on. */
const TOLD = USAGE.replace('4}}', '4,"cost":0.000007}}')
const DONE = 'data: [DONE]\n\n'
const WHOLE = CHUNK + STOP + USAGE + DONE

const RESET: { failure: UpstreamFailure } = {
  failure: { reason: 'reset', sent: true, answered: true, status: 200 },
}

/** A stream of pieces; the last may be a failure. Without an end it goes silent. */
function streamOf(pieces: readonly (string | Buffer | null | { failure: UpstreamFailure })[]) {
  const rest = [...pieces]
  const state = { reads: 0, isCancelled: false }
  const stream: UpstreamStream = {
    status: 200,
    contentType: 'text/event-stream',
    read() {
      state.reads += 1
      if (rest.length === 0) return new Promise(() => undefined)
      const piece = rest.shift() ?? null
      return Promise.resolve(typeof piece === 'string' ? Buffer.from(piece) : piece)
    },
    cancel() {
      state.isCancelled = true
    },
  }
  return { stream, state }
}

/** A caller that keeps what it gets. */
function caller(options: { leavesAfter?: number; takes?: () => Promise<void> | undefined } = {}) {
  const seen: StreamEvent[] = []
  let opened = 0
  let writes = 0
  const sink: StreamSink = {
    open() {
      opened += 1
    },
    write(events) {
      writes += 1
      seen.push(...events)
      return options.takes?.()
    },
    get isGone() {
      return seen.length >= (options.leavesAfter ?? Number.POSITIVE_INFINITY)
    },
  }
  const text = () => seen.map(({ raw }) => raw.toString()).join('')
  return { sink, seen, text, opened: () => opened, writes: () => writes }
}

const clock = { now: () => 0, elapsed: () => 0, pause: () => new Promise<void>(() => undefined) }
const emptyRoom = (): RelayRoom => ({
  recordedBytes: 0,
  abandoned: createOwnerPlaces({ perOwner: ABANDONED_MAX, all: 100 }),
})
/** A room in which an owner has left as many streams as are read on. */
const roomFullFor = (owner: string): RelayRoom => {
  const room = emptyRoom()
  for (let count = 0; count < ABANDONED_MAX; count += 1) room.abandoned.take(owner)
  return room
}
/** Basis of the charge of a model that is cut. */
const METERED = { promptTokens: 21, maxOutputTokens: 100, chargeOf: () => usdc(7n) }

const clean = (text: string) => text.replaceAll('sk-secret', '[redacted]')

function relay(
  pieces: Parameters<typeof streamOf>[0],
  options: { isMetered?: boolean; room?: RelayRoom; to?: ReturnType<typeof caller> } = {},
) {
  const { isMetered = true, room = emptyRoom(), to = caller() } = options
  const { stream, state } = streamOf(pieces)
  const metered = isMetered ? METERED : null
  const from = { stream, sink: to.sink, head: HEAD, eventBytesMax: MIB, owner: OWNER, metered, clean }
  const relayed = relayStream({ clock, relays: room }, from)
  return { relayed, to, state, room }
}

describe('a relayed stream', () => {
  test('reaches the caller byte for byte except for cost and [DONE], however it is chunked', async () => {
    const comment = ': keep-alive\n\n'
    const text = `${comment}${CHUNK}event: ping\r\ndata: {}\r\n\r\n${STOP}${USAGE}${DONE}`
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
        const { relayed, to } = relay([...pieces.filter(piece => piece !== ''), null])
        expect(await relayed).toMatchObject({
          end: 'whole',
          usage: { inputTokens: 3, outputTokens: 1 },
          isProvidersFault: false,
        })
        expect(to.text()).toBe(text.slice(0, -DONE.length).replace(USAGE, TOLD))
        expect(to.opened()).toBe(1)
      }),
    )
  })

  test.each(['\n', '\r\n', '\r'])('may end its lines with %j', async end => {
    const text = WHOLE.replaceAll('\n', end)
    const { relayed, to } = relay([text, null])
    expect(await relayed).toMatchObject({ end: 'whole', usage: { totalTokens: 4 } })
    expect(to.text()).toBe((CHUNK + STOP + TOLD).replaceAll('\n', end))
  })

  test('may omit the blank line after its last event', async () => {
    const { relayed } = relay([CHUNK + STOP + USAGE.trimEnd(), null])
    expect(await relayed).toMatchObject({ end: 'whole', usage: { totalTokens: 4 } })
  })

  test('ends at [DONE], without forwarding or awaiting anything after it', async () => {
    const { relayed, to, state } = relay([WHOLE + CHUNK, CHUNK])
    expect(await relayed).toMatchObject({ end: 'whole', usage: { totalTokens: 4 } })
    expect(to.text()).toBe(CHUNK + STOP + TOLD)
    expect(state.isCancelled).toBe(false)
  })

  test('that breaks off is cut, closes its connection and keeps the usage reported so far', async () => {
    const before = relay([CHUNK, RESET])
    expect(await before.relayed).toMatchObject({ end: 'cut', usage: null, isProvidersFault: true })
    const after = relay([CHUNK + STOP + USAGE, RESET])
    expect(await after.relayed).toMatchObject({ end: 'cut', usage: { totalTokens: 4 } })
    expect([before.state.isCancelled, after.state.isCancelled]).toEqual([true, true])
  })

  test('that ends normally but without usage is silent', async () => {
    expect(await relay([CHUNK + STOP, null]).relayed).toMatchObject({ end: 'silent', usage: null })
    expect(await relay([null]).relayed).toMatchObject({ end: 'silent', usage: null })
  })

  test('of an unmetered service is whole when it ends normally, with or without [DONE]', async () => {
    const plain = ['event: tick\ndata: 1\n\n', 'data: 2\n\n']
    for (const end of [[null], [DONE, null]]) {
      const { relayed, to } = relay([...plain, ...end], { isMetered: false })
      expect(await relayed).toMatchObject({ end: 'whole', usage: null })
      expect(to.text()).toBe(plain.join(''))
    }
    expect(await relay([...plain, RESET], { isMetered: false }).relayed).toMatchObject({ end: 'cut' })
  })

  const half = 'x'.repeat(MIB / 2)
  const cuts = [
    ['an oversized event', [`${CHUNK}data: ${half}`, `${half}\n\n`, CHUNK, null]],
    ['too many bytes', [CHUNK, { failure: { ...RESET.failure, reason: 'too_large' } }]],
  ] as const
  test.each(cuts)('with %s is cut there, and costs its prompt and the output so far', async (_, pieces) => {
    const { relayed, to, state } = relay(pieces)
    const usage = { inputTokens: 21, outputTokens: 1, totalTokens: 22 }
    expect(await relayed).toMatchObject({ end: 'cut', usage, isProvidersFault: false })
    expect(to.text()).toBe(CHUNK)
    expect(state.isCancelled).toBe(true)
  })

  test.each(cuts)('with %s owes a fixed price once content came', async (_, [first, ...rest]) => {
    const { relayed } = relay([first, ...rest], { isMetered: false })
    expect(await relayed).toMatchObject({ end: 'cut', isOwed: true })
    const before = relay([String(first).replace(CHUNK, ''), ...rest].filter(Boolean), { isMetered: false })
    expect(await before.relayed).toMatchObject({ end: 'cut', isOwed: false })
  })

  test('whose last event is too large to read costs its prompt and the output so far', async () => {
    const many = JSON.stringify(Array.from({ length: 250_000 }, () => [0]))
    const completed = `data: {"type":"response.completed","response":{"output":${many},"usage":{}}}\n\n`
    const delta = 'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n'
    const { stream } = streamOf([delta + completed, null])
    const from = { stream, sink: caller().sink, head: HEAD, eventBytesMax: 4 * MIB, owner: OWNER, clean }
    const relayed = relayStream(
      { clock, relays: emptyRoom() },
      { ...from, metered: { ...METERED, maxOutputTokens: 1 } },
    )
    expect(await relayed).toMatchObject({ usage: { inputTokens: 21, outputTokens: 1 } })
  })
})

describe('a stream of many events', () => {
  const TICKS = 'data: 1\n\n'.repeat(1_000)

  test('is passed on in few writes, and leaves turns to others', async () => {
    let turns = 0
    const count = () => {
      turns += 1
      ticking = setImmediate(count)
    }
    let ticking = setImmediate(count)
    const { relayed, to } = relay([TICKS, null], { isMetered: false })
    const { recording } = await relayed
    clearImmediate(ticking)
    expect(to.text()).toBe(TICKS)
    expect(to.seen).toHaveLength(1_000)
    expect(to.writes()).toBe(4)
    expect(turns).toBeGreaterThan(2)
    const again = caller()
    await replayStream(recording, again.sink, HEAD)
    expect([again.text() === TICKS, again.writes()]).toEqual([true, 1])
  })

  test.each(['\n', '\r', '\r\n'])('has its blank lines passed on unchanged, as few events: %j', async end => {
    const blank = end.repeat(10_000)
    const text = `${blank}data: 1${end}${blank}: 1${end}${blank}`
    const { relayed, to } = relay([text, text, null], { isMetered: false })
    await relayed
    expect(to.text()).toBe(text + text)
    expect(to.seen.length).toBeLessThan(16)
  })
})

describe('an error event in a stream', () => {
  test.each([
    'data: {"error":{"message":"bad key sk-secret"}}\n\n',
    'event: error\r\ndata: bad key\r\ndata: sk-secret\r\n\r\n',
    'event: error\ndata: {"type":"error","error":{"message":"sk-secret"}}\n\n',
    'data: {"type":"response.failed","response":{"error":{"message":"sk-secret"}}}\n\n',
  ])('has provider secrets redacted, as does its recording: %j', async text => {
    for (const isMetered of [true, false]) {
      const { relayed, to } = relay([CHUNK + text, null], { isMetered })
      const { events } = await played((await relayed).recording)
      expect(events).toBe(to.text())
      expect(to.text()).toBe((CHUNK + text).replace('sk-secret', '[redacted]'))
      expect(to.seen.map(({ data }) => data).join()).not.toContain('sk-secret')
    }
  })

  test('is searched for secrets once', async () => {
    const searched: string[] = []
    const { stream } = streamOf([`${CHUNK}event: error\ndata: bad key\n\n`, null])
    const { sink, text } = caller()
    const from = { stream, sink, head: HEAD, eventBytesMax: MIB, owner: OWNER, metered: METERED }
    const cleanCounted = (given: string) => {
      searched.push(given)
      return given
    }
    await relayStream({ clock, relays: emptyRoom() }, { ...from, clean: cleanCounted })
    expect(searched).toEqual(['event: error\ndata: bad key\n\n'])
    expect(text()).toBe(CHUNK + searched[0])
  })

  test('is dropped when it is too long to redact', async () => {
    const { relayed, to } = relay([`${CHUNK}event: error\ndata: ${'x'.repeat(20_000)}\n\n`, null])
    await relayed
    expect(to.text()).toBe(CHUNK)
  })

  test('is not detected in the text of a model', async () => {
    const text = `data: ${JSON.stringify({ choices: [{ delta: { content: '{"error":"sk-secret"}' } }], error: null })}\n\n`
    const { relayed, to } = relay([text + STOP + USAGE + DONE, null])
    await relayed
    expect(to.text()).toBe(text + STOP + TOLD)
  })
})

describe('an event or comment reserved for the gateway', () => {
  const poses = [
    'event: gateway\ndata: {"chargedUsdc":"0.000000"}\n\n',
    'event:gateway\r\ndata: {}\r\n\r\n',
    'data: {}\nevent: gateway\n\n',
    ': farebox {"chargedUsdc":"0.000000"}\n\n',
    ':farebox {}\n\n',
    'data: {}\n: farebox {}\n\n',
    'data: {}\r:   farebox {}\r\r',
  ]
  test.each(poses)('is dropped when the provider sends it: %j', async pose => {
    const { relayed, to } = relay([CHUNK + pose + STOP + USAGE + DONE, null])
    expect(await relayed).toMatchObject({ end: 'whole' })
    expect(to.text()).toBe(CHUNK + STOP + TOLD)
  })

  test('is dropped in the first event too, after a byte order mark', async () => {
    const { relayed, to } = relay([`\uFEFF${poses[0]}${WHOLE}`, null])
    await relayed
    expect(to.text()).toBe(CHUNK + STOP + TOLD)
  })

  test.each([poses[0], poses[3], 'data: {"error":"sk-secret"}\n\n'])(
    'is not hidden by a byte order mark behind a dropped event, nor is an error: %j',
    async hidden => {
      for (const first of [poses[0], '\uFEFF']) {
        const { relayed, to } = relay([`${first}\uFEFF${hidden}${WHOLE}`, null])
        await relayed
        // As a client reads it, which drops a mark at the start.
        expect(new TextDecoder().decode(Buffer.from(to.text()))).toBe(CHUNK + STOP + TOLD)
      }
    },
  )

  test('is not recognized in the text of a model', async () => {
    const text = 'data: {"choices":[{"index":0,"delta":{"content":"event: gateway\\n\\n: farebox {}"}}]}\n\n'
    const { relayed, to } = relay([text + STOP + USAGE + DONE, null])
    await relayed
    expect(to.text()).toBe(text + STOP + TOLD)
  })
})

describe('a caller', () => {
  test('who is slow pauses reading from the provider', async () => {
    const gate = Promise.withResolvers<void>()
    const { relayed, to, state } = relay([CHUNK, STOP, USAGE, DONE, null], {
      to: caller({ takes: () => gate.promise }),
    })
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
    expect([to.seen.length, state.reads]).toEqual([1, 1])
    gate.resolve()
    expect(await relayed).toMatchObject({ end: 'whole' })
    expect(to.seen).toHaveLength(3)
  })

  test.each([0, 1, 2])(
    'who disconnects after %s events does not stop the stream from being read to its usage',
    async count => {
      const { relayed, room } = relay([CHUNK, STOP, USAGE, DONE, null], {
        to: caller({ leavesAfter: count }),
      })
      expect(await relayed).toMatchObject({ end: 'whole', usage: { totalTokens: 4 } })
      expect(room.abandoned.size()).toBe(0)
    },
  )

  test('who disconnects over the limit of an owner cancels the stream and pays for the prompt and the output so far', async () => {
    const room = roomFullFor(OWNER)
    const { relayed, state } = relay([CHUNK, CHUNK, STOP, USAGE, DONE, null], {
      room,
      to: caller({ leavesAfter: 2 }),
    })
    expect(await relayed).toMatchObject({
      end: 'cut',
      isProvidersFault: false,
      usage: { inputTokens: 21, outputTokens: 2, totalTokens: 23 },
    })
    expect(state.isCancelled).toBe(true)
    expect(room.abandoned.size()).toBe(ABANDONED_MAX)
  })

  test('who disconnects over the limit pays for no more output than requested', async () => {
    const long = CHUNK.replace('Hi', 'x'.repeat(1_000))
    const to = caller({ leavesAfter: 1 })
    const { relayed } = relay([long, CHUNK], { room: roomFullFor(OWNER), to })
    expect(await relayed).toMatchObject({ usage: { outputTokens: METERED.maxOutputTokens } })
  })

  test('who disconnects over the limit owes a fixed price after content, and nothing before', async () => {
    const endWith = async (pieces: readonly string[], leavesAfter: number) =>
      (
        await relay(pieces, { isMetered: false, room: roomFullFor(OWNER), to: caller({ leavesAfter }) })
          .relayed
      ).isOwed
    expect(await endWith(['data: 1\n\n', 'data: 2\n\n'], 1)).toBe(true)
    expect(await endWith([': soon\n\n', 'data: 2\n\n'], 1)).toBe(false)
    expect(await endWith(['data: 1\n\n', 'data: 2\n\n'], 0)).toBe(false)
  })

  test('is unaffected when another owner has reached its limit', async () => {
    const { relayed } = relay([CHUNK, STOP, USAGE, DONE, null], {
      room: roomFullFor('0xother'),
      to: caller({ leavesAfter: 1 }),
    })
    expect(await relayed).toMatchObject({ end: 'whole', usage: { totalTokens: 4 } })
  })

  const holdUps = [
    ['who left', { leavesAfter: 1 }],
    ['whose slow reading used it up', { takes: () => Promise.resolve() }],
  ] as const
  test.each(holdUps)(
    '%s before time ran out pays a model for its prompt and the output so far',
    async (_, how) => {
      const late = { failure: { ...RESET.failure, reason: 'timeout' } } as const
      const usage = { inputTokens: 21, outputTokens: 1, totalTokens: 22 }
      const { relayed } = relay([CHUNK, late], { to: caller(how) })
      expect(await relayed).toMatchObject({ end: 'cut', usage, isProvidersFault: false })
    },
  )

  test.each(holdUps)(
    '%s before time ran out owes a fixed price, and the provider is not at fault',
    async (_, how) => {
      const late = { failure: { ...RESET.failure, reason: 'timeout' } } as const
      const { relayed } = relay(['data: 1\n\n', late], { isMetered: false, to: caller(how) })
      expect(await relayed).toMatchObject({ end: 'cut', isOwed: true, isProvidersFault: false })
    },
  )

  test.each([
    ['breaks', RESET, { leavesAfter: 1 }],
    ['is late by itself', { failure: { ...RESET.failure, reason: 'timeout' } } as const, {}],
    [
      'falls silent after its caller left',
      { failure: { ...RESET.failure, reason: 'timeout', isIdle: true } } as const,
      { leavesAfter: 1 },
    ],
  ])('owes nothing for a fixed-price stream that %s', async (_, failure, how) => {
    const { relayed } = relay(['data: 1\n\n', failure], { isMetered: false, to: caller(how) })
    expect(await relayed).toMatchObject({ end: 'cut', isOwed: false, isProvidersFault: true })
  })

  test('whose sink fails releases its memory and cancels the stream', async () => {
    const room = emptyRoom()
    const { sink } = caller()
    const broken: StreamSink = {
      ...sink,
      isGone: false,
      write: () => Promise.reject(new Error('The socket broke.')),
    }
    const { stream, state } = streamOf([CHUNK, null])
    const relayed = relayStream(
      { clock, relays: room },
      { stream, sink: broken, head: HEAD, eventBytesMax: MIB, owner: OWNER, metered: METERED, clean },
    )
    await expect(relayed).rejects.toThrow('The socket broke.')
    expect([room.recordedBytes, room.abandoned.size()]).toEqual([0, 0])
    expect(state.isCancelled).toBe(true)
  })
})

const played = async ({ events, isWhole }: Recording) => {
  return { events: (await unpackRecording(events)).toString('utf8'), isWhole }
}

describe('the recording', () => {
  test('is what the caller received, and replays event by event', async () => {
    const { relayed, to, room } = relay([WHOLE, null])
    const { recording } = await relayed
    expect(await played(recording)).toEqual({ events: CHUNK + STOP + TOLD, isWhole: true })
    expect(room.recordedBytes).toBe(0)
    const again = caller()
    await replayStream(recording, again.sink, { ...HEAD, isReplay: true })
    expect(again.text()).toBe(to.text())
    expect(again.seen).toHaveLength(3)
  })

  test('is complete even when the caller has disconnected', async () => {
    const { recording } = await relay([CHUNK, STOP, USAGE, DONE, null], { to: caller({ leavesAfter: 1 }) })
      .relayed
    expect(await played(recording)).toEqual({ events: CHUNK + STOP + TOLD, isWhole: true })
  })

  test('of an oversized stream is discarded rather than truncated', async () => {
    const big = `data: "${'x'.repeat(900_000)}"\n\n`
    const { relayed, to, room } = relay([big, big, big, big, big, WHOLE, null])
    const { recording, end } = await relayed
    expect(end).toBe('whole')
    expect(await played(recording)).toEqual({ events: '', isWhole: false })
    expect(to.seen).toHaveLength(8)
    expect(room.recordedBytes).toBe(0)
  })

  test('is discarded without using memory when the shared budget is exhausted', async () => {
    const room = { ...emptyRoom(), recordedBytes: 128 * MIB }
    const { recording } = await relay([WHOLE, null], { room }).relayed
    expect(recording.isWhole).toBe(false)
    expect(room.recordedBytes).toBe(128 * MIB)
  })

  test('stops replaying when the caller disconnects', async () => {
    const { recording } = await relay([CHUNK.repeat(1_000) + WHOLE, null]).relayed
    const again = caller({ leavesAfter: 1 })
    await replayStream(recording, again.sink, HEAD)
    expect(again.writes()).toBe(1)
    expect(again.seen.length).toBeLessThan(1_000)
  })

  test('with carriage returns only replays completely', async () => {
    const { recording } = await relay([WHOLE.replaceAll('\n', '\r'), null]).relayed
    const again = caller()
    await replayStream(recording, again.sink, HEAD)
    expect(again.text()).toBe((CHUNK + STOP + TOLD).replaceAll('\n', '\r'))
  })
})
