import { isDeeperThan, isObject } from '@farebox/wire/common'
import { parse } from 'yaml'
import { type Members, OpenApiError } from './document-rules.ts'

/** Maximum nesting of a document. */
const DEPTH_MAX = 100
/** Maximum number of values and members in a document, aliases of YAML written out. */
const NODES_MAX = 300_000
/** Maximum number of times that YAML aliases may be written out. */
const ALIASES_MAX = 1_000
const PROBLEM_LENGTH_MAX = 300

/**
 * Parses an OpenAPI document of version 3.0 or 3.1, in JSON or YAML.
 *
 * @throws OpenApiError
 */
export function parseDocument(text: string): Members {
  const document = parseText(text)
  if (!isObject(document)) throw new OpenApiError('Must be an OpenAPI document (an object).')
  if (isDeeperThan(document, DEPTH_MAX)) throw new OpenApiError(`Must be nested at most ${DEPTH_MAX} deep.`)
  if (isLargerThan(document, NODES_MAX)) throw new OpenApiError(`Must contain at most ${NODES_MAX} values.`)
  const { openapi, swagger } = document
  if (swagger !== undefined) throw new OpenApiError('Uses Swagger 2.0: convert it to OpenAPI 3 first.')
  if (typeof openapi !== 'string' || !/^3\.[01]\.\d/.test(openapi)) {
    throw new OpenApiError('Must be OpenAPI 3.0 or 3.1, as stated by its member `openapi`.')
  }
  if (!isObject(document.paths)) throw new OpenApiError('Has no paths.')
  return document
}

function parseText(text: string): unknown {
  const isJson = /^\s*[{[]/.test(text)
  try {
    return isJson ? JSON.parse(text) : parse(text, { maxAliasCount: ALIASES_MAX, logLevel: 'error' })
  } catch (error) {
    // Both parsers depend on nothing but the text: whatever they throw is about it.
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    const shown = reason.slice(0, PROBLEM_LENGTH_MAX)
    throw new OpenApiError(`Is not valid ${isJson ? 'JSON' : 'YAML'}: ${shown}`)
  }
}

function isLargerThan(value: unknown, max: number): boolean {
  const rest: unknown[] = [value]
  for (let count = 0; rest.length > 0; count += 1) {
    if (count > max) return true
    const node = rest.pop()
    if (typeof node === 'object' && node !== null) for (const value of Object.values(node)) rest.push(value)
  }
  return false
}
