import { isObject } from '@farebox/wire/common'
import type { Encoding } from '@farebox/wire/encodings'
import { contentTypeIn } from '@farebox/wire/encodings'
import { FILE_SCHEMA } from '../draft-body-rules.ts'
import { type Members, OpenApiError, type OperationFindings } from './document-rules.ts'
import { type Conversion, type JsonSchema, toJsonSchema } from './json-schema-rules.ts'
import type { Resolve } from './reference-rules.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*$|^application\/\*$/i

/** How the body of an operation is sent; `schema` is null where there is none. */
export type RequestBody = {
  readonly encoding: Encoding
  readonly contentType: string | null
  readonly schema: JsonSchema | null
  readonly example: unknown
}

const NONE: RequestBody = { encoding: 'json', contentType: null, schema: null, example: undefined }

/**
 * Reads how the body of an operation is sent: as JSON if it takes that, else as a form, as parts or as text.
 *
 * @throws OpenApiError for a required body that no call can send
 */
export function requestBodyOf(
  operation: Members,
  method: string,
  { resolve, conversion, found }: { resolve: Resolve; conversion: Conversion; found: OperationFindings },
): RequestBody {
  const { node: body } = resolve(operation.requestBody)
  if (!isObject(body) || !isObject(body.content)) return NONE
  const leaveOut = (message: string): RequestBody => {
    if (body.required === true) throw new OpenApiError(message)
    found.unsupported.push({ option: 'requestBody', message })
    return NONE
  }
  if (['GET', 'HEAD', 'DELETE'].includes(method)) return leaveOut(`Calls by ${method} send no body.`)
  const types = Object.entries(body.content)
  const pick = (test: RegExp) => types.find(([type]) => test.test(type))
  const [type, media] =
    pick(JSON_TYPE) ??
    pick(/^application\/x-www-form-urlencoded/i) ??
    pick(/^multipart\/form-data/i) ??
    pick(/^text\/|xml\b/i) ??
    []
  if (type === undefined || !isObject(media)) {
    const [first = 'none'] = types.map(([name]) => name)
    return leaveOut(`A body of type ${first.slice(0, 100)} cannot be sent.`)
  }
  const schema = toJsonSchema(media.schema, conversion)
  const example = media.example ?? firstExample(media.examples, resolve)
  if (JSON_TYPE.test(type)) return jsonBody(schema, example, found)
  if (/form/i.test(type)) return formBody(/^multipart/i.test(type) ? 'multipart' : 'form', schema, example)
  const contentType = contentTypeIn.safeParse(type).success ? type : null
  return { encoding: 'text', contentType, schema: { type: 'string' }, example }
}

function firstExample(examples: unknown, resolve: Resolve): unknown {
  const [first] = isObject(examples) ? Object.values(examples) : []
  const { node } = resolve(first)
  return isObject(node) ? node.value : undefined
}

function jsonBody(schema: JsonSchema, example: unknown, { warnings }: OperationFindings): RequestBody {
  const types = [schema.type].flat().filter(type => type !== undefined && type !== 'null')
  if (types.length === 0 || types.includes('object'))
    return { encoding: 'json', contentType: null, schema, example }
  warnings.push({
    path: 'invoke.encoding',
    message: 'The JSON is not an object, so callers send it as text.',
  })
  const text = example === undefined ? undefined : JSON.stringify(example)
  return { encoding: 'text', contentType: 'application/json', schema: { type: 'string' }, example: text }
}

function formBody(encoding: 'form' | 'multipart', schema: JsonSchema, example: unknown): RequestBody {
  const { properties, type: _, ...rest } = schema
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, of]) => {
    return [name, fieldOf(isObject(of) ? of : {}, encoding)] as const
  })
  const known = isObject(example) ? example : undefined
  return {
    encoding,
    contentType: null,
    schema: { ...rest, type: 'object', properties: Object.fromEntries(fields) },
    example: known,
  }
}

/** Returns the schema of a field: files are objects with Base64, other objects are text. */
function fieldOf(of: Members, encoding: 'form' | 'multipart'): JsonSchema {
  const types = [of.type].flat()
  const isBinary =
    of.format === 'binary' ||
    of.format === 'byte' ||
    of.contentEncoding !== undefined ||
    of.contentMediaType !== undefined
  if (encoding === 'multipart' && isBinary) return FILE_SCHEMA
  if (types.includes('array')) return { ...of, items: fieldOf(isObject(of.items) ? of.items : {}, encoding) }
  if (!types.includes('object') && of.properties === undefined) return of
  return { type: 'string', description: 'JSON, as text.' }
}
