import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { valueOfSchema } from './value-of-schema.ts'

const stuff = { words: ['Lisbon', 'metric'], number: 12.5 }

test.each([
  { type: 'object', properties: { city: { type: 'string' }, far: { type: 'boolean' } }, required: ['city'] },
  { type: 'object', properties: { unit: { enum: ['imperial', 'metric'] } }, required: ['unit'] },
  { type: 'object', properties: { days: { type: 'integer', minimum: 1, maximum: 5 } }, required: ['days'] },
  { type: 'object', properties: { at: { type: ['null', 'number'] }, kind: { const: 'ferry' } } },
  { type: 'object', properties: { list: { type: 'array', items: { type: 'number' }, minItems: 1 } } },
  {
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/place' },
      to: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/place' }] },
    },
    required: ['from', 'to'],
    $defs: { place: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
  },
  { type: 'object', properties: { note: { type: 'string', default: 'none' }, nothing: { type: 'null' } } },
])('generates a value that fits its schema: %j', schema => {
  expect(new Ajv({ strict: false }).validate(schema, valueOfSchema(schema, stuff))).toBe(true)
})

test('uses words and numbers of the prompt', () => {
  const properties = {
    city: { type: 'string' },
    degrees: { type: 'number' },
    unit: { enum: ['k', 'metric'] },
  }
  const made = valueOfSchema({ type: 'object', properties }, stuff)
  expect(made).toEqual({ city: 'Lisbon', degrees: 12.5, unit: 'metric' })
})

test('ends for a schema that refers to itself or is undefined', () => {
  const properties = { child: { $ref: '#/$defs/node' } }
  const schema = { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties } } }
  expect(JSON.stringify(valueOfSchema(schema, stuff)).length).toBeLessThan(200)
  expect(valueOfSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, stuff)).toBe('Lisbon')
  expect(valueOfSchema(undefined, stuff)).toBe('Lisbon')
})
