/** Deepest nesting of a made value; what lies deeper is left out. */
const DEPTH_MAX = 6
/** Most members of a made object. */
const MEMBERS_MAX = 32

type Schema = Readonly<Record<string, unknown>>

/** What values are made from: words that fit, and a number that was named. */
export type Stuff = { readonly words: readonly string[]; readonly number: number | null }

/**
 * Makes a value that fits a JSON Schema as tools have them: objects, arrays, scalars, enums, defaults, unions and
 * local references. What it does not know becomes a word.
 *
 * @param stuff the first word goes to the first text, and so on around
 */
export function valueOfSchema(schema: unknown, stuff: Stuff): unknown {
  let taken = 0
  const nextWord = () => stuff.words[taken++ % Math.max(1, stuff.words.length)] ?? 'fare'

  function make(given: unknown, depth: number): unknown {
    const schema = resolve(given)
    if ('const' in schema) return schema.const
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return chosen(schema.enum, stuff.words)
    if ('default' in schema) return schema.default
    if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
    const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray)
    if (options !== undefined && options.length > 0 && depth < DEPTH_MAX)
      return make(options.find(option => resolve(option).type !== 'null') ?? options[0], depth + 1)
    return makeTyped(schema, depth)
  }

  function makeTyped(schema: Schema, depth: number): unknown {
    const type = Array.isArray(schema.type) ? schema.type.find(name => name !== 'null') : schema.type
    if (type === 'object' || (type === undefined && schema.properties !== undefined)) {
      if (depth >= DEPTH_MAX) return {}
      const members = Object.entries(recordOf(schema.properties)).slice(0, MEMBERS_MAX)
      return Object.fromEntries(members.map(([name, member]) => [name, make(member, depth + 1)]))
    }
    if (type === 'array') return depth >= DEPTH_MAX ? [] : [make(schema.items, depth + 1)]
    if (type === 'boolean') return true
    if (type === 'null') return null
    return type === 'number' || type === 'integer' ? numberIn(schema, stuff.number) : nextWord()
  }

  /** Follows `#/$defs/Name`, once; further references are followed where they stand. */
  function resolve(given: unknown): Schema {
    const { $ref } = recordOf(given)
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return recordOf(given)
    return $ref
      .slice(2)
      .split('/')
      .reduce<Schema>((at, name) => recordOf(at[name]), recordOf(schema))
  }

  return make(schema, 0)
}

/** The value that the words name, or the first. */
function chosen(values: readonly unknown[], words: readonly string[]): unknown {
  return (
    values.find(value => words.some(word => word.toLowerCase() === String(value).toLowerCase())) ?? values[0]
  )
}

function numberIn(schema: Schema, named: number | null): number {
  const low = typeof schema.minimum === 'number' ? schema.minimum : Number.NEGATIVE_INFINITY
  const high = typeof schema.maximum === 'number' ? schema.maximum : Number.POSITIVE_INFINITY
  const number = Math.min(high, Math.max(low, named ?? 1))
  return schema.type === 'integer' ? Math.round(number) : number
}

const recordOf = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
