import { isObject } from '@farebox/wire/common'
import { FREE_FORM_LENGTH_MAX } from '@farebox/wire/free-form'
import type { Unsupported } from '../curl-rules.ts'
import type { DraftWarning } from '../draft-findings-rules.ts'
import { renamedPath } from '../draft-url-rules.ts'
import { withoutSecrets } from '../infer-schema-rules.ts'
import { placeholderName } from '../placeholder-rules.ts'
import { type Members, OpenApiError, type OperationFindings } from './document-rules.ts'
import { type JsonSchema, toJsonSchema } from './json-schema-rules.ts'
import { namesOf } from './naming-rules.ts'
import { type Parameter, parametersOf } from './parameter-rules.ts'
import type { Resolve } from './reference-rules.ts'
import { type RequestBody, requestBodyOf } from './request-body-rules.ts'
import { keysOf } from './security-rules.ts'
import { serverOf } from './server-rules.ts'

/** An operation of a document. */
export type Operation = {
  /** Method and path: `GET /pets/{id}`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly item: Members
  readonly node: Members
}

/** A manifest drafted from an operation, without a price. */
export type OperationDraft = {
  readonly operation: string
  readonly manifest: Readonly<Record<string, unknown>>
  readonly warnings: readonly DraftWarning[]
  readonly unsupported: readonly Unsupported[]
}

/** Parts shared by the drafts of one document. */
export type DraftTools = {
  readonly document: Members
  readonly resolve: Resolve
  /** Replaces the servers of the document. */
  readonly serverUrl: string | undefined
  readonly looksSecret: (text: string) => boolean
}

const NOTES_MAX = 50

/**
 * Drafts a manifest from an operation.
 *
 * @param isBare leaves patterns, texts and examples out of its schemas
 * @throws OpenApiError if it cannot be sold as a service
 */
export function draftOperation(operation: Operation, tools: DraftTools, isBare = false): OperationDraft {
  const { document, resolve, serverUrl } = tools
  const { node, item, method } = operation
  const found: OperationFindings = { warnings: [], unsupported: [] }
  const noteAt = (path: string) => (message: string) => {
    const isNew = !found.warnings.some(warning => warning.path === path && warning.message === message)
    if (isNew) found.warnings.push({ path, message })
  }
  const conversion = { resolve, isBare, side: 'request' as const, note: noteAt('invoke.request') }
  const server = serverOf([node.servers, item.servers, document.servers], serverUrl)
  const keys = keysOf(document, node, { resolve, warnings: found.warnings })
  const parameters = parametersOf(item, node, { resolve, conversion, found })
  const body = requestBodyOf(node, method, { resolve, conversion, found })
  const { path, names } = targetPath(operation.path, parameters.path, bodyNames(body), parameters.query)
  const query = withoutClashes(parameters.query, bodyNames(body), found)
  const headers = { ...parameters.headers, ...keys.headers }
  const response = toJsonSchema(answerOf(node, resolve), {
    resolve,
    isBare,
    side: 'response',
    note: noteAt('invoke.response'),
  })
  noteAt('pricing')('Without a price calls are free: set pricing.amount.')
  return {
    operation: operation.id,
    manifest: {
      ...namesOf(document, operation),
      serviceKind: 'api',
      priceModel: 'fixed',
      invoke: {
        method,
        targets: [{ url: server + path + queryText(keys.query), weight: 1 }],
        ...(body.encoding !== 'json' && { encoding: body.encoding }),
        ...(body.contentType !== null && { contentType: body.contentType }),
        request: bounded({
          ...(names.length > 0 && { path: objectOf(names) }),
          ...(query.length > 0 && { query: objectOf(query) }),
          ...(body.schema !== null && { body: body.schema }),
          ...exampleOf(body, isBare, tools.looksSecret),
        }),
        response: bounded(Object.keys(response).length > 0 ? { body: response } : {}),
      },
      ...(Object.keys(headers).length > 0 && { upstreamHeaders: headers }),
    },
    warnings: found.warnings.slice(0, NOTES_MAX),
    unsupported: found.unsupported.slice(0, NOTES_MAX),
  }
}

/** Returns the names that a body takes among flat arguments. */
function bodyNames({ encoding, schema }: RequestBody): readonly string[] {
  if (encoding === 'text') return ['body']
  const { properties, required } = schema ?? {}
  const needed = Array.isArray(required) ? required.map(String) : []
  return [...Object.keys(isObject(properties) ? properties : {}), ...needed]
}

/** Returns the path with placeholders that targets can have, and their schemas by name. */
function targetPath(
  path: string,
  described: readonly Parameter[],
  inBody: readonly string[],
  query: readonly Parameter[],
): { path: string; names: readonly Parameter[] } {
  const written = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name)
  const proper = new Map(written.map(name => [name, placeholderName(name)]))
  const renamed = renamedPath([...proper.values()], [...inBody, ...query.map(({ name }) => name)])
  const nameOf = (name: string) => {
    const own = proper.get(name) ?? name
    return renamed.get(own) ?? own
  }
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => `{${nameOf(name)}}`)
  if (/[?#]/.test(filled)) throw new OpenApiError('The path holds a query or a fragment.')
  const names = [...new Set(written)].map(name => {
    const parameter = described.find(each => each.name === name)
    const schema = parameter?.schema ?? { type: ['string', 'number'] }
    return { name: nameOf(name), isRequired: true, schema }
  })
  return { path: filled, names }
}

/** Leaves out parameters of the query whose name the body has. @throws OpenApiError if one is required */
function withoutClashes(
  query: readonly Parameter[],
  taken: readonly string[],
  { unsupported }: OperationFindings,
): readonly Parameter[] {
  return query.filter(({ name, isRequired }) => {
    if (!taken.includes(name)) return true
    const message = 'The body has a member of that name, and arguments of tools are flat.'
    if (isRequired) throw new OpenApiError(`The parameter ${JSON.stringify(name)} is required. ${message}`)
    unsupported.push({ option: name.slice(0, 200), message })
    return false
  })
}

function objectOf(parameters: readonly Parameter[]): JsonSchema {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
  }
}

function queryText(query: readonly (readonly [string, string])[]): string {
  if (query.length === 0) return ''
  return `?${query.map(pair => pair.map(encodeURIComponent).join('=')).join('&')}`
}

/** Returns the schema of the good answer in JSON. */
function answerOf({ responses }: Members, resolve: Resolve): unknown {
  if (!isObject(responses)) return {}
  const status = [
    '200',
    '201',
    '2XX',
    ...Object.keys(responses).filter(code => /^2/.test(code)),
    'default',
  ].find(code => Object.hasOwn(responses, code))
  const { node } = resolve(status === undefined ? undefined : responses[status])
  if (!isObject(node) || !isObject(node.content)) return {}
  const media = Object.entries(node.content).find(([type]) =>
    /^application\/(?:[\w.+-]+\+)?json\b/i.test(type),
  )?.[1]
  const { node: schema } = resolve(isObject(media) ? media.schema : undefined)
  // The gateway wraps values that are not objects.
  const type = isObject(schema) ? schema.type : undefined
  return type === undefined || type === 'object' ? (isObject(media) ? media.schema : {}) : {}
}

function exampleOf({ example }: RequestBody, isBare: boolean, looksSecret: DraftTools['looksSecret']) {
  if (example === undefined || isBare) return {}
  return { example: withoutSecrets(example, looksSecret).value }
}

/** Returns what fits a manifest; of a part that is too long, nothing. */
function bounded(parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (JSON.stringify(parts).length <= FREE_FORM_LENGTH_MAX) return parts
  const { example: _, ...described } = parts
  if (JSON.stringify(described).length <= FREE_FORM_LENGTH_MAX) return described
  const { body: __, ...rest } = described
  return JSON.stringify(rest).length <= FREE_FORM_LENGTH_MAX ? rest : {}
}
