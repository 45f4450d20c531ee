import { isObject } from '@farebox/wire/common'
import type { Members } from './document-rules.ts'
import type { Resolve } from './reference-rules.ts'

/** Nesting of a schema beyond which anything fits. */
const DEPTH_MAX = 12
/** Keywords and values of a schema beyond which anything fits: services take 2,000. */
const NODES_MAX = 1_400
const TEXT_LENGTH_MAX = 300
const LIST_MAX = 100
const UNIQUE_ITEMS_MAX = 1_000

/** Keywords that are kept as they are; others are left out. */
const KEPT = new Set(
  `type format title description default const enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
   minLength maxLength pattern minItems maxItems minProperties maxProperties required examples deprecated
   contentEncoding contentMediaType`.split(/\s+/),
)

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [Keyword: string]: unknown }

/** How schemas are converted. */
export type Conversion = {
  readonly resolve: Resolve
  /** Members that only the other side writes are left out: `readOnly` of a request, `writeOnly` of an answer. */
  readonly side: 'request' | 'response'
  /** Leaves patterns and texts out. */
  readonly isBare?: boolean
  /** Takes what was left out, in words. */
  readonly note: (message: string) => void
}

/**
 * Converts a schema of OpenAPI 3.0 or 3.1 to JSON Schema, with its references written out. Recursion and what is too
 * deep or too much end in a schema that anything fits.
 *
 * @throws OpenApiError for a reference that cannot be followed
 */
export function toJsonSchema(schema: unknown, conversion: Conversion): JsonSchema {
  let nodes = 0
  const { resolve, side, note } = conversion
  const convert = (given: unknown, depth: number, open: readonly string[]): JsonSchema => {
    const { node, refs } = resolve(given)
    if (!isObject(node)) return node === false ? { not: {} } : {}
    if (refs.some(ref => open.includes(ref))) {
      note('A recursive schema was cut: any value is accepted there.')
      return {}
    }
    nodes += 1 + Object.keys(node).length
    if (depth > DEPTH_MAX || nodes > NODES_MAX) {
      note('A schema that is too large or too deep was cut: any value is accepted there.')
      return {}
    }
    const below = (value: unknown) => convert(value, depth + 1, [...open, ...refs])
    const entries = Object.entries(node).flatMap(([keyword, value]): [string, unknown][] => {
      const kept = keptKeyword(keyword, value, { below, side, node })
      nodes += Array.isArray(kept) ? kept.length : 0
      return kept === undefined ? [] : [[keyword, kept]]
    })
    return withDialect(Object.fromEntries(entries), node, conversion)
  }
  return convert(schema, 0, [])
}

type Below = (value: unknown) => JsonSchema

function keptKeyword(
  keyword: string,
  value: unknown,
  { below, side, node }: { below: Below; side: Conversion['side']; node: Members },
): unknown {
  switch (keyword) {
    case 'properties':
      return isObject(value) ? propertiesOf(value, below, side) : undefined
    case 'required': {
      const hidden = new Set(hiddenMembers(node.properties, side))
      return Array.isArray(value)
        ? value.filter(name => typeof name === 'string' && !hidden.has(name))
        : undefined
    }
    case 'items':
    case 'not':
      return isObject(value) ? below(value) : undefined
    case 'additionalProperties':
      return isObject(value) ? below(value) : typeof value === 'boolean' ? value : undefined
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      return Array.isArray(value) && value.length > 0 ? value.slice(0, LIST_MAX).map(below) : undefined
    case 'uniqueItems': {
      const { maxItems } = node
      return typeof maxItems === 'number' && maxItems <= UNIQUE_ITEMS_MAX ? value : undefined
    }
    case 'description':
    case 'title':
      return typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX).toWellFormed() : undefined
    case 'enum':
    case 'examples':
      return Array.isArray(value) && value.length > 0 && value.length <= LIST_MAX ? value : undefined
    default:
      return KEPT.has(keyword) ? value : undefined
  }
}

function propertiesOf(properties: Members, below: Below, side: Conversion['side']): Members {
  const hidden = new Set(hiddenMembers(properties, side))
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name))
  return Object.fromEntries(shown.map(([name, of]) => [name, below(of)]))
}

/** Returns the members that only the other side writes. */
function hiddenMembers(properties: unknown, side: Conversion['side']): string[] {
  if (!isObject(properties)) return []
  const keyword = side === 'request' ? 'readOnly' : 'writeOnly'
  return Object.entries(properties).flatMap(([name, of]) =>
    isObject(of) && of[keyword] === true ? [name] : [],
  )
}

/** Rewrites what OpenAPI 3.0 says otherwise: `nullable`, `example`, bounds that are true or false. */
function withDialect(schema: JsonSchema, node: Members, { isBare = false }: Conversion): JsonSchema {
  const { nullable, example } = node
  const next: Record<string, unknown> = { ...schema }
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof next[exclusive] !== 'boolean') continue
    if (next[exclusive] === true && next[bound] !== undefined) next[exclusive] = next[bound]
    else delete next[exclusive]
  }
  if (nullable === true && typeof next.type === 'string') next.type = [next.type, 'null']
  if (nullable === true && Array.isArray(next.enum) && !next.enum.includes(null))
    next.enum = [...next.enum, null]
  if (example !== undefined && next.examples === undefined) next.examples = [example]
  if (isBare)
    for (const keyword of ['pattern', 'description', 'title', 'examples', 'format']) delete next[keyword]
  return next
}
