import { isObject } from '@farebox/wire/common'
import { type Members, OpenApiError, type OperationFindings } from './document-rules.ts'
import { readHeader } from './header-parameter-rules.ts'
import { type Conversion, type JsonSchema, toJsonSchema } from './json-schema-rules.ts'
import type { Resolve } from './reference-rules.ts'

const PARAMETERS_MAX = 100

/** A parameter of path or query. */
export type Parameter = { readonly name: string; readonly isRequired: boolean; readonly schema: JsonSchema }

/** The parameters of an operation, by place. */
export type Parameters = {
  readonly path: readonly Parameter[]
  readonly query: readonly Parameter[]
  /** Headers with one value for all calls. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Reads the parameters of an operation; those of the path item stand behind its own.
 *
 * @throws OpenApiError for a required one that no call can send
 */
export function parametersOf(
  item: Members,
  operation: Members,
  tools: { resolve: Resolve; conversion: Conversion; found: OperationFindings },
): Parameters {
  const { resolve, conversion, found } = tools
  const read = { path: [] as Parameter[], query: [] as Parameter[], headers: {} as Record<string, string> }
  const seen = new Set<string>()
  const listed = [operation.parameters, item.parameters].flatMap(list => (Array.isArray(list) ? list : []))
  for (const each of listed.slice(0, PARAMETERS_MAX)) {
    const { node } = resolve(each)
    if (!isObject(node) || typeof node.name !== 'string' || node.name === '') continue
    const key = `${node.in} ${node.name}`
    if (seen.has(key)) continue
    seen.add(key)
    if (node.in === 'path' || node.in === 'query') {
      const parameter = parameterOf(node, conversion, found)
      if (parameter !== null) read[node.in].push(parameter)
    } else if (node.in === 'header') readHeader(node, read.headers, tools)
    else leaveOut(node, 'Cookies of callers are not forwarded.', found)
  }
  return read
}

function parameterOf(node: Members, conversion: Conversion, found: OperationFindings): Parameter | null {
  const { name, required, style, explode, content } = node
  const isRequired = required === true || node.in === 'path'
  const converted = toJsonSchema(content === undefined ? node.schema : {}, conversion)
  const described =
    typeof node.description === 'string' ? node.description.slice(0, 300).toWellFormed() : null
  const schema: JsonSchema = {
    ...(described !== null && converted.description === undefined && { description: described }),
    ...converted,
    ...(node.example !== undefined && { examples: [node.example] }),
  }
  const types = [schema.type].flat()
  const isObject = types.includes('object') || style === 'deepObject' || 'properties' in schema
  if (node.in === 'path' && (style === 'matrix' || style === 'label')) {
    throw new OpenApiError(`The path parameter ${name} has the style ${style}, which no call can write.`)
  }
  if (isObject) return leaveOut(node, 'An object cannot be sent in a URL.', found)
  if (content !== undefined)
    return { name: String(name), isRequired, schema: { type: 'string', description: 'JSON, as text.' } }
  if (!types.includes('array')) return { name: String(name), isRequired, schema }
  const isJoined = node.in === 'path' || explode === false
  const separator = style === 'spaceDelimited' ? 'spaces' : style === 'pipeDelimited' ? 'pipes' : 'commas'
  const joined = { type: 'string', description: `${described ?? 'Values'} (separated by ${separator})` }
  return { name: String(name), isRequired, schema: isJoined ? joined : schema }
}

/** @throws OpenApiError if it is required */
function leaveOut({ name, required }: Members, message: string, { unsupported }: OperationFindings): null {
  const option = String(name).slice(0, 200)
  if (required === true)
    throw new OpenApiError(`The parameter ${JSON.stringify(option)} is required. ${message}`)
  unsupported.push({ option, message })
  return null
}
