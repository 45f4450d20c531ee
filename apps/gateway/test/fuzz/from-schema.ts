import fc from 'fast-check'
import type { JsonSchema } from '../../src/http/openapi/openapi-schemas.ts'

const DEPTH_MAX = 4
const ITEMS_MAX = 3
const TEXT_MAX = 40
/** Patterns without meaning, or that fast-check cannot generate text for. */
const UNREADABLE = /\[\\s\\S\]|\(\?[!=<]/
const SAFE_MAX = Number.MAX_SAFE_INTEGER

/** Schemas of a document by reference. */
export type Resolve = (schema: JsonSchema) => JsonSchema

/** Generates values that a schema of the contract allows, as far as its keywords say. */
export function valuesOf(given: JsonSchema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(given)
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices !== undefined) return fc.oneof(...choices.map(choice => valuesOf(choice, resolve, depth)))
  const types = [schema.type ?? 'any'].flat()
  return fc.oneof(...types.map(type => valuesOfType(String(type), schema, resolve, depth)))
}

function valuesOfType(
  type: string,
  schema: JsonSchema,
  resolve: Resolve,
  depth: number,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer(boundsOf(schema))
    case 'number':
      return fc.double({ ...boundsOf(schema), noNaN: true })
    case 'string':
      return textsOf(schema)
    case 'array': {
      const items = (schema.items ?? {}) as JsonSchema
      const minLength = Number(schema.minItems ?? 0)
      const maxLength = Math.max(minLength, Math.min(Number(schema.maxItems ?? ITEMS_MAX), ITEMS_MAX))
      return fc.array(valuesOf(items, resolve, depth + 1), { minLength, maxLength })
    }
    case 'object':
      return objectsOf(schema, resolve, depth)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function boundsOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): { min: number; max: number } {
  const min = Number(minimum ?? (exclusiveMinimum === undefined ? -SAFE_MAX : Number(exclusiveMinimum) + 1))
  return { min, max: Math.max(min, Number(maximum ?? SAFE_MAX)) }
}

function textsOf({ pattern, minLength, maxLength, format }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uri') return fc.webUrl({ withQueryParameters: true })
  const min = Number(minLength ?? 0)
  const max = Math.max(min, Math.min(Number(maxLength ?? TEXT_MAX), TEXT_MAX))
  const any = fc.string({ minLength: min, maxLength: max })
  if (typeof pattern !== 'string' || UNREADABLE.test(pattern)) return any
  return fc.oneof(
    { weight: 4, arbitrary: fc.stringMatching(new RegExp(pattern), { maxLength: max * 2 }) },
    any,
  )
}

function objectsOf(schema: JsonSchema, resolve: Resolve, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  if (depth >= DEPTH_MAX) return fc.constant({})
  if (properties.length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }))
  const model = Object.fromEntries(
    properties.map(([name, of]) => [name, valuesOf(of, resolve, depth + 1)] as const),
  )
  const required = new Set((schema.required ?? []) as string[])
  return fc.record(model, {
    requiredKeys: properties.map(([name]) => name).filter(name => required.has(name)),
  })
}
