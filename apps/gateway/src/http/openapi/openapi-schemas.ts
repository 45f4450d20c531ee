import { isObject } from '@farebox/wire/common'
import { z } from 'zod'
import { longestMatch } from './pattern-length.ts'

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [Keyword: string]: unknown }

/** Schemas shared by several operations, by name in the document. */
export type Components = Map<string, JsonSchema>

const INT32_MAX = 2_147_483_647
const INTERNAL_REFERENCE = '#/$defs/'
const REFERENCE = '#/components/schemas/'
/** Name of a recursive schema without its own: `z.json()`, the only one. */
const UNNAMED = '__schema'
const ANY_JSON = 'AnyJson'
const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

/**
 * Returns the JSON Schema of an input or an output. Schemas with an id become components and are referenced.
 *
 * @throws Error if two different schemas have one id
 */
export function toSchema(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // A fallback for unreadable input is not a default.
      if (zodSchema._zod.def.type === 'catch') delete jsonSchema.default
    },
  }) as JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> }
  for (const [name, shared] of Object.entries($defs ?? {})) {
    const { id: _id, ...reported } = shared
    if (name.startsWith(UNNAMED)) define(components, ANY_JSON, { description: 'Any JSON.' })
    else define(components, name, tidy(reported))
  }
  return tidy(json)
}

/** Adds a component and returns a reference to it. */
export function define(components: Components, name: string, schema: JsonSchema): JsonSchema {
  const before = components.get(name)
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(schema)) {
    throw new Error(`Two different schemas are called ${name}.`)
  }
  components.set(name, schema)
  return { $ref: `${REFERENCE}${name}` }
}

/** Returns the schema of a reference, if it is one. */
export function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  return components.get($ref.slice(REFERENCE.length)) ?? {}
}

/** Normalises a schema for generators of clients and linters. */
function tidy(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, tidyMember(keyword, value)])
  return nullableAsType(withLength(withFormat(withoutNoise(Object.fromEntries(entries)))))
}

function tidyMember(keyword: string, value: unknown): unknown {
  if (keyword === '$ref') {
    const name = String(value).slice(INTERNAL_REFERENCE.length)
    return `${REFERENCE}${name.startsWith(UNNAMED) ? ANY_JSON : name}`
  }
  if (keyword === 'default' || keyword === 'example' || keyword === 'examples' || keyword === 'const')
    return value
  if (keyword === 'properties') {
    return Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, of]) => [name, tidy(of)]),
    )
  }
  if (Array.isArray(value)) return value.map(item => (isObject(item) ? tidy(item) : item))
  return isObject(value) ? tidy(value) : value
}

/** Member names are always strings; `example` is written as in 3.1. */
function withoutNoise({ propertyNames, example, ...rest }: JsonSchema): JsonSchema {
  const isSaid = JSON.stringify(propertyNames) === '{"type":"string"}'
  return {
    ...rest,
    ...(propertyNames !== undefined && !isSaid && { propertyNames }),
    ...(example !== undefined && { examples: [example] }),
  }
}

function withFormat(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'integer' || schema.format !== undefined) return schema
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
  const isShort = Number(minimum) >= -INT32_MAX - 1 && Number(maximum) <= INT32_MAX
  return { ...schema, format: isShort ? 'int32' : 'int64' }
}

/** Adds the length implied by a pattern. */
function withLength(schema: JsonSchema): JsonSchema {
  const { type, pattern, maxLength } = schema
  if (type !== 'string' || typeof pattern !== 'string' || maxLength !== undefined) return schema
  const longest = longestMatch(pattern)
  return longest === null ? schema : { ...schema, maxLength: longest }
}

/** Returns true if a schema allows null among other types. */
const isAnything = (schema: JsonSchema): boolean =>
  Object.keys(schema).length === 0 || schema.$ref === `${REFERENCE}${ANY_JSON}`

/** `anyOf: [{type: string}, {type: null}]` as `type: [string, null]`. */
function nullableAsType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [some, none] = anyOf as [JsonSchema, JsonSchema]
  if (isAnything(some) && none.type === 'null') return { ...rest, ...some }
  if (none.type !== 'null' || !SCALARS.has(some.type)) return schema
  const { enum: values, const: only, ...more } = some
  if (only !== undefined) return schema
  return {
    ...more,
    ...(Array.isArray(values) && { enum: [...values, null] }),
    ...rest,
    type: [some.type, 'null'],
  }
}
