import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { compilePayloadSchema, PayloadSchemaError } from './payload-schema.ts'

const check = (schema: unknown) => compilePayloadSchema(schema, 'body')

describe('a schema', () => {
  test('accepts what fits, and says where anything else does not', () => {
    const city = check({
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', maximum: 14 } },
    })
    expect(city({ city: 'Bern', days: 3, more: true })).toBeNull()
    expect(city({})).toEqual([{ path: 'body', message: "must have required property 'city'" }])
    expect(city({ city: 'Bern', days: 15 })).toEqual([{ path: 'body.days', message: 'must be <= 14' }])
    expect(city(undefined)).toEqual([{ path: 'body', message: 'must be object' }])
  })

  test('accepts everything when absent or true, and nothing when false', () => {
    for (const schema of [undefined, null, true]) expect(check(schema)(undefined)).toBeNull()
    expect(check(false)({})).toEqual([{ path: 'body', message: 'boolean schema is false' }])
  })

  test('may have unknown keywords and formats, as OpenAPI and others write them', () => {
    const schema = {
      type: 'object',
      example: {},
      'x-order': 1,
      properties: { a: { type: 'string', format: 'phone', nullable: true } },
    }
    expect(check(schema)({ a: 'x' })).toBeNull()
  })

  test('may define and refer, in both drafts', () => {
    const draft2020 = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { 'a/b': { type: 'string' } },
      type: 'object',
      properties: { pair: { prefixItems: [{ $ref: '#/$defs/a~1b' }, { type: 'number' }] } },
    }
    expect(check(draft2020)({ pair: ['x', 1] })).toBeNull()
    expect(check(draft2020)({ pair: [1, 1] })).toEqual([{ path: 'body.pair.0', message: 'must be string' }])
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { name: { type: 'string' } },
      items: [{ $ref: '#/definitions/name' }, { type: 'number' }],
    }
    expect(check(draft7)(['x', 1])).toBeNull()
    expect(check(draft7)(['x', 'y'])).toEqual([{ path: 'body.1', message: 'must be number' }])
  })

  test('may have properties named like keywords', () => {
    const schema = {
      properties: { $id: { type: 'string' }, id: { type: 'string' }, $ref: { type: 'string' } },
    }
    expect(check(schema)({ $id: 'x', id: 'y', $ref: 'z' })).toBeNull()
    expect(check(schema)({ id: 1 })).toEqual([{ path: 'body.id', message: 'must be string' }])
  })

  test('checks formats and patterns', () => {
    const schema = { properties: { mail: { format: 'email' }, code: { pattern: '^[A-Z]{3}$' } } }
    expect(check(schema)({ mail: 'a@b.ch', code: 'ABC' })).toBeNull()
    expect(check(schema)({ mail: 'a', code: 'ABC' })).toEqual([
      { path: 'body.mail', message: 'must match format "email"' },
    ])
    expect(check(schema)({ code: 'abc' })).toEqual([
      { path: 'body.code', message: 'must match pattern "^[A-Z]{3}$"' },
    ])
  })
})

describe('a schema is rejected', () => {
  const deep = (depth: number): object => (depth === 0 ? {} : { not: deep(depth - 1) })
  test.each([
    ['that is not a schema', 'object', 'must be an object'],
    ['that is malformed', { type: 'text' }, 'not a valid JSON Schema: schema/type must be equal to one of'],
    ['with a malformed keyword', { properties: [] }, 'not a valid JSON Schema'],
    ['that loads another', { $ref: 'https://example.com/schema.json' }, 'does not resolve'],
    ['with an unresolved reference', { $ref: '#/$defs/missing' }, 'does not resolve'],
    ['that refers to itself', { items: { $ref: '#' } }, 'recursive'],
    [
      'with circular references',
      {
        $ref: '#/$defs/a',
        $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { not: { $ref: '#/$defs/a' } } },
      },
      'recursive',
    ],
    ['with an $id', { $id: 'https://example.com/x' }, '$id'],
    ['with an $id in its definitions', { $defs: { a: { $id: 'x' } } }, '$id'],
    ['with dynamic references', { $dynamicRef: '#a' }, '$dynamicRef'],
    ['that is asynchronous', { $async: true }, '$async'],
    ['that compares all pairs of items', { uniqueItems: true }, 'maxItems'],
    ['that is too deep', deep(200), 'too deep'],
    ['that is too large', { allOf: Array.from({ length: 3_000 }, () => ({})) }, 'too large'],
    ['with a pattern with look-around', { pattern: '(?=a)' }, 'Look-around'],
    ['with a back-reference in a name pattern', { patternProperties: { '(a)\\1': {} } }, 'Back-references'],
  ])('%s', (_, schema, reason) => {
    expect(() => check(schema)).toThrow(PayloadSchemaError)
    expect(() => check(schema)).toThrow(reason)
  })

  test('that grows exponentially by its references, before compilation', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` }
        return [`d${index}`, { anyOf: [next, next] }]
      }),
    )
    const bomb = { $ref: '#/$defs/d0', $defs: { ...$defs, d40: { type: 'string' } } }
    expect(processorMs(() => expect(() => check(bomb)).toThrow('too large'))).toBeLessThan(200)
  })

  test('that grows the same way within properties named like definitions', () => {
    const branches = (index: number) => [{ $ref: `#/properties/definitions/anyOf/${index}` }]
    const bomb = {
      properties: {
        definitions: {
          anyOf: Array.from({ length: 40 }, (_, index) =>
            index === 39 ? {} : { anyOf: [...branches(index + 1), ...branches(index + 1)] },
          ),
        },
      },
    }
    expect(processorMs(() => expect(() => check(bomb)).toThrow('too large'))).toBeLessThan(200)
  })
})

test('schemas of the highest cost are compiled in time', () => {
  const many = Array.from({ length: 900 }, (_, index) => `p${index}`)
  const properties = Object.fromEntries(many.map(name => [name, { type: 'string' }]))
  const oneOf = many.map(() => ({ type: 'string' }))
  check({ properties: { p: { type: 'string' } }, oneOf: oneOf.slice(0, 1) })
  expect(processorMs(() => [check({ properties }), check({ oneOf })])).toBeLessThan(800)
})

test.each([
  ['of large character classes', (index: number) => `[${'\\p{L}\\p{Script=Han}'.repeat(45)}${index}]`],
  ['of different characters', (index: number) => `[${String.fromCodePoint(0x4e00 + index)}]{1,900}`],
  ['of nested repetitions', (index: number) => `(?:(?:a{40}){40})${index}`],
])('schemas with many patterns %s are refused in time', (_, patternOf) => {
  check({ pattern: '[a-z]' })
  const allOf = Array.from({ length: 60 }, (_, index) => ({ pattern: patternOf(index) }))
  const pattern = expect.stringMatching(/^The patterns? (?:is too large|have too many character classes)\.$/)
  const message = expect.objectContaining({ message: pattern })
  expect(processorMs(() => expect(() => check({ allOf })).toThrow(message))).toBeLessThan(200)
})

test('a schema may repeat a pattern, and have many small ones', () => {
  const patterns = [
    '^[0-9a-f]{8}-[0-9a-f]{4}$',
    ...Array.from({ length: 150 }, (_, n) => `^[a-z${n}]{1,20}$`),
  ]
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [`p${n}`, { pattern: patterns[n % patterns.length] }]),
  )
  const names = check({ properties })
  expect(names({ p0: '0123abcd-0000', p1: 'abc0' })).toBeNull()
  expect(names({ p0: '0123abcd' })).toHaveLength(1)
})

describe('a check takes bounded time', () => {
  test('for a pattern with catastrophic backtracking, and says so', () => {
    const schema = check({ items: { pattern: '^(a|a|a|a|a)*$' } })
    const texts = Array.from({ length: 100 }, () => 'a'.repeat(10_000))
    let issues: unknown = null
    expect(
      processorMs(() => {
        issues = schema(texts)
      }),
    ).toBeLessThan(1_000)
    expect(issues).toEqual([
      { path: 'body', message: 'takes too long to check against the patterns of the service' },
    ])
  })

  test('for a large payload under a large schema, and says so', () => {
    const schema = check({
      items: { allOf: Array.from({ length: 500 }, (_, index) => ({ maximum: index + 10 })) },
    })
    const numbers = Array.from({ length: 500_000 }, () => 1)
    expect(processorMs(() => expect(schema(numbers)?.[0]?.message).toContain('too large'))).toBeLessThan(500)
    expect(schema(numbers.slice(0, 1_000))).toBeNull()
  })

  test('for a payload of any depth', () => {
    let nested: unknown = 1
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested]
    expect(check({ items: { type: 'array' } })(nested)).toBeNull()
  })

  test('for unique items', () => {
    const schema = check({ uniqueItems: true, maxItems: 1_000 })
    const objects = Array.from({ length: 1_000 }, (_, index) => ({ index }))
    expect(processorMs(() => schema(objects))).toBeLessThan(1_000)
    expect(schema(objects.slice(0, 50))).toBeNull()
    expect(schema([{ a: 1 }, { a: 1 }])?.[0]?.message).toContain('duplicate')
  })

  test('and the next check has its full budget', () => {
    const schema = check({ pattern: '^a*$' })
    for (let count = 0; count < 10; count += 1) expect(schema('a'.repeat(50_000))).toBeNull()
  })
})
