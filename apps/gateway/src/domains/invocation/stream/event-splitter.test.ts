import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { createEventSplitter } from './event-splitter.ts'

const RECORDED = new URL('../../../../test/recorded/', import.meta.url)
const EVENT_BYTES_MAX = 64 * 1024

type Cut = { readonly events: readonly (readonly [string, string, string])[]; readonly rest: string | null }

/** Splits a stream given in chunks. Bytes as hexadecimal, so that nothing is lost in comparing. */
function split(chunks: readonly Buffer[], eventBytesMax = EVENT_BYTES_MAX): Cut {
  const splitter = createEventSplitter({ eventBytesMax })
  const events = chunks.flatMap(chunk => splitter.push(chunk))
  const rest = splitter.end()
  return {
    events: events.map(({ raw, name, data }) => [raw.toString('hex'), name, data] as const),
    rest: rest === null ? null : rest.toString('hex'),
  }
}

const fields = (text: string | Buffer) =>
  split([Buffer.from(text)]).events.map(([, name, data]) => [name, data])

/** Cuts bytes at the positions given; they may repeat and be in any order. */
function cutAt(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const ends = [...positions.map(position => position % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('accepts lines that end in %s', (_, end) => {
  const text = ['event: a', 'data: 1', '', 'data: 2', 'data: 3', '', ''].join(end)
  expect(fields(text)).toEqual([
    ['a', '1'],
    ['', '2\n3'],
  ])
})

test('accepts mixed line endings in one stream', () => {
  expect(fields('data: 1\r\n\ndata: 2\n\r\ndata: 3\r\rdata: 4\r\n\r\n')).toEqual([
    ['', '1'],
    ['', '2'],
    ['', '3'],
    ['', '4'],
  ])
})

test('parses fields as the standard requires', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['data: x\n\n', '', 'x'],
    ['data:x\n\n', '', 'x'],
    ['data:  x \n\n', '', ' x '],
    ['data\n\n', '', ''],
    ['data\ndata\n\n', '', '\n'],
    ['data:\n\n', '', ''],
    ['data: \ndata:y\n\n', '', '\ny'],
    ['data: a: b\n\n', '', 'a: b'],
    ['event: one\nevent: two\ndata: x\n\n', 'two', 'x'],
    ['event\ndata: x\n\n', '', 'x'],
    ['event: only\n\n', 'only', ''],
    ['id: 7\nretry: 10\ndata: x\n\n', '', 'x'],
    ['Data: x\ndatas: y\ndat: z\n data: w\n\n', '', ''],
    [': comment\n\n', '', ''],
    [': comment\ndata: x\n:\n\n', '', 'x'],
    ['\n', '', ''],
  ]
  for (const [text, name, data] of cases) expect(fields(text)).toEqual([[name, data]])
})

test('strips a byte order mark only at the start of the stream', () => {
  expect(fields('\uFEFFdata: x\n\n\uFEFFdata: y\n\n')).toEqual([
    ['', 'x'],
    ['', ''],
  ])
  expect(fields('data: \uFEFFx\n\n')).toEqual([['', '\uFEFFx']])
  const marked = Buffer.from('\uFEFFdata: x\n\n')
  for (const chunks of [[marked], [...marked].map(byte => Buffer.from([byte]))])
    expect(split(chunks).events).toEqual([[marked.toString('hex', 3), '', 'x']])
})

test('forwards invalid UTF-8 unchanged', () => {
  const bytes = Buffer.from([...Buffer.from('data: '), 0xff, 0xc3, 0x0a, 0x0a])
  const [event] = createEventSplitter({ eventBytesMax: 100 }).push(bytes)
  expect(event?.raw.equals(bytes)).toBe(true)
  expect(event?.data).toBe('\uFFFD\uFFFD')
})

test('emits an event as soon as its blank line arrives', () => {
  const splitter = createEventSplitter({ eventBytesMax: 100 })
  expect(splitter.push(Buffer.from('data: x\n'))).toEqual([])
  expect(splitter.push(Buffer.from('\n')).map(event => event.data)).toEqual(['x'])
  expect(splitter.push(Buffer.from('data: y\r\n\r'))).toEqual([])
  expect(splitter.push(Buffer.from('\n')).map(event => event.data)).toEqual(['y'])
  expect(splitter.push(Buffer.from('data: z\r\r')).map(event => event.data)).toEqual(['z'])
  expect(splitter.end()).toBeNull()
})

test('returns an event without its blank line as the rest', () => {
  expect(split([Buffer.from('data: x\n\ndata: y\n')]).rest).toBe(Buffer.from('data: y\n').toString('hex'))
  expect(split([Buffer.from('data: [DONE]')])).toEqual({
    events: [],
    rest: Buffer.from('data: [DONE]').toString('hex'),
  })
  expect(split([])).toEqual({ events: [], rest: null })
})

const PIECES = [
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\r\r',
  'data: ',
  'data',
  'event: ',
  ':',
  ' ',
  'é🚋',
  '\uFEFF',
  '{"a":1}',
  'x',
]
const stream = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map(pieces => Buffer.from(pieces.join(''))),
  fc
    .array(fc.constantFrom(0x0a, 0x0d, 0x3a, 0x20, 0x64, 0x61, 0x74, 0xc3, 0xef, 0xbb, 0xbf), {
      maxLength: 60,
    })
    .map(bytes => Buffer.from(bytes)),
)

const MARK = Buffer.from('\uFEFF').toString('hex')

test('emits the same events and loses no byte, however a stream is chunked', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (bytes, positions) => {
      const whole = split([bytes])
      const isLine = ([raw]: Cut['events'][number]) => /^(?:0a|0d)*$/.test(raw)
      for (const chunks of [[bytes], cutAt(bytes, positions), [...bytes].map(byte => Buffer.from([byte]))]) {
        const { events, rest } = split(chunks)
        // Blank lines that follow one another are one event only in a chunk.
        expect(events.filter(event => !isLine(event))).toEqual(whole.events.filter(event => !isLine(event)))
        const raws = events.map(([raw]) => raw).join('')
        const hasMark = events.length > 0 && bytes.toString().startsWith('\uFEFF')
        expect((hasMark ? MARK : '') + raws + (rest ?? '')).toBe(bytes.toString('hex'))
        expect(rest).toBe(whole.rest)
      }
    }),
    { numRuns: 2_000 },
  )
})

/** The standard's own algorithm on the whole text, but with blocks that have no data. */
function parseWhole(bytes: Buffer): string[][] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/)
  const found: string[][] = []
  let name = ''
  let data: string | null = null
  // Text after the last line end is not a line yet.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      found.push([name, data ?? ''])
      name = ''
      data = null
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') name = value
    if (field === 'data') data = data === null ? value : `${data}\n${value}`
  }
  return found
}

test('emits the events of the reference algorithm', () => {
  fc.assert(
    fc.property(stream, bytes => {
      // A last LF or CR settles a CR that may have been half of a line end.
      const closed = Buffer.concat([bytes, Buffer.from('\n')])
      const seen = split([closed]).events.map(([, name, data]) => [name, data])
      const isSomething = (event: readonly (string | undefined)[]) => event.some(part => part !== '')
      expect(seen.filter(isSomething)).toEqual(parseWhole(closed).filter(isSomething))
    }),
    { numRuns: 2_000 },
  )
})

test('splits every recorded stream into the same events, however it is chunked', () => {
  const names = readdirSync(RECORDED).filter(name => name.endsWith('.sse'))
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) {
    const bytes = readFileSync(new URL(name, RECORDED))
    const whole = split([bytes])
    expect(whole.rest).toBeNull()
    expect(whole.events.length).toBe(bytes.toString('utf8').split('\n\n').length - 1)
    for (const size of [1, 7, 1_000]) {
      const positions = Array.from({ length: Math.floor(bytes.length / size) }, (_, index) => index * size)
      expect(split(cutAt(bytes, positions))).toEqual(whole)
    }
    const returns = Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n'))
    expect(split(cutAt(returns, [5, 50, 500])).events.map(event => event.slice(1))).toEqual(
      whole.events.map(event => event.slice(1)),
    )
  }
})

test('accepts an event of the maximum size, and no larger', () => {
  const event = Buffer.from('data: 0123\n\n')
  expect(split([event], event.length).events).toHaveLength(1)
  expect(() => split([event], event.length - 1)).toThrow(RangeError)
  for (const size of [1, 5]) {
    const positions = Array.from({ length: 12 }, (_, index) => index * size)
    expect(split(cutAt(event, positions), event.length).events).toHaveLength(1)
    expect(() => split(cutAt(event, positions), event.length - 1)).toThrow(RangeError)
  }
})

test('rejects a stream without line endings at the limit', () => {
  const splitter = createEventSplitter({ eventBytesMax: 100_000 })
  const chunk = Buffer.alloc(10_000, 'x')
  for (let count = 0; count < 10; count += 1) expect(splitter.push(chunk)).toEqual([])
  expect(() => splitter.push(Buffer.from('x'))).toThrow(RangeError)
  expect(() => splitter.push(Buffer.from('\n\n'))).toThrow(RangeError)
  expect(() => splitter.end()).toThrow(RangeError)
})

test('emits the events before an oversized one, however the stream is chunked', () => {
  const text = `data: 1\n\ndata: 2\n\ndata: ${'x'.repeat(50)}\n\ndata: 3\n\n`
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 8 }), positions => {
      const splitter = createEventSplitter({ eventBytesMax: 20 })
      const seen: string[] = []
      expect(() => {
        for (const chunk of cutAt(Buffer.from(text), positions)) {
          seen.push(...splitter.push(chunk).map(event => event.data))
        }
        splitter.end()
      }).toThrow(RangeError)
      expect(seen).toEqual(['1', '2'])
    }),
  )
})

test('splits a long event in small chunks in linear time', () => {
  const chunk = Buffer.from('data: 0123456789\n')
  const splitter = createEventSplitter({ eventBytesMax: 5_000_000 })
  const spent = processorMs(() => {
    for (let sent = 0; sent < 4_000_000; sent += chunk.length) splitter.push(chunk)
    expect(splitter.push(Buffer.from('\n'))).toHaveLength(1)
    // A tenth of a second; were each chunk to cost what came before it, it would be minutes.
  })
  expect(spent).toBeLessThan(5_000)
})
