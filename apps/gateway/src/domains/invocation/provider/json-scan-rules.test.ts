import { JSON_DEPTH_MAX } from '@farebox/wire/common'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWithinBounds, PROVIDER_JSON, readEventJson, scanJson, UNREAD } from './json-scan-rules.ts'

const NO_BOUND = { depthMax: 10_000, nodesMax: Number.POSITIVE_INFINITY }

function scanOf(text: string, paths: readonly string[]) {
  const scan = scanJson(text, NO_BOUND, paths)
  if (typeof scan === 'string') throw new Error(scan)
  return scan
}

/** Depth, values and members of a JSON value, counted by walking it. */
function measure(value: unknown): { depth: number; nodes: number; members: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1, members: 0 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    nodes: 1 + inner.reduce((sum, { nodes }) => sum + nodes, 0),
    members: (Array.isArray(value) ? 0 : inner.length) + inner.reduce((sum, { members }) => sum + members, 0),
  }
}

const parsed = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a scan of JSON text', () => {
  test('counts depth, values and members exactly as a walk over the parsed value does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { depth, nodes, members } = measure(JSON.parse(text))
        const kind = Array.isArray(value)
          ? 'array'
          : typeof value === 'object' && value !== null
            ? 'object'
            : 'scalar'
        expect(scanJson(text, { depthMax: depth, nodesMax: nodes })).toMatchObject({ kind, members })
        if (depth > 0) expect(scanJson(text, { ...NO_BOUND, depthMax: depth - 1 })).toBe('too_large')
        if (nodes > 1) expect(scanJson(text, { ...NO_BOUND, nodesMax: nodes - 1 })).toBe('too_large')
      }),
    )
  })

  test('accepts exactly the text that JSON.parse accepts', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '\\',
        '\\u',
        '\\u00e9',
        '\\n',
        '0',
        '1',
        '-',
        '.',
        'e',
        'E+',
        'true',
        'false',
        'null',
        'nul',
        ' ',
        '\t',
        '\n',
        '\r',
        '\u0000',
        '\u001f',
        '\u00a0',
        '\ufeff',
      ),
      fc.string({ maxLength: 2 }),
      fc.double().map(String),
      fc.jsonValue().map(value => JSON.stringify(value)),
    )
    const broken = fc
      .tuple(
        fc.jsonValue().map(value => JSON.stringify(value)),
        fc.nat(),
        fc.nat(3),
        piece,
      )
      .map(([text, at, gone, put]) => {
        const from = at % (text.length + 1)
        return text.slice(0, from) + put + text.slice(from + gone)
      })
    const texts = fc.oneof(
      broken,
      fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join('')),
      fc.array(piece, { maxLength: 6 }).map(pieces => `["${pieces.join('')}"]`),
    )
    fc.assert(
      fc.property(texts, text => {
        expect(scanJson(text, NO_BOUND) !== 'invalid_json').toBe(parsed(text))
      }),
      { numRuns: 20_000 },
    )
  })

  test('returns the text of requested members of the outermost object, the last of duplicates', () => {
    const text = '{"usage":1,"a":{"usage":2},"usage": {"n":[3]} ,"us\\u0061ge":4,"status":null}'
    const scan = scanJson(text, NO_BOUND, ['usage', 'status', 'other'])
    expect(scan).toMatchObject({
      texts: new Map([
        ['usage', '{"n":[3]}'],
        ['status', 'null'],
      ]),
    })
  })
})

test('a scan returns the text of requested members of a member, and where they begin', () => {
  const text = '{"a":{"b":{"c":1},"c":2},"a.b":3,"d":[{"b":4}],"c":5,"e":{"b":6}}'
  const { texts, starts } = scanOf(text, ['a.b', 'a.c', 'd.b', 'c'])
  expect(texts).toEqual(
    new Map([
      ['a.b', '{"c":1}'],
      ['a.c', '2'],
      ['c', '5'],
    ]),
  )
  for (const [path, part] of texts) expect(text.slice(starts.get(path)).startsWith(part)).toBe(true)
})

describe('the value of an event', () => {
  const many = Array.from({ length: 12_000 }, () => ({ token: 'a' }))

  test('is complete if it can be built, and otherwise has the requested members only', () => {
    const value = { a: { b: 1, many: [1] }, c: [2] }
    expect(readEventJson(JSON.stringify(value), ['a.b'])).toEqual(value)
    const large = JSON.stringify({ a: { b: 1, many }, c: many, d: 3 })
    expect(readEventJson(large, ['a.b', 'a.e', 'c'])).toEqual({ a: { b: 1 }, c: UNREAD })
  })

  test('may be nested as deep as a request, whose parts it repeats', () => {
    const deep = `${'{"a":'.repeat(JSON_DEPTH_MAX)}1${'}'.repeat(JSON_DEPTH_MAX)}`
    const text = `{"tools":[${deep}],"text":"${'x'.repeat(20_000)}","b":1}`
    expect(readEventJson(text, ['b'])).toEqual({ b: 1 })
  })

  test('is unread if it is too large, and an error if it is not JSON', () => {
    expect(readEventJson(`[${'0,'.repeat(500_000)}0]`, ['b'])).toBe(UNREAD)
    expect(() => readEventJson(`{"b":1,"c":"${'x'.repeat(20_000)}"`, ['b'])).toThrow(SyntaxError)
  })
})

describe('text that may be parsed without a scan', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  test('never exceeds the limits of a scan', () => {
    const text = fc.oneof(
      fc.jsonValue().map(value => JSON.stringify(value)),
      fc.integer({ min: 60, max: 70 }).map(nested),
      fc.integer({ min: 0, max: 9_000 }).map(count => `[${'0,'.repeat(count)}0]`),
    )
    fc.assert(
      fc.property(text, each => {
        if (isWithinBounds(each)) expect(scanJson(each, PROVIDER_JSON)).not.toBe('too_large')
      }),
    )
  })

  test('is nested up to the depth limit of a response, and no deeper', () => {
    expect(isWithinBounds(nested(PROVIDER_JSON.depthMax))).toBe(true)
    expect(isWithinBounds(nested(PROVIDER_JSON.depthMax + 1))).toBe(false)
    expect(isWithinBounds('{"a":'.repeat(PROVIDER_JSON.depthMax + 1))).toBe(false)
  })

  test('is at most 16,384 characters long', () => {
    expect(isWithinBounds(' '.repeat(16_384))).toBe(true)
    expect(isWithinBounds(' '.repeat(16_385))).toBe(false)
  })
})
