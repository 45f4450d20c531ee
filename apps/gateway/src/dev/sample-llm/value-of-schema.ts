import { isObject } from '@farebox/wire/common'

/** Maximum depth of a generated value; deeper members are left out. */
const DEPTH_MAX = 6
/** Maximum members of a generated object. */
const MEMBERS_MAX = 32

type Schema = Readonly<Record<string, unknown>>

/** Material of generated values: words, and a number from the prompt. */
export type Stuff = { readonly words: readonly string[]; readonly number: number | null }

/**
 * Generates a value for a JSON Schema of a tool: objects, arrays, scalars, enums, defaults, unions and local
 * references. Anything else becomes a word.
 *
 * @param stuff the first word goes to the first text, and so on cyclically
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

  /** Resolves `#/$defs/Name` once; further references are resolved where they occur. */
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

/** Returns the option that the words name, or the first. */
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

const recordOf = (value: unknown): Schema => (isObject(value) ? value : {})
