import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { createPatternCompiler, type StepBudget, StepBudgetError } from './linear-pattern.ts'
import { PatternError } from './pattern-syntax.ts'

/**
 * JSON Schemas of providers, checked against payloads of callers. Neither is trusted, and the process serves others
 * meanwhile, so the work of a check is bounded beforehand: a schema has a cost (its nodes, with references expanded;
 * recursive ones are refused), a payload a size, and their product a limit. Patterns are matched in counted steps
 * (linear-pattern.ts).
 */

/** Maximum cost of a schema. */
const SCHEMA_COST_MAX = 2_000
/** Maximum depth of a schema, references followed. */
const SCHEMA_DEPTH_MAX = 128
/** Maximum product of a schema's cost and a payload's size; some tens of milliseconds. */
const WORK_MAX = 5_000_000
/** Maximum steps of all patterns in one check. */
const PATTERN_STEPS_MAX = 2_000_000
/** Characters that count as one node of a payload. */
const CHARACTERS_PER_NODE = 16
/** Maximum items with `uniqueItems`, which takes quadratic time. */
const UNIQUE_ITEMS_MAX = 1_000

/** Stands for a value that is too large to build: any schema rejects it. */
export const UNBUILT = Symbol('unbuilt')

/** A violation and its path. */
export type SchemaIssue = { readonly path: string; readonly message: string }

/** Checks a value; returns null if it is valid. Takes bounded time and never throws. */
export type PayloadCheck = (value: unknown) => readonly SchemaIssue[] | null

/** An unsupported schema; the message says why. */
export class PayloadSchemaError extends Error {
  override readonly name = 'PayloadSchemaError'
}

type JsonObject = Readonly<Record<string, unknown>>

/** Keywords that load, name or loop; without them every schema is self-contained. */
const REFUSED_KEYWORDS: readonly string[] = [
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$recursiveAnchor',
  '$async',
]

const dialects = { draft7: Ajv, draft2020: Ajv2020 }
/** Validators of schemas themselves, by dialect; created on first use. */
const checkers = new Map<keyof typeof dialects, Ajv>()

/** Checks run one at a time, so one budget serves all. */
const budget: StepBudget = { left: 0 }

/** Returns what Ajv makes the patterns of one schema with. */
function patternsOfSchema() {
  const compile = createPatternCompiler(budget)
  return Object.assign((source: string) => ({ ...compile(source), toString: () => source }), {
    code: 'compilePattern',
  })
}

/**
 * Compiles a JSON Schema: draft 2020-12, or draft 7 and older when `$schema` says so.
 *
 * @param schema undefined when there is none: everything fits
 * @param root   name of the checked value in the paths of issues
 * @throws PayloadSchemaError
 */
export function compilePayloadSchema(schema: unknown, root: string): PayloadCheck {
  if (schema === undefined || schema === null || schema === true) return () => null
  if (schema !== false && !isObject(schema)) throw new PayloadSchemaError('A JSON Schema must be an object.')
  const cost = schema === false ? 1 : costOf(schema)
  const validate = compile(schema)
  return value => {
    if (value === UNBUILT || sizeOf(value, WORK_MAX / cost) > WORK_MAX / cost) {
      return [{ path: root, message: 'is too large to check against the schema of the service' }]
    }
    budget.left = PATTERN_STEPS_MAX
    try {
      if (validate(value)) return null
    } catch (error) {
      if (!(error instanceof StepBudgetError)) throw error
      return [{ path: root, message: 'takes too long to check against the patterns of the service' }]
    }
    return (validate.errors ?? []).map(({ instancePath, message }) => ({
      path: root + instancePath.replaceAll('/', '.'),
      message: message ?? 'does not match',
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
      `It is not a valid JSON Schema: ${checker.errorsText(checker.errors, { dataVar: 'schema' })}.`,
    )
  }
  // A new instance: an instance keeps everything that it compiled.
  const options = {
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    // Its optimizer takes quadratic time: most of a second for a schema of the highest cost, of which a manifest has four.
    code: { regExp: patternsOfSchema(), optimize: false },
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
 * Counts the nodes that a check of one value may visit: those of the schema, with references expanded.
 *
 * @throws PayloadSchemaError if there are too many, or a reference is recursive or unresolved
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
      // Definitions at the root count where they are referenced.
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
  throw new PayloadSchemaError(`uniqueItems requires maxItems of ${UNIQUE_ITEMS_MAX} or less.`)
}

function refuseKeywords(root: JsonObject): void {
  let level: JsonObject[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > SCHEMA_DEPTH_MAX) throw new PayloadSchemaError('The schema is nested too deep.')
    for (const node of level) {
      // A property with this name has a schema as value; the keyword does not.
      const keyword = REFUSED_KEYWORDS.find(name => Object.hasOwn(node, name) && !isObject(node[name]))
      if (keyword !== undefined)
        throw new PayloadSchemaError(`The keyword ${keyword} is not supported in schemas.`)
    }
    level = level.flatMap(node => Object.values(node).filter(isObject))
  }
}

/** Resolves a JSON Pointer in a fragment (RFC 6901, 6). */
function referredTo(root: JsonObject, reference: string): unknown {
  const [empty, ...names] = decodeFragment(reference).split('/')
  let node: unknown = empty === '#' ? root : undefined
  for (const name of names) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    node = isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined
  }
  if (node === undefined)
    throw new PayloadSchemaError(`The reference ${reference} does not resolve in the schema.`)
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

/** Returns the size of a payload in nodes, names and long texts included; stops counting beyond `max`. */
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
