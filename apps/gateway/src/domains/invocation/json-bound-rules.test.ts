import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exceedsJsonBounds } from './json-bound-rules.ts'

const NO_BOUND = Number.POSITIVE_INFINITY

/** Depth and values of a JSON value, counted by walking it. */
function measure(value: unknown): { depth: number; nodes: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1 }
  const inner = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    nodes: 1 + inner.reduce((sum, { nodes }) => sum + nodes, 0),
  }
}

test('counts depth and values as a walk over the parsed value does, whatever is in the strings', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const { depth, nodes } = measure(JSON.parse(text))
      expect(exceedsJsonBounds(text, { depthMax: depth, nodesMax: nodes })).toBe(false)
      expect(exceedsJsonBounds(text, { depthMax: depth - 1, nodesMax: NO_BOUND })).toBe(depth > 0)
      expect(exceedsJsonBounds(text, { depthMax: NO_BOUND, nodesMax: nodes - 1 })).toBe(nodes > 1)
    }),
  )
})

test.each(['', '"', '"\\', '[', ']]]', '{"a', ',,,', '\u0000'])(
  'ends with text that is no JSON: %j',
  text => {
    expect(typeof exceedsJsonBounds(text, { depthMax: 2, nodesMax: 2 })).toBe('boolean')
  },
)

test('takes brackets and commas in strings for text', () => {
  const text = JSON.stringify({ a: '[[[{{,,,\\"[[', 'b"[': '\\' })
  expect(exceedsJsonBounds(text, { depthMax: 1, nodesMax: 3 })).toBe(false)
})
