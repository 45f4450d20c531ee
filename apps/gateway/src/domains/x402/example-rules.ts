import { isObject, type JsonObject } from '@farebox/wire/common'

/** Maximum depth of an example. */
const DEPTH_MAX = 6
const TEXT = 'text'

/**
 * Returns a value that a JSON Schema is likely to accept: its own example if it has one, else the smallest value of its
 * type. Callers check it.
 */
export function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > DEPTH_MAX) return {}
  const { const: constant, enum: choices, examples, default: usual } = schema
  if (constant !== undefined) return constant
  const [given] = [choices, examples].flatMap(list => (Array.isArray(list) ? list.slice(0, 1) : []))
  if (given !== undefined) return given
  if (usual !== undefined) return usual
  const [type = isObject(schema.properties) ? 'object' : 'string'] = [schema.type ?? []].flat()
  switch (type) {
    case 'object':
      return objectOf(schema, depth)
    case 'array':
      return numberIn(schema, 'minItems', 0) > 0 ? [exampleOf(schema.items, depth + 1)] : []
    case 'integer':
    case 'number':
      return numberIn(schema, 'minimum', 1)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return TEXT.padEnd(Math.min(numberIn(schema, 'minLength', 0), TEXT.length * 64), TEXT)
  }
}

function objectOf(schema: JsonObject, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const names = Object.keys(properties).filter(name => required.includes(name))
  return Object.fromEntries(names.map(name => [name, exampleOf(properties[name], depth + 1)]))
}

function numberIn(schema: JsonObject, name: string, absent: number): number {
  const value = schema[name]
  return typeof value === 'number' ? value : absent
}
