type Schema = Readonly<Record<string, unknown>>

const DEPTH_MAX = 4
const MEMBERS_MAX = 12

const KEYWORDS = ['type', 'properties', '$schema', 'anyOf', 'oneOf']

/**
 * Returns the JSON Schema of the request body, or null. It is at `body` by the rules of the manifest; some providers
 * put the schema at the top level.
 */
export function bodySchemaOf(request: Schema): Schema | null {
  if (isObject(request.body)) return request.body
  return KEYWORDS.some(keyword => keyword in request) ? request : null
}

/**
 * Returns an example of a request, from the schema's examples and defaults where it has some. A value that is not a
 * schema counts as an example itself.
 */
export function exampleOf(request: Schema): unknown {
  if ('example' in request) return request.example
  const schema = bodySchemaOf(request)
  if (schema !== null) return instanceOf(schema)
  return isObject(request.query) || isObject(request.path) ? {} : request
}

/** Returns an example of a schema, from its examples and defaults where it has some. */
export function instanceOf(schema: Schema, depth = 0): unknown {
  for (const keyword of ['example', 'default', 'const']) if (keyword in schema) return schema[keyword]
  for (const keyword of ['examples', 'enum', 'anyOf', 'oneOf']) {
    const list = schema[keyword]
    if (!Array.isArray(list) || list.length === 0) continue
    return keyword === 'anyOf' || keyword === 'oneOf' ? instanceOf(list[0] as Schema, depth) : list[0]
  }
  if (depth >= DEPTH_MAX) return null
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'array') return isObject(schema.items) ? [instanceOf(schema.items, depth + 1)] : []
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return Object.fromEntries(
    members
      .slice(0, MEMBERS_MAX)
      .map(([name, member]) => [name, isObject(member) ? instanceOf(member, depth + 1) : null]),
  )
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
