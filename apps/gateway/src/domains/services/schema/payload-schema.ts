import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { compilePattern, type StepBudget, StepBudgetError } from './linear-pattern.ts'
import { PatternError } from './pattern-syntax.ts'

/**
 * JSON Schemas of providers, checked against payloads of callers: both are strangers, and this process serves
 * others meanwhile. So the work of one check is bounded beforehand: a schema has a cost (its nodes, references
 * written out; recursive ones are refused), a payload a size, and their product a limit. Patterns are matched in
 * counted steps (see linear-pattern.ts).
 */

/** Largest cost of a schema. */
const SCHEMA_COST_MAX = 2_000
/** Deepest schema, references followed. */
const SCHEMA_DEPTH_MAX = 128
/** Largest product of a schema's cost and a payload's size; some tens of milliseconds. */
const WORK_MAX = 5_000_000
/** Steps that all patterns of one check may take together. */
const PATTERN_STEPS_MAX = 2_000_000
/** Characters that count as much as one node of a payload. */
const CHARACTERS_PER_NODE = 16
/** Most items of an array whose items must differ: that takes time by the square. */
const UNIQUE_ITEMS_MAX = 1_000

/** Stands for a value that is too large to be built: whatever has a schema is told so. */
export const UNBUILT = Symbol('unbuilt')

/** What does not fit, and where. */
export type SchemaIssue = { readonly path: string; readonly message: string }

/** Checks a value; null when it fits. Takes bounded time and throws nothing. */
export type PayloadCheck = (value: unknown) => readonly SchemaIssue[] | null

/** A schema that is not taken; the message says why. */
export class PayloadSchemaError extends Error {
  override readonly name = 'PayloadSchemaError'
}

type JsonObject = Readonly<Record<string, unknown>>

/** Keywords that load, name or loop; left out, every schema stands for itself. */
const REFUSED_KEYWORDS: readonly string[] = [
  ...['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef', '$recursiveAnchor', '$async'],
]

const dialects = { draft7: Ajv, draft2020: Ajv2020 }
/** Per dialect, what checks schemas themselves; made at first use. */
const checkers = new Map<keyof typeof dialects, Ajv>()

/** Checks run one at a time, start to end, so one budget serves all. */
const budget: StepBudget = { left: 0 }
const regExp = Object.assign(
  (source: string) => ({ ...compilePattern(source, budget), toString: () => source }),
  { code: 'compilePattern' },
)

/**
 * Compiles a JSON Schema: draft 2020-12, or draft 7 and older when `$schema` says so.
 *
 * @param schema undefined when there is none: everything fits
 * @param root   name of the checked value in the paths of issues
 * @throws PayloadSchemaError
 */
export function compilePayloadSchema(schema: unknown, root: string): PayloadCheck {
  if (schema === undefined || schema === null || schema === true) return () => null
  if (schema !== false && !isObject(schema)) throw new PayloadSchemaError('A JSON Schema is an object.')
  const cost = schema === false ? 1 : costOf(schema)
  const validate = compile(schema)
  return value => {
    if (value === UNBUILT || sizeOf(value, WORK_MAX / cost) > WORK_MAX / cost) {
      return [{ path: root, message: 'is too large to be checked against the schema of the service' }]
    }
    budget.left = PATTERN_STEPS_MAX
    try {
      if (validate(value)) return null
    } catch (error) {
      if (!(error instanceof StepBudgetError)) throw error
      return [{ path: root, message: 'takes too long to be checked against the patterns of the service' }]
    }
    return (validate.errors ?? []).map(({ instancePath, message }) => ({
      path: root + instancePath.replaceAll('/', '.'),
      message: message ?? 'does not fit',
    }))
  }
}

function compile(schema: AnySchema): ValidateFunction {
  const { $schema: declared, ...bare } = typeof schema === 'boolean' ? {} : (schema as JsonObject)
  const dialect = typeof declared === 'string' && declared.includes('draft-0') ? 'draft7' : 'draft2020'
  const plain = typeof schema === 'boolean' ? schema : bare
  const checker = checkers.get(dialect) ?? new dialects[dialect]({ strict: false, logger: false })
  checkers.set(dialect, checker)
  if (checker.validateSchema(plain) !== true) {
    throw new PayloadSchemaError(
      `It is not a JSON Schema: ${checker.errorsText(checker.errors, { dataVar: 'schema' })}.`,
    )
  }
  // An instance of its own: what an instance has compiled, it keeps.
  const options = {
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    code: { regExp },
  } as const
  const ajv = formats.default(new dialects[dialect](options), { mode: 'fast' })
  try {
    return ajv.compile(plain)
  } catch (error) {
    const message = error instanceof PatternError ? error.message : 'The schema cannot be compiled.'
    throw new PayloadSchemaError(message, { cause: error })
  }
}

/**
 * Nodes that a check of one value may visit: those of the schema, with what references lead to in their place.
 *
 * @throws PayloadSchemaError when there are too many, or a reference leads back or out
 */
function costOf(root: JsonObject): number {
  const known = new Map<object, number>()
  const open = new Set<object>()
  const visit = (node: unknown, depth: number): number => {
    if (!isObject(node)) return 1
    const before = known.get(node)
    if (before !== undefined) return before
    if (open.has(node)) throw new PayloadSchemaError('The schema is recursive.')
    if (depth > SCHEMA_DEPTH_MAX) throw new PayloadSchemaError('The schema is nested too deep.')
    open.add(node)
    let cost = 1 + costOfUniqueItems(node)
    for (const [key, value] of Object.entries(node)) {
      // Definitions of the root count where they are referred to.
      if (node === root && (key === '$defs' || key === 'definitions')) continue
      const isReference = key === '$ref' && typeof value === 'string'
      cost += visit(isReference ? referredTo(root, value) : value, depth + 1)
      if (cost > SCHEMA_COST_MAX) throw new PayloadSchemaError('The schema is too large.')
    }
    open.delete(node)
    known.set(node, cost)
    return cost
  }
  refuseKeywords(root)
  return visit(root, 0)
}

function costOfUniqueItems(node: JsonObject): number {
  if (node.uniqueItems !== true) return 0
  const { maxItems } = node
  if (typeof maxItems === 'number' && maxItems <= UNIQUE_ITEMS_MAX) return maxItems
  throw new PayloadSchemaError(`uniqueItems needs maxItems of ${UNIQUE_ITEMS_MAX} or less beside it.`)
}

function refuseKeywords(root: JsonObject): void {
  let level: JsonObject[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > SCHEMA_DEPTH_MAX) throw new PayloadSchemaError('The schema is nested too deep.')
    for (const node of level) {
      // A property of that name has a schema for its value; the keyword has not.
      const keyword = REFUSED_KEYWORDS.find(name => Object.hasOwn(node, name) && !isObject(node[name]))
      if (keyword !== undefined)
        throw new PayloadSchemaError(`The keyword ${keyword} is not taken in schemas.`)
    }
    level = level.flatMap(node => Object.values(node).filter(isObject))
  }
}

/** What a JSON Pointer in a fragment (RFC 6901, 6) leads to. */
function referredTo(root: JsonObject, reference: string): unknown {
  const [empty, ...names] = decodeFragment(reference).split('/')
  let node: unknown = empty === '#' ? root : undefined
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined
  }
  if (node === undefined)
    throw new PayloadSchemaError(`The reference ${reference} leads nowhere in the schema.`)
  return node
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}

/** Size of a payload in nodes, names and long texts included; counts no further than past `max`. */
function sizeOf(value: unknown, max: number): number {
  const rest: unknown[] = [value]
  let size = 0
  while (rest.length > 0 && size <= max) {
    const node = rest.pop()
    size += 1
    if (typeof node === 'string') size += node.length / CHARACTERS_PER_NODE
    else if (Array.isArray(node)) for (const item of node) rest.push(item)
    else if (isObject(node)) {
      for (const [name, item] of Object.entries(node)) {
        size += name.length / CHARACTERS_PER_NODE
        rest.push(item)
      }
    }
  }
  return size
}
